# `make demo` shows it working on real speech; `make test` runs everything that CI runs.
PYTHON ?= python3
BIN = .venv/bin
OUT = demo

.PHONY: demo test check fix environment test-environment clean

demo: environment
	$(BIN)/std-index examples/german/mesh --store $(OUT)/index --ecf examples/german/ecf.xml
	$(BIN)/std-search --store $(OUT)/index --terms examples/german/terms.xml \
	    --ecf examples/german/ecf.xml --output $(OUT)/hits.xml
	$(BIN)/std-score $(OUT)/hits.xml --ecf examples/german/ecf.xml --rttm examples/german/ref.rttm \
	    --terms examples/german/terms.xml --output $(OUT)/score
	@echo
	@echo "To search and hear it in a browser:"
	@echo "    $(BIN)/std-serve --store $(OUT)/index --audio examples/german/audio --feedback $(OUT)/marks.jsonl"

test: test-environment check

# What a change must pass; the environment of `make test` must exist.
check:
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -q
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report

fix:
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

environment:
	@$(PYTHON) tools/environment.py .venv requirements.lock

test-environment:
	@$(PYTHON) tools/environment.py .venv requirements-test.lock
	@if command -v npm >/dev/null; then \
	    test -d tests/couchdb/node_modules || npm ci --prefix tests/couchdb --ignore-scripts --no-audit --no-fund; \
	else echo "npm is missing (Debian: apt install npm): the CouchDB tests will be skipped"; fi

clean:
	rm -rf .venv $(OUT) tests/couchdb/node_modules
