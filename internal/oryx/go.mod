// What fosite takes of github.com/ory/x, and nothing else: see README.md.
module github.com/ory/x

go 1.26.0

require (
	go.opentelemetry.io/otel v1.44.0
	go.opentelemetry.io/otel/trace v1.44.0
)

require github.com/cespare/xxhash/v2 v2.3.0 // indirect
