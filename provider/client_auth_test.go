package provider

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

func basic(pair string) http.Header {
	return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(pair))}}
}

// Rules: TOKEN-2, TOKEN-18
func TestReadCredentials(t *testing.T) {
	both := "invalid_request"
	cases := []struct {
		name   string
		header http.Header
		form   string
		want   credentials
		reason string
	}{
		{"Basic", basic("id:secret"), "", credentials{"id", "secret", "id", "secret", "", true, true}, ""},
		{"Basic, form-encoded as RFC 6749 wants", basic("suite%2Dbasic:s%2Bt"), "",
			credentials{"suite-basic", "s+t", "suite%2Dbasic", "s%2Bt", "", true, true}, ""},
		{"Basic, a raw percent sign", basic("id:100%"), "", credentials{"id", "100%", "id", "100%", "", true, true}, ""},
		{"Basic, the scheme in lower case", http.Header{"Authorization": {"basic " +
			base64.StdEncoding.EncodeToString([]byte("id:s"))}}, "",
			credentials{"id", "s", "id", "s", "", true, true}, ""},
		{"Basic, a colon in the secret", basic("id:a:b"), "", credentials{"id", "a:b", "id", "a:b", "", true, true}, ""},
		{"body", nil, "client_id=id&client_secret=secret", credentials{"id", "secret", "id", "secret", "", true, false}, ""},
		{"body without a secret: a public client", nil, "client_id=id", credentials{id: "id", rawID: "id"}, ""},
		{"body with an empty secret: it counts as not sent", nil, "client_id=id&client_secret=",
			credentials{id: "id", rawID: "id"}, ""},
		{"header and secret in the body", basic("id:secret"), "client_secret=secret", credentials{}, both},
		{"header and an id in the body", basic("id:secret"), "client_id=id",
			credentials{"id", "secret", "id", "secret", "id", true, true}, ""},
		{"Basic with an empty password: a public client", basic("id:"), "",
			credentials{id: "id", rawID: "id", inHeader: true}, ""},
		{"two headers", http.Header{"Authorization": {"Basic aWQ6cw==", "Basic aWQ6cw=="}}, "", credentials{}, both},
		{"nothing", nil, "", credentials{}, "invalid_client"},
		{"the word Bearer", http.Header{"Authorization": {"Bearer aWQ6cw=="}}, "", credentials{}, "invalid_client"},
		{"no base64", http.Header{"Authorization": {"Basic !"}}, "", credentials{}, "invalid_client"},
		{"no colon", basic("id"), "", credentials{}, "invalid_client"},
		{"U+0000, encoded", basic("%00:x"), "", credentials{}, "invalid_client"},
		{"U+0000, raw", basic("\x00:x"), "", credentials{}, "invalid_client"},
		{"invalid UTF-8, encoded", basic("%ff:x"), "", credentials{}, "invalid_client"},
		{"invalid UTF-8 in the secret", basic("id:\xff"), "", credentials{}, "invalid_client"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			form, err := url.ParseQuery(c.form)
			if err != nil {
				t.Fatal(err)
			}
			got, err := readCredentials(&http.Request{Header: c.header}, form)
			if c.reason != "" {
				if !fault.HasReason(err, c.reason) {
					t.Fatalf("got %+v, %v; want %s", got, err, c.reason)
				}
				return
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(credentials{})); diff != "" || err != nil {
				t.Errorf("error %v, (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Rule: TOKEN-26
func FuzzBasicHeader(f *testing.F) {
	for _, seed := range []string{"Basic aWQ6cw==", "basic  aWQ6cw== ", "Basic", "Bearer x", "Basic !!",
		"Basic " + strings.Repeat("A", 4000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got, err := readCredentials(&http.Request{Header: http.Header{"Authorization": {header}}}, nil)
		if err == nil && !got.inHeader {
			t.Errorf("%q: credentials from nowhere: %+v", header, got)
		}
		for _, part := range []string{got.id, got.secret, got.rawID, got.rawSecret} {
			if !httpio.IsText(part) {
				t.Errorf("%q: no text came of it: %q", header, part)
			}
		}
		if err != nil && got != (credentials{}) {
			t.Errorf("%q: refused, yet something came along", header)
		}
	})
}
