package sealing

import (
	"fmt"
	"io"
	"log/slog"
)

// Redacted is what a Secret says when it is printed.
const Redacted = "[redacted]"

// Secret is text that can't be printed: the verbs of fmt (except %p, which go
// vet refuses here), slog, JSON and YAML show Redacted instead. Only Reveal
// gives it away.
//
// Keep secrets in exported fields: fmt asks no methods of unexported ones and
// would print what is in them.
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns Redacted.
func (s Secret) String() string { return Redacted }

// GoString returns Redacted.
func (s Secret) GoString() string { return Redacted }

// Format writes Redacted for every verb; without it a wrong verb such as %d
// would print the text beside its complaint.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, Redacted) }

// LogValue returns Redacted.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalJSON returns Redacted as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + Redacted + `"`), nil }

// MarshalText returns Redacted.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }
