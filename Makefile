# Two commands do all set-up on a fresh machine with Python 3.11: `make demo` and `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
INPUTS := pyproject.toml $(wildcard setup.py) $(wildcard dtt/native/*.cpp dtt/native/*.h)

.PHONY: demo install test lint unit campaign engines format clean

demo: $(VENV)/.installed
	$(BIN)/hwdsl check examples/four_pe.py

install: $(VENV)/.installed

# Lint, types and tests: under 10 minutes on 2 cores.
test: lint unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: $(VENV)/.dev
	$(BIN)/pytest -q

# The long random campaigns, for CI.
campaign: $(VENV)/.dev
	$(BIN)/pytest -q -m campaign

# Every engine on every example and on random fabrics, for CI: most of it is compiling.
engines: $(VENV)/.dev
	$(BIN)/pytest -q -m engines

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(INPUTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(INPUTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build out *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
