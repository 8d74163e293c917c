# Everything a contributor or CI runs. `make test` needs only Go; the other targets name what they need.

SHELL := /bin/bash
.DELETE_ON_ERROR:

GO    ?= go
PKGS  ?= ./...
BIN   := .cache/bin
CASES := $(BIN)/casecount

# Generated files, and the targets that write them; `make lint` fails while they are stale.
REGEN       := regen-depguard regen-man regen-docs
REGEN_FILES := .golangci.yml docs/man README.md docs/handoff.md docs/sessions.md docs/losses.md docs/safety.md

.PHONY: help test lint cross fmt fuzz fuzz-short conformance bench bugs regen regen-check regen-depguard regen-cases \
	regen-man regen-docs \
	tools build install FORCE

help:
	@echo 'make test         unit tests, with the number of cases of every package (PKGS=./canon/... for some)'
	@echo 'make lint         layers, style, vet, other systems, go.mod and generated files'
	@echo 'make fuzz-short   every fuzz target, two minutes together; make fuzz: 60 s each'
	@echo 'make conformance  the real clients against what we write (downloads them to .cache/clients)'
	@echo 'make bench        the programs of bench/'
	@echo 'make bugs         public reports that no test names (ARGS="-require session-bugs.md")'
	@echo 'make regen        rewrite generated files and raise the recorded case numbers'
	@echo 'make fmt build install'

# casecount fails on a failed test and on a package with fewer cases than recorded; pipefail keeps the
# exit code of go test.
COUNT_FLAGS := $(if $(filter ./...,$(PKGS)),,-partial)
test: $(CASES)
	@set -o pipefail; $(GO) test -json -timeout 10m $(PKGS) | $(CASES) $(COUNT_FLAGS)

lint: tools
	$(BIN)/golangci-lint run --allow-parallel-runners ./...
	$(GO) vet -tags conformance ./...
	$(GO) vet -tags crosswalk_faults ./internal/fault
	@$(MAKE) --no-print-directory cross
	$(GO) mod tidy -diff
	@$(MAKE) --no-print-directory regen-check

# The systems CI does not run on at least compile.
cross:
	GOOS=darwin CGO_ENABLED=0 $(GO) build ./...
	GOOS=windows CGO_ENABLED=0 $(GO) build ./...

fmt: tools
	$(BIN)/gofumpt -l -w $$(git ls-files -co --exclude-standard '*.go')

# Ten seconds of the two minutes are for building and starting.
fuzz-short:
	@$(GO) run ./internal/house/cmd/fuzz -budget 110s

fuzz:
	@$(GO) run ./internal/house/cmd/fuzz -each 60s

conformance: $(CASES)
	scripts/install-clients .cache/clients
	@set -o pipefail; $(GO) test -json -tags conformance -count=1 -timeout 15m ./conformance/... | $(CASES) -cases conformance/cases.txt $(ARGS)

bench:
	@set -e; shopt -s nullglob; programs=(bench/*/main.go); \
	if [ $${#programs[@]} = 0 ]; then echo 'bench/ has no programs yet' >&2; exit 1; fi; \
	for p in "$${programs[@]}"; do $(GO) run "./$$(dirname "$$p")"; done

bugs:
	@$(GO) run ./internal/house/cmd/bugs $(ARGS)

regen: $(REGEN) regen-cases

regen-depguard:
	@$(GO) run ./internal/house/cmd/depguard

regen-man:
	@$(GO) run ./internal/cli/cmd/man

# The program's output in the pages.
regen-docs:
	@$(GO) test ./internal/cli -run '^TestDocs' -count=1 -update

# The numbers with the corpus are raised only where there is one (CROSSWALK_CORPUS).
regen-cases: $(CASES)
	@set -o pipefail; env -u CROSSWALK_CORPUS $(GO) test -json -timeout 10m ./... | env -u CROSSWALK_CORPUS $(CASES) -update
	@set -o pipefail; if [ -n "$${CROSSWALK_CORPUS:-}" ]; then $(GO) test -json -timeout 10m ./... | $(CASES) -update; fi

# Regenerates, compares, and puts the files back as they were.
regen-check:
	@set -eu; old=$$(mktemp -d); trap 'cp -R "$$old"/. . && rm -rf "$$old"' EXIT; \
	for f in $(REGEN_FILES); do if [ -e "$$f" ]; then mkdir -p "$$old/$$(dirname "$$f")"; cp -R "$$f" "$$old/$$f"; fi; done; \
	$(MAKE) --no-print-directory $(REGEN) >/dev/null; \
	for f in $(REGEN_FILES); do \
		diff -ruN "$$old/$$f" "$$f" || { echo "$$f is stale: run make regen" >&2; exit 1; }; \
	done

tools: $(BIN)/tools

# The versions are pinned in tools/go.mod, apart from the product's own dependencies.
$(BIN)/tools: tools/go.mod tools/go.sum
	@mkdir -p $(BIN)
	cd tools && GOBIN=$(CURDIR)/$(BIN) $(GO) install tool
	@touch $@

$(CASES): FORCE
	@$(GO) build -o $@ ./internal/house/cmd/casecount

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/...

install:
	CGO_ENABLED=0 $(GO) install -trimpath ./cmd/...
