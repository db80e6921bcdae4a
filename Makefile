# All targets need Go and nothing else, but lint, which fetches staticcheck, and conformance and
# scoreboard, which need Python and Node.js too, and the first Java and Rust. The benchmarks with a
# load need Linux, and models a server that is running.

GO          ?= go
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS     := -s -w $(if $(VERSION),-X main.version=$(VERSION))
BENCH       ?= .
COUNT       ?= 1
FUZZTIME    ?= 10s
DURATION    ?= 60s
QUESTIONS   ?= $(wildcard ../shared/real/bfcl/judge)
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The race detector needs cgo, and so a C compiler.
RACE := $(shell test "$$($(GO) env CGO_ENABLED)" = 1 && echo -race)
# By default it waits a second at the end of each package for races that are not reported yet.
GORACE ?= atexit_sleep_ms=100

.DEFAULT_GOAL := help
.PHONY: build demo test bench bench-load bench-gate lint fuzz fidelity soak conformance models scoreboard clean help

build: ## build ./dragoman, static
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o dragoman ./cmd/dragoman

demo: ## show one tool conversation, offline
	$(GO) run ./cmd/dragoman demo

test: ## vet, check the formatting, run all tests: the long properties for some of their cases
	@unformatted="$$("$$($(GO) env GOROOT)/bin/gofmt" -l .)"; test -z "$$unformatted" || { echo "gofmt these: $$unformatted" >&2; exit 1; }
	GORACE="$(GORACE)" $(GO) test -vet=all -timeout 30m $(RACE) ./...

bench: ## run the benchmarks that match BENCH (all) COUNT (1) times, for benchstat
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./cmd/... ./metrics/... ./proxy/... ./translate/... ./upstream/...

bench-load: ## put a load on Dragoman, on ReverseProxy and on the model itself, and print what came of it
	$(GO) run -C conformance ./load $(ARGS)

bench-gate: ## hold the growth of processor time, and what it is of ReverseProxy's
	$(GO) test -C conformance -count=1 -v -run '^TestGate$$' ./load -gate

lint: ## run staticcheck
	$(GO) run $(STATICCHECK) ./...

fuzz: ## run each fuzz target for FUZZTIME (10s), and print how many executions that were
	.ci/fuzz $(FUZZTIME)

fidelity: ## hold the long properties for all their cases, and the round trip of 1,000,000 calls
	DRAGOMAN_LONG=1 $(GO) test -vet=off ./proxy ./proxy/check ./translate/... ./upstream
	$(GO) run ./translate/fidelity/cmd $(ARGS)

soak: ## run the program for DURATION (60s) among clients, faults and rotations, and judge what it took
	$(GO) run -C conformance ./soak -duration $(DURATION) $(ARGS)

conformance: ## run every case through every client library, print the table, and run what .ci/run leaves out; this fetches them
	cd conformance/clients && $(GO) test -count=1 -timeout 80m -args -more $(ARGS)
	cd conformance/guided && $(GO) test -count=1 -timeout 4h . -args -more
	cd conformance/agents && $(GO) test -count=1 . -args -more
	cd conformance && $(GO) test -count=1 -vet=all -timeout 40m ./aimock ./scoreboard
	cd conformance/readme && $(GO) test -count=1 -run '^TestRelease$$' .
	$(GO) run ./translate/fidelity/cmd

models: ## ask a real model at BASE_URL (MODEL, if it has several) for calls and the QUESTIONS (LIMIT of them)
	@test -n '$(BASE_URL)' || { echo 'BASE_URL is empty: give the address of a server, as in make models BASE_URL=http://127.0.0.1:8080/v1' >&2; exit 2; }
	cd conformance/anthropic-go-v2 && DRAGOMAN_MODELS_URL='$(BASE_URL)' DRAGOMAN_MODELS_MODEL='$(MODEL)' \
		DRAGOMAN_MODELS_QUESTIONS='$(abspath $(QUESTIONS))' DRAGOMAN_MODELS_LIMIT='$(LIMIT)' \
		$(GO) test -count=1 -timeout 4h -v -run '^TestModels$$' $(ARGS) .

scoreboard: ## read the same completions with our parser and others', and write the table; this fetches them
	cd conformance/scoreboard && $(GO) test -count=1 -timeout 40m -v -run 'TestScoreboard|TestFormats' . -args -update $(ARGS)

clean: ## remove what the other targets left
	rm -f dragoman *.test *.out

help: ## list the targets
	@sed -n 's/^\([a-z-]*\): ## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 12
