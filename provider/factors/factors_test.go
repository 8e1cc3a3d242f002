package factors_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/storage"
)

func ringOf(t *testing.T, secret string) *sealing.Ring {
	t.Helper()
	ring, err := sealing.New([]byte(strings.Repeat(secret, 32)), nil, ambient.System())
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// Rule: BRAND-2
func TestAnAuthenticatorIsCalledAsTheServerIsAtTheMoment(t *testing.T) {
	name := "Portico"
	f := factors.New(factors.Options{Ambient: ambient.System(), Ring: ringOf(t, "a"),
		Name: func() string { return name }})
	for _, name = range []string{"Portico", "Weber & Söhne"} {
		e := f.Begin(storage.User{ID: "U1", Email: "u+1@example.test"}, "")
		uri, err := url.Parse(e.URI)
		if err != nil || uri.Query().Get("issuer") != name || uri.Path != "/"+name+":u+1@example.test" ||
			strings.Contains(e.URI, "+") { // some apps take that for a space, and others show it for one
			t.Errorf("%s, %v", e.URI, err)
		}
	}
}
