"""Methods states every metric of the table, the measured figures of the offline judge, sources, limits and versions."""

from importlib import metadata
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached, facts
from components.words import plain
from lemaj_core.metrics.offline_judge import MEASURED
from lemaj_core.metrics.table import METRICS

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Point the app to an empty store."""
    monkeypatch.setenv("LEMAJ_STORE", f"sqlite:///{tmp_path / 'store.db'}")
    cached.clear()
    yield tmp_path
    cached.clear()
    st.cache_data.clear()


@pytest.fixture
def methods(home):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/methods.py")
    at.run()
    assert not at.exception
    return at


def words(at):
    """Everything the page says, tables included."""
    said = [element.value for element in (*at.markdown, *at.caption, *at.code, *at.subheader)]
    for table in at.table:
        said += [str(value) for value in table.value.reset_index().to_numpy().ravel()]
    return "\n".join(said)


@pytest.mark.parametrize("field", ["formula", "undefined", "source", "caveat", "example", "label"])
def test_every_metric_is_stated_in_full(methods, field):
    said = words(methods)
    for metric in METRICS.values():
        text = getattr(metric, field)
        assert text in said or plain(text) in said, f"{metric.key}: {field}"


def test_the_offline_judge_is_called_approximate_with_its_figures(methods):
    said = words(methods)
    assert "approximate" in said
    for entry in MEASURED.values():
        assert plain(entry["label"]) in said
        assert plain(f"{entry['value']:.2f}") in said


def test_published_figures_limits_and_sources_are_there(methods):
    said = words(methods)
    assert "0.700 (0.88)" in said
    for line in (*facts.LIMITS, *facts.SOURCES):
        assert line in said


def test_versions_are_those_installed(methods):
    said = words(methods)
    for name in ("streamlit", "pandas", "scipy"):
        assert plain(metadata.version(name)) in said


def test_versions_of_a_run_are_those_it_recorded(home, small_run):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/methods.py").run()
    assert not at.exception
    assert "as recorded by the chosen run" in words(at)


def test_every_table_has_a_text_for_those_who_do_not_see_it(methods):
    assert len(methods.table) >= len(METRICS) + 3
    assert all(element.proto.alt for element in methods.get("arrow_table"))
