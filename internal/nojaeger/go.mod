module go.opentelemetry.io/contrib/samplers/jaegerremote

go 1.26.0

require go.opentelemetry.io/otel/sdk v1.44.0
