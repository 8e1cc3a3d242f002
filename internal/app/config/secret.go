package config

import (
	"fmt"
	"log/slog"
)

// Secret is text that must not be shown: every way of printing it says
// [redacted].
type Secret struct{ text string }

const redacted = "[redacted]"

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text, for whoever has to use it.
func (s Secret) Reveal() string { return s.text }

// Empty reports whether there is nothing to hide.
func (s Secret) Empty() bool { return s.text == "" }

// Equal reports whether two secrets are the same, for tests that compare
// whole configurations.
func (s Secret) Equal(other Secret) bool { return s == other }

// Format implements fmt.Formatter, for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText implements encoding.TextMarshaler, for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
