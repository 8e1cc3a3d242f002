// Package otelx is what fosite uses of github.com/ory/x/otelx.
package otelx

import (
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// End ends the span, with the error that its function returns where there is one. It
// puts no error into words for a span that nobody records.
func End(span trace.Span, err *error) {
	defer span.End()
	if span.IsRecording() && err != nil && *err != nil {
		span.SetStatus(codes.Error, (*err).Error())
	}
}
