package app

import (
	"context"
	"log/slog"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/metrics"
	"github.com/portico-id/portico/internal/tracing"
)

// newTracer sends traces where the configuration says; nil: nowhere.
func newTracer(c config.Config, source *ambient.Source, log *slog.Logger) *tracing.Tracer {
	return tracing.New(tracing.Options{URL: c.TracesURL, Share: c.TracesShare, Version: version.Number,
		Source: source, Log: log, Cause: fault.Cause})
}

// spans are the parts of traces that went to the collector.
func (p *parts) spans() metrics.Source {
	return metrics.Source{
		Of: []metrics.Reading{{Name: "trace_spans_total", Label: "result", Total: true,
			Help: "Parts of traces: those that the collector took (sent) and those that it did not, or that there was no room for (lost)."}},
		Read: func(context.Context) ([]map[string]float64, error) {
			sent, lost := p.tracer.Counts()
			return []map[string]float64{{"sent": float64(sent), "lost": float64(lost)}}, nil
		},
	}
}
