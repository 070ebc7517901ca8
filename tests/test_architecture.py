"""The house rules: who may import whom, file sizes, no model library in the web process, banned words."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODEL_LIBRARIES = ("torch", "transformers", "sentence_transformers", "litellm", "onnxruntime")
EVERYTHING = "*"

FOUNDATION = {"types", "errors", "settings", "text"}
# The room, and which other rooms of lemaj_core it may import. A room may always import itself.
MAY_IMPORT = {
    "types": set(),
    "errors": set(),
    "settings": {"errors"},
    "text": {"types", "errors"},
    "ingest": FOUNDATION,
    "models": FOUNDATION,
    "metrics": FOUNDATION,
    # the store fills an expert's scores in from the expert's tags: counting lives in metrics only
    "store": FOUNDATION | {"metrics"},
    "judge": FOUNDATION | {"models", "ingest", "metrics"},
    "analysis": {"types", "errors", "metrics", "store"},
    "pipeline": FOUNDATION | {"ingest", "models", "judge", "metrics", "store", "engines"},
    "engines": FOUNDATION | {"ingest", "models", "judge", "metrics", "store"},
    "jobs": {"types", "errors", "settings", "store"},
    "terminal": {"types", "errors"},
    "options": {"types", "errors"},
    "expert_commands": {"errors", "settings", "terminal", "analysis", "store"},
    "commands": {"errors", "settings", "terminal", "text", "analysis", "store"},
    "__main__": EVERYTHING,
    "__init__": EVERYTHING,
}
WEB_MAY_NOT = {"models", "judge", "pipeline", "engines", "terminal", "__main__"}
PAGE_MAY = {"analysis", "types", "metrics"}
BANNED = (
    "use_container_width", "unsafe_allow_html", "unsafe_allow_javascript", "components.v1", "experimental_",
    "add_script_run_ctx", "time.sleep",
)  # fmt: skip

CORE = sorted((ROOT / "lemaj_core").rglob("*.py"))
COMPONENTS = sorted((ROOT / "components").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]


def imports(path):
    """Yield every module that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write absolute imports"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_of(path):
    """Yield the rooms of lemaj_core that a file imports."""
    names = {p.stem if p.is_file() else p.name for p in (ROOT / "lemaj_core").iterdir()}
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "lemaj_core" and len(parts) > 1 and parts[1] in names:
            yield parts[1]


def room(path):
    """Name the room a core file stands in."""
    return path.relative_to(ROOT / "lemaj_core").parts[0].removesuffix(".py")


def relative(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", CORE, ids=relative)
def test_core_rooms_import_only_what_they_may(path):
    allowed = MAY_IMPORT[room(path)]
    if allowed is not EVERYTHING:
        wrong = set(rooms_of(path)) - allowed - {room(path)}
        assert not wrong, f"{relative(path)} may not import {sorted(wrong)}"
    top = {name.split(".")[0] for name in imports(path)}
    assert not top & {"streamlit", "components", "pages", "app"}, f"{relative(path)} imports the interface"


def module_level(path):
    """Yield what is imported when the file is."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("path", CORE, ids=relative)
def test_model_libraries_only_in_models_and_only_when_used(path):
    used = {name.split(".")[0] for name in imports(path)} & set(MODEL_LIBRARIES)
    assert not used or room(path) == "models", f"{relative(path)} knows {sorted(used)}"
    at_import = {name.split(".")[0] for name in module_level(path)} & set(MODEL_LIBRARIES)
    assert not at_import, f"{relative(path)} loads {sorted(at_import)} when imported"


@pytest.mark.parametrize("path", COMPONENTS, ids=relative)
def test_components_do_not_reach_models(path):
    assert not set(rooms_of(path)) & WEB_MAY_NOT
    if path.parent.name == "figures" or path.name in ("markup.py", "palette.py"):
        assert "streamlit" not in {name.split(".")[0] for name in imports(path)}, f"{relative(path)} must stay pure"


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_pages_go_through_components(path):
    assert not set(rooms_of(path)) - PAGE_MAY, f"{relative(path)} reaches past the components"
    names = [name for name in imports(path) if name.startswith("lemaj_core.metrics")]
    assert all(name.startswith("lemaj_core.metrics.table") for name in names), names


@pytest.mark.parametrize("path", [*CORE, *COMPONENTS, *PAGES], ids=relative)
def test_one_room_one_job(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300, "is there a room missing?"
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), "say what the room is for"


@pytest.mark.parametrize("path", [*COMPONENTS, *PAGES], ids=relative)
def test_no_banned_words(path):
    text = path.read_text(encoding="utf-8")
    assert not [word for word in BANNED if word in text]


def test_the_web_process_loads_no_model_library():
    modules = [relative(path)[:-3].replace("/", ".") for path in COMPONENTS]
    modules += ["lemaj_core", *(f"lemaj_core.{name}" for name in
                ("types", "errors", "settings", "text", "ingest", "metrics.table", "store", "jobs",
                 "analysis.summary", "analysis.triage", "analysis.export", "pipeline", "judge"))]  # fmt: skip
    code = (
        "import sys, importlib\n"
        f"for name in {modules!r}: importlib.import_module(name.removesuffix('.__init__'))\n"
        f"print([x for x in {MODEL_LIBRARIES!r} if x in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_visible_top_level_is_the_agreed_one():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    top = {name.split("/")[0] for name in listed if name and not name.startswith(".")}
    agreed = {"app.py", "pages", "components", "lemaj_core", "data", "tests", "requirements.txt", "README.md"}
    assert top == agreed | {"Makefile", "benchmarks", "LICENSE"}
    assert not [name for name in listed if Path(name).name in ("utils.py", "helpers.py", "manager.py", "base.py")]
