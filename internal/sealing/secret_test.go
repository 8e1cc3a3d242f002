package sealing_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/sealing"
)

// Rule: SERVER-17
func TestSecretCannotBePrinted(t *testing.T) {
	const hidden = "hunter2-hunter2"
	secret := sealing.Secret(hidden)
	inside := struct {
		Name   string
		Secret sealing.Secret
	}{"x", secret}

	var printed []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
		printed = append(printed, fmt.Sprintf(verb, secret), fmt.Sprintf(verb, inside),
			fmt.Sprintf(verb, []sealing.Secret{secret}))
	}
	body, err := json.Marshal(map[string]any{"a": secret, "b": inside})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("m", "secret", secret, "inside", inside)
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("m", "secret", secret, "inside", inside)
	text, _ := secret.MarshalText()
	printed = append(printed, string(body), logged.String(), string(text), secret.String(), secret.GoString())

	for _, p := range printed {
		if strings.Contains(p, hidden) || strings.Contains(p, fmt.Sprintf("%x", hidden)) {
			t.Errorf("the secret shows in %s", p)
		}
	}
	if secret.Reveal() != hidden {
		t.Error("Reveal does not give the secret")
	}
}

func TestSecretCanBeReadFromJSON(t *testing.T) {
	var secret sealing.Secret
	if err := json.Unmarshal([]byte(`"abc"`), &secret); err != nil || secret.Reveal() != "abc" {
		t.Errorf("Unmarshal = %q, %v", secret.Reveal(), err)
	}
}
