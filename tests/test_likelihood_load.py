"""Where a proxy comes from: converted once, checked by digest every time, made anew when it was touched."""

import hashlib
import json
import time

import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.models import likelihood_load
from lemaj_core.models.likelihood_load import PACKAGED, converted, digest, load, locate


@pytest.fixture
def gguf(tmp_path, monkeypatch):
    """Give a stand-in for a GGUF file, a cache of its own, and the list of conversions."""
    monkeypatch.setenv("LEMAJ_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "Tiny.Q4.gguf"
    file.write_bytes(b"weights")
    made = []

    def convert(source, place):
        made.append(source)
        (place / "model.safetensors").write_bytes(source.read_bytes() * 2)
        (place / "config.json").write_text("{}", encoding="utf-8")

    monkeypatch.setattr(likelihood_load, "_convert", convert)
    return file, made


def test_converted_once_into_a_folder_named_by_its_digest(gguf, tmp_path):
    file, made = gguf
    place = converted(file)
    # sha256(b"weights") begins with these 12 digits
    start = hashlib.sha256(b"weights").hexdigest()[:12]
    assert place == tmp_path / "cache" / "models" / f"Tiny.Q4-{start}-v1"
    assert converted(file) == place == type(place)(locate(str(file)))
    assert made == [file]
    kept = json.loads((place / "digests.json").read_text(encoding="utf-8"))
    assert kept["source"] == digest(file)
    assert kept["files"]["model.safetensors"] == hashlib.sha256(b"weightsweights").hexdigest()


def test_another_file_of_the_same_name_is_another_model(gguf):
    file, made = gguf
    first = converted(file)
    file.write_bytes(b"other weights")
    assert converted(file) != first
    assert len(made) == 2


@pytest.mark.parametrize("damage", ["change", "remove", "manifest", "no files"])
def test_what_was_touched_is_made_anew(gguf, damage):
    file, made = gguf
    place = converted(file)
    if damage == "change":
        (place / "model.safetensors").write_bytes(b"poisoned")
    elif damage == "remove":
        (place / "config.json").unlink()
    elif damage == "manifest":
        (place / "digests.json").write_text("[]", encoding="utf-8")
    else:
        (place / "digests.json").write_text('{"files": {}}', encoding="utf-8")
    assert converted(file) == place
    assert len(made) == 2
    assert (place / "model.safetensors").read_bytes() == b"weightsweights"
    assert converted(file) == place
    assert len(made) == 2


def test_a_conversion_that_breaks_leaves_nothing_behind(gguf, monkeypatch):
    file, _ = gguf

    def fail(source, place):
        (place / "model.safetensors").write_bytes(b"half")
        raise SettingsError("broken")

    monkeypatch.setattr(likelihood_load, "_convert", fail)
    with pytest.raises(SettingsError, match="broken"):
        converted(file)
    assert list((likelihood_load.cache_dir() / "models").iterdir()) == []


@pytest.mark.parametrize("name", ["missing.gguf", "/nowhere/at/all.gguf", "./a/b/c.gguf"])
def test_a_gguf_file_that_is_not_there(name):
    with pytest.raises(SettingsError, match=r"is not there; expected a .gguf file"):
        locate(name)


def test_a_folder_and_a_hub_name_stay_as_they_are(tmp_path):
    assert locate(str(tmp_path)) == str(tmp_path)
    assert locate("owner/model") == "owner/model"


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="cannot be loaded; expected smollm2"):
        load(str(tmp_path))


def test_a_gguf_file_that_is_none_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("LEMAJ_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "text.gguf"
    file.write_bytes(b"this is no model")
    with pytest.raises(SettingsError, match="cannot be read as a causal language model"):
        load(str(file))


@pytest.mark.model
def test_packaged_proxy_loads_from_the_cache_in_under_three_seconds():
    first = load(PACKAGED)
    assert first.window == 8192
    start = time.process_time()
    again = load(PACKAGED)
    # Of the processor: a busy machine is not the program's fault.
    assert time.process_time() - start < 3
    assert type(again.model).__name__ == "LlamaForCausalLM"
    assert sum(weight.numel() for weight in again.model.parameters()) == 134_515_008
    assert again.tokenizer.decode(again.tokenizer("The lessee pays.")["input_ids"]) == "The lessee pays."
