# Each target makes the environment it needs: Python 3.11 or newer is all that must be there.
PYTHON ?= python3
PG_CONFIG ?= pg_config
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo demo-workflow test lint build install-extension bench api clean

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 19

demo: $(VENV)/stamp ## Run a real job on an embedded PostgreSQL (DIR=… names the tree that it walks)
	@exec $(BIN)/tenure demo $(if $(DIR),--dir "$(DIR)")

demo-workflow: $(VENV)/stamp ## Run a workflow on an embedded PostgreSQL, and draw it
	@exec $(BIN)/tenure demo-workflow

test: $(VENV)/stamp ## Run every test on PostgreSQL 18, and on a local 15 where there is one (ARGS=… go to pytest)
	@exec $(BIN)/python -m tests $(ARGS)

lint: $(VENV)/stamp ## Check the SQL, its bodies included, and the Python
	@PATH="$(CURDIR)/$(BIN):$$PATH" exec $(BIN)/python -m tests.lint

build: $(VENV)/stamp ## Write dist/: the scripts for psql, Flyway and Sqitch, and the extension
	@exec $(BIN)/python sql/build.py

install-extension: build ## Copy the extension to where a server finds it (PG_CONFIG=… names its pg_config)
	@install -d "$(DESTDIR)$$($(PG_CONFIG) --sharedir)/extension"
	@install -m 644 dist/extension/* "$(DESTDIR)$$($(PG_CONFIG) --sharedir)/extension"

bench: $(VENV)/stamp ## Measure against the speed floor (ARGS=… names parts, or --quick)
	@exec $(BIN)/python -m tests.bench $(ARGS)

api: $(VENV)/stamp ## Write sql/API.txt anew: the public functions, for review to see each change
	@exec $(BIN)/python -m tests.lint.api

clean: ## Remove what these targets made
	rm -rf $(VENV) dist python/tenure/_sql

$(VENV)/stamp: pyproject.toml sql/hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit("Tenure needs Python 3.11 or newer; name it: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@echo "Making the environment in $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[embedded,dev]'
	@touch $@
