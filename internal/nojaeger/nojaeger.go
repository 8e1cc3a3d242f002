// Package jaegerremote stands in for a library that the OAuth framework links in and
// that nobody here can switch on: sampling rates that a Jaeger server would decide.
// The real one brings two libraries for protocol buffers, two megabytes of binary.
package jaegerremote

import "go.opentelemetry.io/otel/sdk/trace"

// Sampler decides what the sampler that it began with decides.
type Sampler struct{ trace.Sampler }

// Option is something about a new Sampler.
type Option func(*Sampler)

// New returns a sampler for a service.
func New(_ string, options ...Option) *Sampler {
	s := &Sampler{trace.AlwaysSample()}
	for _, set := range options {
		set(s)
	}
	return s
}

// WithInitialSampler says which sampler decides.
func WithInitialSampler(sampler trace.Sampler) Option {
	return func(s *Sampler) { s.Sampler = sampler }
}

// WithSamplingServerURL would say which server is asked.
func WithSamplingServerURL(string) Option { return func(*Sampler) {} }
