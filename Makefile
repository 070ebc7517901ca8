# make run    the app on http://127.0.0.1:8501 with the sample data (PORT=8501)
# make test   everything that is checked: lint, types, tests
PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin

.PHONY: setup run test lint bench clean

setup: .venv/.installed

.venv/.installed: requirements.txt lemaj_core/models/requirements.txt lemaj_core/metrics/requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; say make PYTHON=/path/to/python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r lemaj_core/models/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r lemaj_core/metrics/requirements.txt
	touch $@

.venv/.tested: .venv/.installed tests/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	touch $@

run: setup
	$(BIN)/python -m lemaj_core demo
	$(BIN)/python -m streamlit run app.py --server.port $(PORT)

lint: .venv/.tested
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy lemaj_core components --config-file .mypy.ini

test: lint
	$(BIN)/python -m pytest

.lemaj/peers/.installed: benchmarks/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target .lemaj/peers -r benchmarks/requirements.txt
	touch $@

bench: .venv/.tested .lemaj/peers/.installed
	for file in benchmarks/*.py; do $(BIN)/python $$file --quick || exit 1; done

clean:
	rm -rf .venv .lemaj .pytest_cache .ruff_cache .mypy_cache .hypothesis
