# Everything a person types. `make help` lists it. Only Python 3.11 or later and git need to be there.

SHELL := /bin/sh
.DEFAULT_GOAL := help
PYTHON ?= python3
RUN := .venv/bin
# Tests wait for processes, sockets and git about as much as they compute: one worker more than there are processors keeps them busy.
WORKERS = $$($(RUN)/python -c 'import os; print(min(os.cpu_count() + 1, 4))')
COMPILE = $(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command 'make constraints' pyproject.toml

# What the user typed stays as typed: taken literally here, and handed to the shell by environment, never by expansion.
override REPO := $(value REPO)
override BASE := $(value BASE)
override HEAD := $(value HEAD)
override TREE := $(value TREE)
override BENCH := $(value BENCH)
override MIRROR := $(value MIRROR)
ifdef PARTS
override PARTS := $(value PARTS)
export PARTS
endif
export REPO BASE HEAD TREE BENCH MIRROR

# uv reads neither pip's configuration nor, by itself, the machine's certificates.
export UV_SYSTEM_CERTS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help setup impact serve demo test versions lint types layers docs pictures site compiled text wheel bench bench-action bench-quality kills model constraints clean

help: ## this list
	@echo 'make impact REPO=path BASE=main HEAD=feature    what can the branch `feature` break? (no HEAD: the files as they are on disk)'
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

setup: .venv/ready ## make .venv with exactly the packages of constraints.txt; quick when nothing changed

.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo 'Python 3.11 or later is needed: put it on the PATH as python3, or say `make setup PYTHON=/path/to/python3.12`.' >&2; exit 1; }
	@command -v git >/dev/null || { echo 'git is needed: install it first.' >&2; exit 1; }
	@test -x $(RUN)/python || $(PYTHON) -m venv .venv || \
		{ rm -rf .venv; echo 'Python could not make a virtual environment: install its venv module (Debian, Ubuntu: python3-venv).' >&2; exit 1; }
	@sed -n '/^uv==/,/[^\\]$$/p' constraints.txt > .venv/uv.txt
	@test -x $(RUN)/uv || $(RUN)/python -m pip install --quiet --require-hashes --no-deps -r .venv/uv.txt || \
		echo 'uv could not be installed: pip takes its place, which is slower.' >&2
	@VIRTUAL_ENV=.venv $(RUN)/uv pip install --quiet --require-hashes -r constraints.txt 2>.venv/uv.log || \
		$(RUN)/python -m pip install --quiet --no-deps --require-hashes -r constraints.txt || { cat .venv/uv.log >&2; exit 1; }
	@$(RUN)/python -m pip install --quiet --no-deps --no-index --no-build-isolation --editable .
	@touch $@

impact: .venv/ready ## the blast radius of a branch
	@test -n "$$REPO" || { echo 'Which repository? make impact REPO=path BASE=main HEAD=feature' >&2; exit 2; }
	@$(RUN)/maguyva impact --repo "$$REPO" -- "$$BASE...$$HEAD"

serve: .venv/ready ## the GitHub App on this machine; settings are in the environment
	@$(RUN)/maguyva serve

demo: .venv/ready ## the whole App against a simulated GitHub (REPO=path BASE=rev HEAD=rev: with the clone at that path)
	@PYTHONPATH=.:tests $(RUN)/python -m support.demo "$$REPO" "$$BASE" "$$HEAD"

test: lint types layers ## every check, in the order a person would run them
	@$(RUN)/python -m pytest -q --numprocesses $(WORKERS)

versions: .venv/ready ## the tests on every supported Python that is on this machine, each in a folder of .cache
	@for version in 3.11 3.12 3.13; do \
		for python in python$$version "$$HOME"/.pyenv/versions/$$version.*/bin/python ''; do \
			"$$python" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$$version')" 2>/dev/null && break; \
		done; \
		if [ -z "$$python" ]; then echo "Python $$version is not on this machine."; continue; fi; \
		echo "Python $$version"; \
		$(RUN)/uv venv --quiet --allow-existing --python "$$python" .cache/python-$$version && \
		VIRTUAL_ENV=.cache/python-$$version $(RUN)/uv pip install --quiet --require-hashes -r constraints.txt && \
		PYTHONPATH=. .cache/python-$$version/bin/python -m pytest -q --numprocesses $(WORKERS) || exit 1; \
	done

lint: .venv/ready ## style, and dependencies that are unused or undeclared
	@$(RUN)/ruff check .
	@$(RUN)/deptry . --no-ansi

types: .venv/ready ## the type checker, strict
	@$(RUN)/mypy

layers: .venv/ready ## the order of the modules
	@$(RUN)/lint-imports --no-cache | sed -n '/KEPT\|BROKEN\|Contracts:\|->/p'; $(RUN)/lint-imports --no-cache >/dev/null

docs: .venv/ready ## write anew the pages that are made from the code, the corpus and the scores
	@PYTHONPATH=tests $(RUN)/python -m support.pages

site: .venv/ready ## the pages of docs/ as a web site in .cache/site/out
	@PYTHONPATH=.:tests $(RUN)/python -m support.site

pictures: .venv/ready ## draw the pictures of docs/images anew (needs Chromium)
	@PYTHONPATH=.:tests $(RUN)/python -m support.pictures

compiled: .venv/ready ## machine code of the modules that an index spends its time in; `make text` deletes it again (needs a C compiler)
	@$(RUN)/python deploy/compile.py

text: ## delete what `make compiled` made
	@$(PYTHON) deploy/compile.py --clean

wheel: .venv/ready ## a wheel in dist/; after `make compiled` one with the machine code, for this machine and version of Python
	@$(RUN)/python -m hatchling build -t wheel -d dist

bench: .venv/ready ## speed, measured on this machine (TREE=path: on that repository)
	@$(RUN)/python -m tests.speed

bench-action: .venv/ready ## seconds of the Action's step with an index in the cache (TREE=path of a clone)
	@PYTHONPATH=.:tests $(RUN)/python -m tests.speed.action "$$TREE"

kills: .venv/ready ## 500 deliveries to one web process and two workers on PostgreSQL and S3, killed 20 times and replaced
	@PYTHONPATH=.:tests $(RUN)/python -m support.kills 500 20 fleet

bench-quality: .venv/ready ## how good the answers are, beside recorded runs (BENCH=path MIRROR=path PARTS=names)
	@$(RUN)/python -m tests.quality
	@$(RUN)/python -m pytest -q tests/flows/test_real_reports.py

model: .venv/ready ## make the embedded model's weights anew from the packages they are learned from (docs/model.md)
	@$(RUN)/python -m tests.quality.model

constraints: ## choose the packages anew (newest that pyproject.toml allows) and pin them by hash, for developers and for each way to deploy
	@$(COMPILE) --upgrade --all-extras -o constraints.txt
	@$(COMPILE) --constraint constraints.txt --extra compile -o deploy/constraints-compile.txt
	@$(COMPILE) --constraint constraints.txt --extra github -o deploy/constraints-action.txt
	@$(COMPILE) --constraint constraints.txt --extra serve --extra s3 -o deploy/constraints-serve.txt
	@$(COMPILE) --constraint constraints.txt --extra serve --extra s3 --extra voyage -o deploy/constraints-voyage.txt

clean: ## remove what these commands made here
	@$(PYTHON) deploy/compile.py --clean
	@rm -rf .venv .cache .pytest_cache .hypothesis .coverage build dist
	@find index bot tests -name __pycache__ -type d -prune -exec rm -rf {} +
