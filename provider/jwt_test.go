package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// payload returns the claims of a JWT without judging it.
func payload(t testing.TB, token any) map[string]any {
	t.Helper()
	return part(t, token, 1)
}

func part(t testing.TB, token any, i int) map[string]any {
	t.Helper()
	text, _ := token.(string)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		t.Fatalf("no JWT: %v", token)
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[i])
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
