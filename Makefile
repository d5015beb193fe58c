# entrepot: every target a person needs; `make help` lists them.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 4
SQLFLUFF = $(BIN)/sqlfluff lint --disable-progress-bar
# one core does one of these beside another; the longest come first
LINTS = lint-sql lint-types lint-project lint-macros lint-text

# containers set it; the hundred processes of the tests would compile the package anew each time
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev setup-record setup-bench postgres chromium registry prepare demo bench test campaigns lint $(LINTS) compile-tests format lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.runtime ## install entrepot into .venv (hash-locked), and a Java if there is none

$(VENV)/.runtime: requirements/build.lock requirements/runtime.lock requirements/java.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "entrepot needs Python 3.10 to 3.13; $(PYTHON) is $$($(PYTHON) -V 2>&1). Use: make PYTHON=python3.11 ..." >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@bash scripts/install.sh $(BIN)/python runtime
	@touch $@

setup-dev: $(VENV)/.dev ## what `make test` and `make lint` need on top

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.lock
	@bash scripts/install.sh $(BIN)/python dev
	@touch $@

setup-record: $(VENV)/.record ## what the recorder needs on top (Debezium, 200 MB)

$(VENV)/.record: $(VENV)/.runtime requirements/record.lock
	@bash scripts/install.sh $(BIN)/python record
	@touch $@

postgres: setup-record ## a PostgreSQL server for the recorder's tests: Debian's, where none is installed
	@bash scripts/postgres.sh $(BIN)/python

chromium: ## Chromium for the tests of the mapping's page: Debian's, where none is installed
	@bash scripts/chromium.sh

registry: setup-dev ## a schema registry for the tests: Apicurio's from Maven Central, into the user's cache (160 MB)
	@$(BIN)/python -m tests.support.apicurio

setup-bench: $(VENV)/.runtime requirements/bench.lock ## what `make bench` needs on top (the generator of TPC-H and TPC-DS)
	@bash scripts/install.sh $(BIN)/python bench

prepare: $(VENV)/.prepared ## archive the classes that Spark loads, so that it starts in half the time (a minute, 230 MB)

# what a Java cannot do must not stop anybody: everything works without
$(VENV)/.prepared: $(VENV)/.runtime
	@$(BIN)/entrepot prepare || echo "entrepot: going on without an archive of classes."
	@touch $@

demo: setup prepare ## build the warehouse from the recorded changes in three jobs and ask it a question
	@$(BIN)/entrepot demo

bench: setup-bench ## incremental against full jobs on TPC-H; `make bench ARGUMENTS='--scale 0.1'` (docs/benchmarks.md)
	@$(BIN)/python -m benchmarks --draw docs/benchmarks.svg $(ARGUMENTS)

test: setup-dev postgres chromium registry prepare ## lint and the whole test suite, in four processes, which leave the least of two cores idle; `make test WORKERS=2`
	@$(MAKE) --no-print-directory -j2 compile-tests $(LINTS)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 30 -m "not long"

campaigns: setup-dev postgres chromium registry prepare ## the random tests at length, and what is too long for `make test` (CONTRIBUTING.md)
	@ENTREPOT_TEST_TASKS=2 ENTREPOT_TEST_JOBS=15 ENTREPOT_FUZZ_STEPS=1000 ENTREPOT_RULE_STEPS=100000 ENTREPOT_TEST_KILLS=300 ENTREPOT_LANDING_CASES=10000 ENTREPOT_MATRIX_CASES=100000 ENTREPOT_HISTORY_KEYS=100000 ENTREPOT_RECORD_KILLS=30 ENTREPOT_NESTED_SCHEMAS=200 \
	  $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "campaign or long"
	@ENTREPOT_TEST_TASKS=2 ENTREPOT_TEST_THREADS=1 ENTREPOT_TEST_CATALOG=hive ENTREPOT_TEST_BY_SPARK=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile tests/delta tests/fuzz tests/project

lint: setup-dev ## sqlfluff, ruff, mypy, import-linter, yamllint, links, dbt parse
	@$(MAKE) --no-print-directory -j2 $(LINTS)

lint-sql:
	@$(SQLFLUFF) models snapshots python/dbt/include/entrepot/models python/entrepot/starter/models

lint-macros:
	@$(SQLFLUFF) --config tests/lint/macros.cfg --rules JJ01,LT12 macros python/dbt/include/entrepot/macros

lint-types:
	@$(BIN)/mypy

lint-project:
	@$(BIN)/dbt --warn-error parse --target-path target/lint

lint-text:
	@$(BIN)/ruff check python tests benchmarks scripts
	@$(BIN)/ruff format --check python tests benchmarks scripts
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/yamllint --strict .
	@$(BIN)/python scripts/check_links.py

# pytest rewrites the assertions of each file that has changed: here once, and else in each of the processes. What cannot be collected they say
compile-tests:
	-@$(BIN)/python -m pytest --collect-only -q >/dev/null 2>&1

format: setup-dev ## let ruff and sqlfluff write the layout
	@$(BIN)/ruff check --fix python tests benchmarks
	@$(BIN)/ruff format python tests benchmarks
	@$(BIN)/sqlfluff fix --disable-progress-bar models snapshots python/dbt/include/entrepot/models

lock: ## resolve requirements/*.lock again (needs uv on the PATH)
	uv pip compile -q --universal --python-version 3.10 --generate-hashes --no-header requirements/build.in -o requirements/build.lock
	uv pip compile -q --universal --python-version 3.10 --generate-hashes --no-header pyproject.toml -o requirements/runtime.lock
	uv pip compile -q --universal --python-version 3.10 --generate-hashes --no-header -c requirements/runtime.lock python/recorder/pyproject.toml -o requirements/record.lock
	for extra in dev java bench; do \
	  uv pip compile -q --universal --python-version 3.10 --generate-hashes --no-header --extra $$extra \
	    -c requirements/runtime.lock pyproject.toml -o requirements/$$extra.lock; done

clean: ## remove what can be made again (not the warehouse)
	rm -rf target logs .pytest_cache .mypy_cache .ruff_cache
