# Two commands: `make demo` shows it working, `make test` runs everything that CI runs.
PYTHON ?= python3
BIN = .venv/bin

.PHONY: demo test check fix clean

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
