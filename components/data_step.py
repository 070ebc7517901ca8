"""Step 1 of Evaluate: which data. Two drop zones, the sample, and the data sets that are already there.

Keeps one `Source` in the session, so that leaving the page loses nothing. What an upload holds is said in step 2.
"""

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components import cached, uploads
from components.amounts import count, size
from components.uploads import SavedFile
from components.words import plain, short
from lemaj_core.errors import LemajError

SOURCE, ROUND, ERROR = "evaluate_source", "evaluate_round", "evaluate_error"


@dataclass(frozen=True, slots=True)
class Source:
    """What the user chose: an uploaded table with its documents, or a stored data set."""

    table: SavedFile | None = None
    documents: tuple[SavedFile, ...] = ()
    dataset_id: str | None = None


def chosen_source() -> Source:
    """Return what this session has chosen so far."""
    return st.session_state.get(SOURCE, Source())


def data_step() -> Source:
    """Draw the first step and return what is chosen."""
    source = chosen_source()
    answers, documents = st.columns(2, gap="medium")
    with answers:
        _answers(source)
    with documents:
        _documents(source)
    if error := st.session_state.get(ERROR):
        st.error(plain(error), title="That did not work", icon=":material/error:")
    _other_data(source)
    return chosen_source()


def _answers(source: Source) -> None:
    if source.table:
        with st.container(border=True, gap=None, key="table_card"):
            st.caption("Answers")
            _file(source.table, "table_remove", _forget_table)
        return
    key = f"table_{st.session_state.get(ROUND, 0)}"
    st.file_uploader(
        "Answers",
        type=list(uploads.TABLES),
        key=key,
        max_upload_size=uploads.LIMIT,
        on_change=_keep_table,
        args=(key,),
        help="Each row holds a question, an answer and, if there is one, the document or its file name. Files of "
        "LegalBench, SQuAD, CUAD, RAGAS, DeepEval, promptfoo, RAGChecker and ExpertQA are recognised.",
    )
    st.caption("One row is one answer: CSV, TSV, XLSX, JSON, JSONL or Parquet.")


def _documents(source: Source) -> None:
    if source.dataset_id:
        with st.container(border=True, gap=None, key="documents_card"):
            st.caption("Documents")
            st.text("The chosen data set brings its own.")
        return
    key = f"documents_{st.session_state.get(ROUND, 0)}"
    st.file_uploader(
        "Documents (optional)",
        type=list(uploads.DOCUMENTS),
        accept_multiple_files=True,
        key=key,
        max_upload_size=uploads.LIMIT,
        on_change=_keep_documents,
        args=(key,),
        help="A row finds its document by file name. Not needed where the answers bring the text or contexts.",
    )
    st.caption("What the answers are checked against: TXT, MD, DOCX, PDF, or a ZIP of them.")
    if source.documents:
        with st.container(border=True, gap=None, key="documents_card"):
            for place, file in enumerate(source.documents):
                _file(file, f"document_remove_{place}", _forget_document, place)


def _file(file: SavedFile, key: str, forget, *args: int) -> None:
    """One line: name, size and hash of a stored file, and a button that takes it out."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(short(file.name, 48), width="content")
        st.caption(size(file.bytes), width="content", help=f"SHA-256 {file.sha256}")
        st.button(
            ":material/close:",
            key=key,
            type="tertiary",
            on_click=forget,
            args=args,
            help=f"Take out {plain(file.name)}",
        )


def _other_data(source: Source) -> None:
    """Offer the sample and what was loaded before."""
    stored = {info.id: info for info in cached.store().datasets()}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            "Use the sample",
            key="sample",
            icon=":material/science:",
            on_click=_use_sample,
            help="Nine short contracts and 72 answers with expert labels, all constructed for this project.",
        )
        st.button(
            "Use the hazard sample",
            key="sample_hazard",
            icon=":material/flood:",
            on_click=_use_sample,
            args=("hazard",),
            help="Eight questions about natural hazards, five abstracts and two answers each, with answers to changed "
            "questions; constructed for this project, for SCORE's metrics.",
        )
        if stored:
            names = {key: f"{info.name} · {count(info.answers, 'answer')}" for key, info in stored.items()}
            st.session_state["earlier"] = source.dataset_id if source.dataset_id in stored else None
            st.selectbox(
                "or a data set loaded before",
                list(stored),
                index=None,
                format_func=lambda key: names.get(key, key),
                key="earlier",
                placeholder="Choose a data set",
                on_change=_use_stored,
                width=320,
            )


def _remember(source: Source, error: str | None = None) -> None:
    st.session_state[SOURCE] = source
    st.session_state[ERROR] = error


def _keep_table(key: str) -> None:
    upload = st.session_state.get(key)
    if upload is not None:
        kept, error = _keep([upload])
        source = replace(chosen_source(), dataset_id=None)
        _remember(replace(source, table=kept[0]) if kept else source, error)


def _keep_documents(key: str) -> None:
    kept, error = _keep(st.session_state.get(key) or [])
    source = chosen_source()
    names = {file.name for file in kept}
    others = tuple(file for file in source.documents if file.name not in names)
    _remember(replace(source, documents=others + tuple(kept)), error)


def _keep(files: list) -> tuple[list[SavedFile], str | None]:
    """Store uploads, drop their buffers, and say what went wrong with those that could not be stored."""
    kept, errors = [], []
    for upload in files:
        try:
            kept.append(uploads.save(upload, upload.name))
        except LemajError as error:
            errors.append(str(error))
        finally:
            _drop(upload)
    # A new key gives an empty drop zone: the old one would still name the file whose buffer is gone.
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    return kept, " ".join(errors) or None


def _drop(upload) -> None:
    """Free the memory of an upload; Streamlit itself would keep it until the browser tab is closed."""
    context = get_script_run_ctx()
    remove = getattr(getattr(context, "uploaded_file_mgr", None), "remove_file", None)
    upload.close()
    if context is not None and remove is not None:
        remove(context.session_id, upload.file_id)


def _forget_table() -> None:
    _remember(replace(chosen_source(), table=None))


def _forget_document(place: int) -> None:
    source = chosen_source()
    _remember(replace(source, documents=source.documents[:place] + source.documents[place + 1 :]))


def _use_stored() -> None:
    _remember(Source(dataset_id=st.session_state.get("earlier")))


def _use_sample(name: str = "contracts") -> None:
    from lemaj_core.ingest.sample import load_hazard, load_sample

    try:
        dataset = load_hazard() if name == "hazard" else load_sample()
        _remember(Source(dataset_id=cached.store().add_dataset(dataset)))
    except LemajError as error:
        _remember(chosen_source(), str(error))
