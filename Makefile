# Every target makes .venv by itself (scripts/venv), once for a given pyproject.toml.
.PHONY: run test conformance recorded fleets lint bench clean

BIN := .venv/bin
export HEAT_TRIO_SHARED ?= $(abspath ../shared)

run:
	@scripts/venv run
	@$(BIN)/heat-trio up --demo --data .heat-trio $(ARGS)

lint:
	@scripts/venv dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-logo

test: lint
	$(BIN)/python -m pytest tests/unit tests/simulation $(ARGS)

# What Heat did, as recorded; minutes. The rest of `conformance` is whole fleets, with Heat's engines
# too: the better part of an hour.
conformance: recorded fleets

recorded:
	@scripts/venv dev
	@test -d "$(HEAT_TRIO_SHARED)/vectors" || { \
	  echo "The recorded behaviour of Heat is not at $(HEAT_TRIO_SHARED): set HEAT_TRIO_SHARED to the folder that holds vectors/." >&2; \
	  exit 2; }
	@code=0; \
	$(BIN)/python -m tests.conformance.vectors $(ARGS) || code=1; \
	$(BIN)/python -m tests.conformance.facts || code=1; \
	$(BIN)/python -m tests.conformance.resource_types || code=1; \
	$(BIN)/python -m tests.conformance.examples || code=1; \
	$(BIN)/python -m tests.conformance.crypt || code=1; \
	$(BIN)/python -m tests.conformance.wire || code=1; \
	$(BIN)/python -m tests.conformance.notifications || code=1; \
	$(BIN)/python -m tests.conformance.runs || code=1; \
	$(BIN)/python -m tests.conformance.takeover states || code=1; \
	exit $$code

fleets:
	@scripts/venv dev
	@code=0; \
	$(BIN)/python -m tests.conformance.fleet || code=1; \
	$(BIN)/python -m tests.conformance.takeover heat ours || code=1; \
	$(BIN)/python -m tests.crash.kills --kills 50 --fleet || code=1; \
	$(BIN)/python -m tests.crash.faults || code=1; \
	$(BIN)/python -m tests.crash.doctor || code=1; \
	$(BIN)/python -m tests.conformance.drain || code=1; \
	exit $$code

bench:
	@scripts/venv dev
	$(BIN)/python -m bench $(ARGS)

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
