package sealing_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"pgregory.net/rapid"

	"github.com/portico-id/portico/internal/sealing"
)

// Rule: TOKEN-32
func TestBytesHaveOneSpelling(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"as written": {"_-8", "\xff\xef"}, "whole groups": {"AAAA", "\x00\x00\x00"}, "nothing": {"", ""},
	} {
		if got, err := sealing.Decode(tt.text); err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, text := range map[string]string{
		"spare bits of one byte": "AB", "spare bits of two": "AAB", "padding": "AA==", "one character too many": "AAAAA",
		"a line break behind": "AAAA\n", "a line break before": "\nAAAA", "a line break inside": "AA\nAA",
		"a carriage return":        "AAAA\r",
		"nothing but a line break": "\n", "a blank": "AAA ", "a tab": "AAA\t", "the other alphabet": "+/8",
		"a NUL": "AAA\x00", "é": "AAé",
	} {
		if got, err := sealing.Decode(text); err == nil {
			t.Errorf("%s: %q is read as %q", name, text, got)
		}
	}
}

func TestWhatIsReadIsWrittenTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[A-Za-z0-9_\-=+/\r\n ]{0,12}`).Draw(t, "text")
		if got, err := sealing.Decode(text); err == nil && base64.RawURLEncoding.EncodeToString(got) != text {
			t.Errorf("%q is read, and written %q", text, base64.RawURLEncoding.EncodeToString(got))
		}
		given := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		if got, err := sealing.Decode(base64.RawURLEncoding.EncodeToString(given)); err != nil || !bytes.Equal(got, given) {
			t.Errorf("%x comes back as %x, %v", given, got, err)
		}
	})
}
