# Everything a newcomer needs: `make demo` and `make test` set up what they use.
# The requirement files list every package: --no-deps keeps pip from looking for newer versions of what they pin.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ROUNDS ?= 1
RUNS ?= 200000
KILLS ?= 30
PIP := $(BIN)/python -m pip --disable-pip-version-check
KERNELS := $(shell grep -rlw --include=*.py njit src/glassrank)

.DEFAULT_GOAL := help
.PHONY: help setup spark demo app test test-spark explore coverage check bench fuzz kills audit papers pictures docs browser java engines lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.run ## simulate, train, measure, draw: writes demo/report.html
	@$(BIN)/glassrank demo --folder demo

setup: $(VENV)/.dev $(VENV)/.kernels browser spark ## install and compile what tests and checks need

app: $(VENV)/.run ## open the studies of this folder in the browser, with the demo in one click
	@$(BIN)/glassrank app $(ARGS)

test: setup ## run the whole test suite
	@# Two workers fill two cores: threads and processes of libraries on top would only get in their way. Without bytecode
	@# every process that the tests start would compile all sources again.
	@PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 LOKY_MAX_CPU_COUNT=1 $(BIN)/python -m pytest -n 2 --durations=15 $(ARGS)

test-spark: $(VENV)/.spark $(VENV)/.kernels ## run only the tests on Spark, which need a Java runtime
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -m spark $(ARGS)

explore: $(VENV)/.dev $(VENV)/.kernels ## property tests on new random examples; ROUNDS=5 repeats with other seeds
	@for round in $$(seq $(ROUNDS)); do \
	  HYPOTHESIS_PROFILE=explore OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -m hypothesis $(ARGS) || exit 1; done

coverage: $(VENV)/.dev $(VENV)/.kernels browser ## lines and branches that the tests run: build/coverage/index.html
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -q --cov --cov-report=html:build/coverage $(ARGS)
	@echo "Coverage: $$($(BIN)/coverage report --precision=1 --format=total) % of lines and branches"

check: $(VENV)/.dev ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/.dev $(VENV)/.kernels ## measure every speed claim: writes benchmarks/RESULTS.md
	@$(BIN)/python benchmarks/run.py

fuzz: $(VENV)/.dev $(VENV)/.kernels ## damaged and hostile input for every reader; RUNS=2000 is a short run
	@$(BIN)/python -m tests.fuzz --runs $(RUNS) $(ARGS)

audit: build/audit/.ready ## check the pinned versions for known vulnerabilities (needs network)
	@$(PYTHON) tools/audit.py build/audit/bin/pip-audit requirements/run.txt requirements/dev.txt

kills: $(VENV)/.dev $(VENV)/.kernels ## kill studies, builds and saves at random moments; KILLS=30 of each
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/kills.py --kills $(KILLS)

papers: $(VENV)/.kernels $(VENV)/.dev ## reproduce the five source documents: writes build/papers; ARGS="--only svdd" runs one
	@$(BIN)/python -m experiments.papers build/papers $(ARGS)

pictures: $(VENV)/.kernels $(VENV)/.dev ## write docs/pictures/*.png
	@$(BIN)/python -m experiments.pictures docs/pictures
	@GLASSRANK_PICTURES=docs/pictures $(BIN)/python -m pytest -q tests/app/test_walk_browser.py

docs: $(VENV)/.dev ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo "site/index.html"

browser: # Chromium for the browser tests; without it they are skipped with the reason
	@tools/ensure-installed chromium "the browser tests are skipped" chromium fonts-liberation

spark: $(VENV)/.dev # PySpark for the tests on Spark, if there is a Java runtime; otherwise they are skipped with the reason
	@if command -v java >/dev/null || [ -x "$$JAVA_HOME/bin/java" ]; then $(MAKE) --no-print-directory $(VENV)/.spark; \
	else echo "There is no Java runtime here: the tests on Spark are skipped. On Debian: apt-get install openjdk-17-jre-headless" >&2; fi

java: # a Java compiler and Maven for the tests on real search engines; without them they are skipped with the reason
	@tools/ensure-installed javac "the tests on search engines are skipped" openjdk-17-jdk-headless
	@tools/ensure-installed mvn "the tests on search engines are skipped" maven

engines: java ## fetch the search engines of the tests, and start each once
	@# Twice, because a download may break off; what was fetched is kept.
	@$(PYTHON) -m tools.engines check || $(PYTHON) -m tools.engines check

lock: # resolve requirements/*.in again (needs uv)
	@cd requirements && for name in run dev spark audit; do \
	  uv pip compile --universal --generate-hashes --no-header --python-version 3.11 --upgrade $$name.in -o $$name.txt; done

clean: ## remove the environment and everything built
	@rm -rf $(VENV) build dist site demo .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.run: requirements/run.txt pyproject.toml
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Python's venv module is missing. On Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "Setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --no-deps --require-hashes -r requirements/run.txt
	@$(PIP) install --quiet --no-build-isolation --no-deps --no-index -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	@$(PYTHON) -c 'import ctypes; ctypes.CDLL("libgomp.so.1")' 2>/dev/null || { \
	  echo "LightGBM, a peer in the tests, needs OpenMP. On Debian: apt-get install libgomp1" >&2; exit 1; }
	@echo "Installing the test tools …"
	@$(PIP) install --quiet --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.spark: requirements/spark.txt $(VENV)/.dev
	@echo "Installing Spark …"
	@$(PIP) install --quiet --no-deps --require-hashes -r requirements/spark.txt
	@touch $@

build/audit/.ready: requirements/audit.txt
	@$(PYTHON) -m venv build/audit
	@build/audit/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes -r $<
	@touch $@

$(VENV)/.kernels: $(VENV)/.run $(KERNELS)
	@$(BIN)/glassrank warm
	@touch $@
