# Everything a stranger needs: `make demo` shows a report, `make test` checks the checkout.
# Only python3 (3.11 or newer) and make are asked for; the rest comes from the lock files.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PEERS := $(VENV)/peers
REORDERERS := $(VENV)/reorderers
SPARK := $(VENV)/spark
BENCH ?=
SCALE ?=
# The newest week of sample_logs.
WEEK ?= 2026-W47

.PHONY: demo test test-peers test-spark lint validate bench bench-scale samples lock clean

demo: $(VENV)/ready
	@mkdir -p build
	$(BIN)/citelog ingest sample_logs/*.jsonl.* --store build/demo.duckdb
	$(BIN)/citelog report --week $(WEEK) --store build/demo.duckdb -o build/demo.html
	@echo "the weekly report is $(CURDIR)/build/demo.html"

# A file's tests stay together, because they share what is dear to make.
test: lint
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

# Our orderings against the libraries that ship them, as they are today; needs a network.
test-peers: $(VENV)/ready-for-tests $(VENV)/ready-for-peers
	CITELOG_REORDERERS=$(REORDERERS)/bin/python $(BIN)/python -m pytest tests/test_peer_reorderers.py

# The engines against a real Apache Spark: a standalone master, two workers and a server of Spark
# Connect on free ports of 127.0.0.1, which are stopped afterwards. Needs Java 17; some minutes.
test-spark: $(VENV)/ready-for-spark
	cd tests && PYTHONPATH=$(CURDIR) $(CURDIR)/$(SPARK)/bin/python -m engine.cluster -- \
		$(CURDIR)/$(SPARK)/bin/python -m pytest engine

lint: $(VENV)/ready-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Minutes to an hour; VALIDATE="--only coverage --runs 200" makes it shorter.
validate: $(VENV)/ready-for-tests
	$(BIN)/python -m tests.validation $(VALIDATE)

bench: $(VENV)/ready-for-bench
	$(BIN)/python -m tests.bench --peers $(PEERS)/bin/python $(BENCH)

# Time and size of 1, 2, 4 and 8 million chunks; SCALE="--millions 1 2" makes it shorter.
bench-scale: $(VENV)/ready-for-tests
	$(BIN)/python -m tests.bench.scale $(SCALE)

samples: $(VENV)/ready
	$(BIN)/python sample_logs/make.py
	$(BIN)/python sample_logs/samples/make.py

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header pyproject.toml
lock:
	$(LOCK) --group install --output-file requirements.lock
	$(LOCK) --group dev --constraint requirements.lock --output-file requirements-dev.lock
	$(LOCK) --group bench --constraint requirements.lock --output-file requirements-bench.lock
	$(LOCK) --group cluster --constraint requirements.lock --output-file requirements-cluster.lock

clean:
	rm -rf build dist $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# Stamps: a second run installs nothing and needs no network.
$(VENV)/ready: requirements.lock pyproject.toml | $(VENV)/made
	$(PIP) install --require-hashes --requirement requirements.lock
	$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/ready-for-tests: requirements-dev.lock $(VENV)/ready
	$(PIP) install --require-hashes --requirement requirements-dev.lock
	@touch $@

$(VENV)/ready-for-bench: requirements-bench.lock $(VENV)/ready
	$(PYTHON) -m venv --clear $(PEERS)
	$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install \
		--require-hashes --requirement requirements-bench.lock
	@touch $@

$(VENV)/ready-for-spark: requirements-cluster.lock pyproject.toml | $(VENV)/made
	@command -v java >/dev/null || { \
		echo "java is not here, and Apache Spark runs on it; install Java 17 (Debian: apt-get install openjdk-17-jre-headless)" >&2; \
		exit 1; }
	$(PYTHON) -m venv --clear $(SPARK)
	$(SPARK)/bin/python -m pip --disable-pip-version-check --quiet install \
		--require-hashes --requirement requirements-cluster.lock
	@touch $@

$(VENV)/ready-for-peers: | $(VENV)/made
	$(PYTHON) -m venv --clear $(REORDERERS)
	$(REORDERERS)/bin/python -m pip --disable-pip-version-check --quiet install \
		langchain-community llama-index-core haystack-ai
	@touch $@

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is missing or older than 3.11; name a newer one: make PYTHON=python3.11" >&2; \
		exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) comes without ensurepip or venv; install them (Debian: apt-get install python3-venv)" >&2; \
		exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@
