# All targets need Go. Beyond it, lint fetches staticcheck, conformance needs Python, Node.js, Java and Rust,
# scoreboard needs Python and Node.js, bench-load and bench-gate need Linux, and models needs a running
# server.

GO          ?= go
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS     := -s -w $(if $(VERSION),-X main.version=$(VERSION))
BENCH       ?= .
COUNT       ?= 1
FUZZTIME    ?= 10s
DURATION    ?= 60s
QUESTIONS   ?= $(wildcard ../shared/real/bfcl/judge)
TASKS       ?= $(wildcard ../shared/real/tasks/run.py)
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The race detector needs cgo, which needs a C compiler.
RACE := $(shell test "$$($(GO) env CGO_ENABLED)" = 1 && echo -race)
# By default, the race detector waits a second for late reports at the end of each package.
GORACE ?= atexit_sleep_ms=100

.DEFAULT_GOAL := help
.PHONY: build demo test bench bench-load bench-gate lint fuzz fidelity soak conformance models scoreboard clean help

build: ## build ./dragoman, static
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o dragoman ./cmd/dragoman

demo: build ## build ./dragoman, and show one tool conversation, offline
	./dragoman demo

test: ## vet, check the formatting, run all tests (slow properties with fewer cases)
	@unformatted="$$("$$($(GO) env GOROOT)/bin/gofmt" -l .)"; test -z "$$unformatted" || { echo "gofmt these: $$unformatted" >&2; exit 1; }
	GORACE="$(GORACE)" $(GO) test -vet=all -timeout 30m $(RACE) ./...

bench: ## run the benchmarks that match BENCH (all) COUNT (1) times, for benchstat
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./cmd/... ./metrics/... ./proxy/... ./translate/... ./upstream/...

bench-load: ## load Dragoman, ReverseProxy and the model itself, and print the results
	$(GO) run -C conformance ./load $(ARGS)

bench-gate: ## check the growth of processor time, and its ratio to ReverseProxy's
	$(GO) test -C conformance -count=1 -v -run '^TestGate$$' ./load -gate

lint: ## run staticcheck
	$(GO) run $(STATICCHECK) ./...

fuzz: ## run each fuzz target for FUZZTIME (10s), and print the number of executions
	.ci/fuzz $(FUZZTIME)

fidelity: ## check slow properties with all their cases, and the round trip of 1,000,000 calls
	DRAGOMAN_LONG=1 $(GO) test -vet=off ./proxy ./proxy/check ./translate/... ./upstream
	$(GO) run ./translate/fidelity/cmd $(ARGS)

soak: ## run the program for DURATION (60s) with clients, faults and credential rotations
	$(GO) run -C conformance ./soak -duration $(DURATION) $(ARGS)

conformance: ## fetch every client library, run every case, print the table, and run what .ci/run skips
	cd conformance/clients && $(GO) test -count=1 -timeout 80m -args -more $(ARGS)
	cd conformance/guided && $(GO) test -count=1 -timeout 4h . -args -more
	cd conformance/agents && $(GO) test -count=1 . -args -more
	cd conformance && $(GO) test -count=1 -vet=all -timeout 40m ./aimock ./scoreboard
	cd conformance/readme && $(GO) test -count=1 -run '^TestRelease$$' .
	$(GO) run ./translate/fidelity/cmd

models: ## check a real model at BASE_URL (set MODEL if there are several) with QUESTIONS (the first LIMIT), TASKS, forced calls in FORMATS
	@test -n '$(BASE_URL)' || { echo 'BASE_URL is empty: set the address of a server, as in make models BASE_URL=http://127.0.0.1:8080/v1' >&2; exit 2; }
	cd conformance/anthropic-go && DRAGOMAN_MODELS_URL='$(BASE_URL)' DRAGOMAN_MODELS_MODEL='$(MODEL)' \
		DRAGOMAN_MODELS_QUESTIONS='$(abspath $(QUESTIONS))' DRAGOMAN_MODELS_LIMIT='$(LIMIT)' DRAGOMAN_MODELS_FORMATS='$(FORMATS)' \
		DRAGOMAN_MODELS_TASKS='$(abspath $(TASKS))' \
		$(GO) test -count=1 -timeout 4h -v -run '^TestModels$$' $(ARGS) .

scoreboard: ## fetch other parsers, compare them on the same completions, and write the table
	cd conformance/scoreboard && $(GO) test -count=1 -timeout 40m -v -run 'TestScoreboard|TestFormats' . -args -update $(ARGS)

clean: ## remove the files of other targets
	rm -f dragoman *.test *.out

help: ## list the targets
	@sed -n 's/^\([a-z-]*\): ## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 12
