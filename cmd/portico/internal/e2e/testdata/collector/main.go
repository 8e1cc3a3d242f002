// Command collector is what the Collector of OpenTelemetry takes traces with, its OTLP
// receiver, and nothing else of it. What it understood it writes as OpenTelemetry's own
// library does and sends on: to otlptest. The Makefile builds it by a go.mod of its own, so
// that its dependencies stay out of the product's and the tools'.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	metrics "go.opentelemetry.io/otel/metric/noop"
	traces "go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: collector ADDRESS URL")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// serve receives at the address and sends on to the URL, until ctx ends.
func serve(ctx context.Context, address, url string) error {
	next, err := consumer.NewTraces(func(ctx context.Context, all ptrace.Traces) error { return sendOn(ctx, url, all) })
	if err != nil {
		return err
	}
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	settings := map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": address}}}
	if err := confmap.NewFromStringMap(settings).Unmarshal(config); err != nil {
		return err
	}
	r, err := factory.CreateTraces(ctx, receiver.Settings{
		ID: component.NewID(factory.Type()), BuildInfo: component.NewDefaultBuildInfo(),
		TelemetrySettings: component.TelemetrySettings{
			Logger: zap.NewNop(), TracerProvider: traces.NewTracerProvider(), MeterProvider: metrics.NewMeterProvider()},
	}, config, next)
	if err != nil {
		return err
	}
	if err := r.Start(ctx, alone{}); err != nil {
		return err
	}
	<-ctx.Done()
	return r.Shutdown(context.WithoutCancel(ctx))
}

// alone is a host without extensions.
type alone struct{}

func (alone) GetExtensions() map[component.ID]component.Component { return nil }

func sendOn(ctx context.Context, url string, all ptrace.Traces) error {
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(all)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return nil
}
