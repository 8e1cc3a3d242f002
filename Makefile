# Portico. `make run` needs nothing but Go.

GO        ?= go
LINTER    := .cache/bin/linter
GATEWAY   := .cache/bin/gateway
COLLECTOR := .cache/bin/collector
BINARY    := bin/portico

# All that `make test` builds is compiled in one way, so that Go's cache has each library
# once: half of its time on a bare machine is compiling. It is the way of a release, but
# for what only debuggers read, a sixth of that time, which a release strips. To link a test
# without symbols takes 1.4 s of processor instead of 2.3; what a panic shows needs none.
test: export CGO_ENABLED := 0
test: export GOFLAGS     := -gcflags=all=-dwarf=false -trimpath -ldflags=-s -tags=validator_novalidatefn

# Compilers and the linter seldom collect their garbage: a sixth of their time.
COLLECTED := GOGC=off GOMEMLIMIT=2GiB

# How long each fuzz target runs.
FUZZ_TIME      ?= 1s
SOAK_FUZZ_TIME ?= 10m

# How long the change feed is written to and read on each engine.
SOAK_FEED_SECONDS ?= 60

# How often bench-peers measures all, and with how many clients at once.
BENCH_ROUNDS  ?= 5
BENCH_CLIENTS ?= 8 64

# How large the file of soak-bytes is, and how often it kills the server with each
# database and each place for bytes: 1 000 times in all.
SOAK_MEGABYTES ?= 5000
SOAK_KILLS     ?= 250

# How many rows of each kind end in soak-rows, twice.
SOAK_ROWS ?= 200000

# How many files are in the folder that soak-folder shows.
SOAK_FOLDER ?= 100000

# How often soak-backup kills backups, and restores, in each of four places; and how many
# people and megabytes of files the large backup has.
SOAK_BACKUP           ?= 25
SOAK_BACKUP_PEOPLE    ?= 1000000
SOAK_BACKUP_MEGABYTES ?= 10000

# Which part of soak-pages runs, of how many: 1/8, then 2/8 and so on, is the whole in eight parts.
SOAK_PAGES ?= 1/1

# How many sign in, and how many upload, at once in soak-memory.
SOAK_CROWD ?= 200

# How many signatures soak-signing compares.
SOAK_SIGNATURES ?= 1000000

# Which part of soak-federation runs: ^TestACrowdArrivesAtAServer$$/^SQLite$$/^LDAP$$ is one, of seven minutes at most.
SOAK_FEDERATION ?= ^Test(ACrowdArrivesAtAServer|WhatIsTakenFromPeopleOfADirectory|WhoSignsInAnotherWayDoesNotNotice)

# For how many seconds memory is watched in soak-flat.
SOAK_FLAT ?= 1800

# For how many seconds three servers are used in soak-replicas.
SOAK_REPLICAS ?= 300

# How many seconds the server is down in soak-twins.
SOAK_OUTAGE ?= 60

# Whom test-others signs people in to.
OTHERS ?= Collector|JupyterHub|Keycloak|Prometheus|Spring|Synapse

# What of assistants, and of programs that try protocols, takes too much for test.
ASSISTANTS ?= TestTheSCIMTesterFindsNothing|TestThePythonSDKReadsAsAnAssistant|TestAServerByFastMCPTakesOurTokens|TestAssistantsFindWhatTheirSpecificationDemands

.PHONY: help run test setup check test-others lint build dist test-dist bench bench-server bench-peers bench-check soak-rows soak-memory soak-directory soak-federation soak-scim soak-flat soak-kill soak-kill-tree soak-tree soak-feed soak-replicas soak-narrowings soak-race soak-bytes soak-twins soak-folder soak-zip soak-fuzz soak-backup soak-signing soak-import soak-disk

help: ## Show what there is
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 8

run: ## Start the server at http://localhost:8080 with demo content in ./data
	$(GO) run ./cmd/portico serve --demo

test: ## Install what the tests need, lint, and run every test
	@$(MAKE) --no-print-directory -j2 setup $(LINTER) $(GATEWAY)
	@$(COLLECTED) $(GO) list -export -deps -test -f '' ./... >/dev/null # by compilers that collect no garbage: the linter's own do
	@$(MAKE) --no-print-directory lint
	@.ci/tests $(FUZZ_TIME)

setup: # while one processor unpacks, the other compiles
	@.ci/setup

test-others: $(COLLECTOR) ## Install large programs that others wrote (1 GB), and sign people in to them
	@.ci/others
	PORTICO_OTHERS=1 $(GO) test -count=1 -v -vet=off -timeout 60m -run '^(Test($(OTHERS))WorksAsItsGuideSays|$(ASSISTANTS))$$' ./cmd/portico/internal/e2e
	PORTICO_OTHERS=1 $(GO) test -count=1 -v -vet=off -timeout 10m -run '^Test(Samba|389)WorksAsItsGuideSays$$' ./provider/directory

check: ## The inner loop, under 90 seconds: format, vet, and the tests that need no servers
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "run gofmt on: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) test -short -vet=off ./...

lint: $(LINTER) ## Check format and what the linters of .golangci.yml find, go vet's findings among it
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "run gofmt on: $$unformatted"; exit 1; }
	GOGC=200 $(LINTER) ./...

$(LINTER): tools.mod tools.sum $(wildcard internal/harness/linter/*.go)
	$(COLLECTED) $(GO) build -modfile=tools.mod -tags linter -ldflags='-s -w' -o $@ ./internal/harness/linter
	@touch $@

# The S3 service that tests store bytes in.
$(GATEWAY): tools.mod tools.sum internal/harness/s3test/gateway/main.go
	$(COLLECTED) $(GO) build -modfile=tools.mod -tags gateway -o $@ ./internal/harness/s3test/gateway
	@touch $@

# What the Collector of OpenTelemetry takes traces with, in a module of its own.
$(COLLECTOR): $(wildcard cmd/portico/internal/e2e/testdata/collector/*)
	$(COLLECTED) $(GO) build -C cmd/portico/internal/e2e/testdata/collector -o $(CURDIR)/$@ .
	@touch $@

build: ## Build the static binary into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -tags=validator_novalidatefn -ldflags='-s -w -funcalign=16' -o $(BINARY) ./cmd/portico

dist: ## Build archives, packages, sums and lists of materials of a release into dist/
	@.ci/dist

test-dist: ## Hold what "make dist" makes to what it promises
	@.ci/test-dist

bench: ## Run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-server: build ## Measure a whole server from outside: CPU, start, memory, p99 under a flood of sign-ins
	$(GO) run ./cmd/portico-bench -binary $(BINARY) -rounds 5

bench-peers: ## Measure Portico on both engines and npm's oidc-provider by turns, BENCH_ROUNDS times with each of BENCH_CLIENTS at once, into docs/benchmarks.md
	for clients in $(BENCH_CLIENTS); do PORTICO_TEST_POSTGRES_DURABLE=1 PORTICO_BENCH_ROUNDS=$(BENCH_ROUNDS) PORTICO_BENCH_CLIENTS=$$clients \
		PORTICO_BENCH_TABLE=$(CURDIR)/docs/benchmarks.md $(GO) test -count=1 -v -timeout 60m -tags validator_novalidatefn,portico_libcrypto \
		-run '^TestEveryProviderIsAskedTheSameByTurns$$' ./cmd/portico-bench || exit 1; done

bench-check: build ## Fail when a request costs 15 % more processor time than cmd/portico-bench/recorded.json has
	$(GO) run ./cmd/portico-bench -binary $(BINARY) -rounds 5 -check cmd/portico-bench/recorded.json

soak-pages: ## Look at every page in five languages, wide and narrow, light and dark, and click each form twice: the part SOAK_PAGES, as in 3/8
	PORTICO_SOAK_PAGES=$(SOAK_PAGES) $(GO) test -count=1 -v -timeout 60m -run '^Test(EveryPageIsAccessible|ASecondClick)' ./cmd/portico/internal/e2e

soak-folder: ## Page through a folder of SOAK_FOLDER files as a person does, on both engines
	PORTICO_SOAK_FOLDER=$(SOAK_FOLDER) $(GO) test -count=1 -v -timeout 30m -run '^TestAFolderOfVeryMany' ./cmd/portico/internal/e2e

soak-zip: $(GATEWAY) ## Download a folder of 70 000 files, 5 GB, as a ZIP file that is cut off on the way, on both engines (12 GB free)
	PORTICO_SOAK_PACKED=70000 $(GO) test -count=1 -v -timeout 60m -run '^TestAFolderOfVeryManyFilesIsOneZIP' ./cmd/portico/internal/e2e

soak-signing: ## Compare SOAK_SIGNATURES signatures by the system's OpenSSL with Go's; a second run goes on where one was ended
	PORTICO_SOAK_SIGNATURES=$(SOAK_SIGNATURES) PORTICO_SOAK_STATE=$(CURDIR)/.cache/soak-signing $(GO) test -count=1 -v -timeout 3h \
		-tags validator_novalidatefn,portico_libcrypto -run '^TestRandomDigests' ./internal/gate/signing/libcrypto

soak-fuzz: ## Run every fuzz target for SOAK_FUZZ_TIME
	.ci/fuzz $(SOAK_FUZZ_TIME)

soak-rows: ## Sweep SOAK_ROWS expired rows of each kind away, twice, on both engines
	PORTICO_SOAK_ROWS=$(SOAK_ROWS) $(GO) test -count=1 -v -timeout 30m -run '^TestSweeps' ./storage/sqlstore

soak-kill: ## Kill the server in the middle of 500 code flows, on both engines
	PORTICO_SOAK_FLOWS=500 $(GO) test -count=1 -v -timeout 30m -run '^TestAKilledServerLoses' ./cmd/portico/internal/e2e

soak-tree: ## Compare 10 000 changes of a tree with its model, let two processes make as many, page through 100 000 items
	PORTICO_TREE_STEPS=10000 PORTICO_PAGING_ITEMS=100000 $(GO) test -count=1 -v -timeout 60m \
		-run '^Test(TheTreeIsAsItsModel|WorkersOfTwoProcesses|PagesUnderWriters)' ./storage/sqlstore

soak-replicas: ## Use three servers behind HAProxy for SOAK_REPLICAS seconds: killed, upgraded and back, their database killed and its host lost
	PORTICO_SOAK_REPLICAS=$(SOAK_REPLICAS) $(GO) test -count=1 -v -timeout 60m \
		-run '^Test(ReplicasLoseNothing|WhatIsTakenAwayIsSoOnEvery|AHostThatVanishes|ADatabaseThat|AnObjectStoreThatIsIll)' ./cmd/portico/internal/e2e

soak-narrowings: ## Take away all that was issued in every way on both engines, and see it end on a second server
	PORTICO_SOAK_NARROWINGS=1 $(GO) test -count=1 -v -timeout 60m -run '^TestWhatIsTakenAwayActs' ./cmd/portico/internal/e2e

soak-race: ## Use everything at once on both engines under the race detector
	PORTICO_SOAK_RACE=1 CGO_ENABLED=1 $(GO) test -count=1 -v -race -timeout 60m -run '^TestEverythingIsUsedAtOnce$$' ./cmd/portico/internal/e2e

soak-memory: ## Let SOAK_CROWD people sign in and as many files come at once, in 150 MB
	PORTICO_SOAK_MEMORY=$(SOAK_CROWD) $(GO) test -count=1 -v -timeout 30m -run '^TestACrowdFitsIntoLittleMemory$$' ./cmd/portico/internal/e2e

soak-scim: ## Fill and empty a group of 10 000 people by SCIM
	PORTICO_SOAK_SCIM=1 $(GO) test -count=1 -v -run '^TestALargeGroupIsFilledAndEmptiedByOneCallEach$$' ./provider/scim

soak-import: ## Let 10 000 people and 500 apps move in from each form, on both engines, and kill it in the middle
	PORTICO_SOAK_IMPORT=1 $(GO) test -count=1 -v -timeout 60m -run '^Test(ManyMoveInFromEveryForm|AKilledMoveLeavesNothingOrAll)$$' ./cmd/portico/internal/e2e

soak-directory: ## Let 10 000 people in 500 groups arrive by a directory (LDAP), on both engines
	PORTICO_SOAK_DIRECTORY=1 $(GO) test -count=1 -v -timeout 60m -run '^TestACrowdArrivesByADirectory$$' ./provider/directory

soak-federation: ## Let 10 000 people in 500 groups arrive at a server by SCIM and by LDAP, beside tokens; switch a directory off 50 times; let upstreams stall
	PORTICO_SOAK_FEDERATION=1 $(GO) test -count=1 -v -timeout 60m -run '$(SOAK_FEDERATION)' ./cmd/portico/internal/e2e

soak-flat: ## Watch the memory of a server under mixed load for SOAK_FLAT seconds
	PORTICO_SOAK_FLAT=$(SOAK_FLAT) $(GO) test -count=1 -v -timeout 60m -run '^TestMemoryStaysFlat' ./cmd/portico/internal/e2e

soak-feed: ## Let 16 writers and 4 readers use the change feed for SOAK_FEED_SECONDS, on both engines, and kill the server twice
	PORTICO_SOAK_FEED=$(SOAK_FEED_SECONDS) $(GO) test -count=1 -v -timeout 30m -run '^TestEveryReaderOfTheFeed' ./cmd/portico/internal/e2e

soak-disk: ## Let the disk of SQLite's file fail for a while, and then cut the power (root on Linux, 300 MB of memory)
	PORTICO_SOAK_DISK=1 $(GO) test -count=1 -v -timeout 30m -run '^TestNothingThatWasCalledKeptIsLost' ./storage/sqlstore/engine

soak-kill-tree: ## Kill the server in the middle of 500 changes of a tree, on both engines
	PORTICO_SOAK_CHANGES=500 $(GO) test -count=1 -v -timeout 30m -run '^TestAKilledServerKeepsEvery' ./cmd/portico/internal/e2e

soak-bytes: $(GATEWAY) ## Upload 5 GB, by command and by browser, while the server is killed (20 GB free), then kill it 1 000 times under small uploads
	PORTICO_SOAK_MEGABYTES=$(SOAK_MEGABYTES) $(GO) test -count=1 -v -timeout 90m -run '^Test(ALargeUpload|AFileThatABrowserSends)' ./cmd/portico/internal/e2e
	PORTICO_SOAK_KILLS=$(SOAK_KILLS) $(GO) test -count=1 -v -timeout 90m -run '^TestAKilledServerHasTheBytes' ./cmd/portico/internal/e2e

soak-twins: $(GATEWAY) ## Kill the server for SOAK_OUTAGE seconds under documents whose originals change, and in the middle of an import
	PORTICO_SOAK_OUTAGE=$(SOAK_OUTAGE) $(GO) test -count=1 -v -timeout 30m -run '^TestADocumentHasTheNewBytes|^TestAKilledImport' ./cmd/portico/internal/e2e

soak-backup: $(GATEWAY) ## Kill backups and restores SOAK_BACKUP times in each place, then keep 1 M people and 10 GB and bring them back (40 GB free)
	PORTICO_SOAK_BACKUP=$(SOAK_BACKUP) $(GO) test -count=1 -v -timeout 60m -run '^TestKilledBackups' ./cmd/portico/internal/e2e
	PORTICO_SOAK_BACKUP_PEOPLE=$(SOAK_BACKUP_PEOPLE) PORTICO_SOAK_BACKUP_MEGABYTES=$(SOAK_BACKUP_MEGABYTES) \
		$(GO) test -count=1 -v -timeout 60m -run '^TestALargeBackup' ./cmd/portico/internal/e2e
