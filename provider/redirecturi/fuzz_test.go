package redirecturi_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
)

var clientTypes = []storage.ClientType{web, native, spa, storage.ClientService}

// What can be registered is an absolute URI without the parts that attacks
// are made of, and a browser can go there safely.
func FuzzCheckRegistration(f *testing.F) {
	for _, seed := range []string{"https://app.example.com/cb?x=1", "http://127.0.0.1:1/", "com.example.app:/cb",
		"javascript:x", "https://a@b/", "http://[::1%25x]/", "https://a:b/", "//x", "https://a/#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, clientType := range clientTypes {
			err := redirecturi.CheckRegistration(raw, clientType)
			if err != nil {
				if !fault.Is(err, fault.Invalid) || fault.From(err).Reason == "" || fault.From(err).Detail == "" {
					t.Fatalf("unclassified error %v", err)
				}
				continue
			}
			u, parseErr := url.Parse(raw)
			if parseErr != nil || !u.IsAbs() || u.User != nil || u.Fragment != "" || u.Opaque != "" ||
				strings.ContainsAny(raw, "*#\\ \"<>\x00\n") {
				t.Fatalf("%q went through for %s", raw, clientType)
			}
			if u.Scheme == "http" && !redirecturi.IsLoopbackOrPrivate(raw) || u.Scheme != "http" &&
				u.Scheme != "https" && clientType != native {
				t.Fatalf("%q went through for %s", raw, clientType)
			}
			if !redirecturi.Match([]string{raw}, raw, clientType) {
				t.Fatalf("%q does not match itself", raw)
			}
		}
	})
}

// A match has the scheme, host, path and query that were registered, and no
// user or fragment; the port differs only on a native client's loopback.
func FuzzMatch(f *testing.F) {
	seeds := []string{"https://app.example.com/cb", "http://127.0.0.1/cb", "http://127.0.0.1:8080/cb",
		"http://[::1]:1/cb?x", "http://127.0.0.1:80@evil.example/cb", "http://127.0.0.1.evil.example/", "http://localhost:1/"}
	for _, a := range seeds {
		for _, b := range seeds {
			f.Add(a, b)
		}
	}
	f.Fuzz(func(t *testing.T, registered, requested string) {
		for _, clientType := range clientTypes {
			if redirecturi.CheckRegistration(registered, clientType) != nil ||
				!redirecturi.Match([]string{registered}, requested, clientType) {
				continue
			}
			want, _ := url.Parse(registered)
			got, err := url.Parse(requested)
			if err != nil {
				t.Fatalf("%q matches %q and can't be parsed", requested, registered)
			}
			if got.Scheme != want.Scheme || got.Hostname() != want.Hostname() || got.EscapedPath() != want.EscapedPath() ||
				got.RawQuery != want.RawQuery || got.User != nil || got.Fragment != "" {
				t.Fatalf("%q matches %q", requested, registered)
			}
			loopback := clientType == native && want.Scheme == "http"
			if got.Port() != want.Port() && !loopback {
				t.Fatalf("the port of %q matches %q", requested, registered)
			}
		}
	})
}
