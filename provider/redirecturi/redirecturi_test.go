package redirecturi_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
)

const (
	web    = storage.ClientWeb
	native = storage.ClientNative
	spa    = storage.ClientSPA
)

// Rule: AUTH-2
func TestRegistrationAccepts(t *testing.T) {
	tests := []struct {
		uri        string
		clientType storage.ClientType
	}{
		{"https://app.example.com/callback", web},
		{"https://app.example.com", web},
		{"https://app.example.com:8443/cb?tenant=a%20b&x=1", web},
		{"https://[2001:db8::1]/cb", web},
		{"http://localhost:3000/cb", spa},
		{"http://127.0.0.1/cb", native},
		{"http://[::1]:9000/cb", native},
		{"https://app.example.com/cb", native},
		{"com.example.app:/callback", native},
		{"com.example.app://callback", native},
		{"https://xn--caf-dma.example/cb", spa},
		{"https://app.example.com/" + strings.Repeat("x", redirecturi.MaxLength-24-1), web},
	}
	for _, tt := range tests {
		if err := redirecturi.CheckRegistration(tt.uri, tt.clientType); err != nil {
			t.Errorf("%s for %s: %v", tt.uri, tt.clientType, err)
		}
	}
}

// Rule: AUTH-2
func TestRegistrationRefuses(t *testing.T) {
	tests := map[string]struct {
		uri        string
		clientType storage.ClientType
		reason     string
	}{
		"nothing":                   {"", web, redirecturi.ReasonMalformed},
		"a relative address":        {"/callback", web, redirecturi.ReasonMalformed},
		"an address without scheme": {"app.example.com/cb", web, redirecturi.ReasonMalformed},
		"an address without host":   {"https:///cb", web, redirecturi.ReasonMalformed},
		"a port without host":       {"https://:443/cb", web, redirecturi.ReasonMalformed},
		"an opaque address":         {"https:app.example.com", web, redirecturi.ReasonMalformed},
		"more than 2000 characters": {"https://app.example.com/" + strings.Repeat("x", redirecturi.MaxLength),
			web, redirecturi.ReasonMalformed},
		"a fragment":                           {"https://app.example.com/cb#x", web, redirecturi.ReasonFragment},
		"an empty fragment":                    {"https://app.example.com/cb#", web, redirecturi.ReasonFragment},
		"a user":                               {"https://me@app.example.com/cb", web, redirecturi.ReasonUserInfo},
		"an empty user":                        {"https://@app.example.com/cb", web, redirecturi.ReasonUserInfo},
		"a user on loopback":                   {"http://x@127.0.0.1/cb", native, redirecturi.ReasonUserInfo},
		"a wildcard host":                      {"https://*.example.com/cb", web, redirecturi.ReasonPattern},
		"a wildcard path":                      {"https://app.example.com/*", web, redirecturi.ReasonPattern},
		"a wildcard scheme":                    {"*://app.example.com/cb", web, redirecturi.ReasonPattern},
		"plain http":                           {"http://app.example.com/cb", web, redirecturi.ReasonScheme},
		"plain http for native clients":        {"http://app.example.com/cb", native, redirecturi.ReasonScheme},
		"plain http beyond the two literals":   {"http://127.0.0.2/cb", native, redirecturi.ReasonScheme},
		"a name that begins like localhost":    {"http://localhost.example.com/cb", web, redirecturi.ReasonScheme},
		"javascript":                           {"javascript:alert(1)", native, redirecturi.ReasonScheme},
		"javascript for web clients":           {"javascript://app.example.com/%0aalert(1)", web, redirecturi.ReasonScheme},
		"data":                                 {"data:text/html,x", native, redirecturi.ReasonScheme},
		"vbscript":                             {"vbscript:x", spa, redirecturi.ReasonScheme},
		"file":                                 {"file:///etc/hosts", native, redirecturi.ReasonScheme},
		"a private scheme without a dot":       {"myapp:/cb", native, redirecturi.ReasonScheme},
		"a private scheme with an empty label": {"myapp.:/cb", native, redirecturi.ReasonScheme},
		"a private scheme for web clients":     {"com.example.app:/cb", web, redirecturi.ReasonScheme},
		"a private scheme for spa clients":     {"com.example.app:/cb", spa, redirecturi.ReasonScheme},
		"a private scheme without a path":      {"com.example.app:", native, redirecturi.ReasonMalformed},
		"an opaque private address":            {"com.example.app:cb", native, redirecturi.ReasonMalformed},
		"a space":                              {"https://app.example.com/c b", web, redirecturi.ReasonMalformed},
		"a space around it":                    {" https://app.example.com/cb", web, redirecturi.ReasonMalformed},
		"a control character":                  {"https://app.example.com/\r\ncb", web, redirecturi.ReasonMalformed},
		"a backslash":                          {`https://app.example.com\@evil.example/`, web, redirecturi.ReasonMalformed},
		"a letter outside ASCII":               {"https://café.example/cb", web, redirecturi.ReasonMalformed},
		"a broken percent encoding":            {"https://app.example.com/%zz", web, redirecturi.ReasonMalformed},
		"an encoded host":                      {"https://app%2eexample.com/cb", web, redirecturi.ReasonMalformed},
		"an IPv6 zone":                         {"https://[fe80::1%25eth0]/cb", web, redirecturi.ReasonMalformed},
		"port 0":                               {"https://app.example.com:0/cb", web, redirecturi.ReasonMalformed},
		"port 65536":                           {"https://app.example.com:65536/cb", web, redirecturi.ReasonMalformed},
		"an empty port":                        {"https://app.example.com:/cb", web, redirecturi.ReasonMalformed},
		"a scheme in upper case":               {"HTTPS://app.example.com/cb", web, redirecturi.ReasonMalformed},
		"a parameter the answer sets":          {"https://app.example.com/cb?a=1&code=x", web, redirecturi.ReasonParameter},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := redirecturi.CheckRegistration(tt.uri, tt.clientType)
			if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, tt.reason) {
				t.Fatalf("%q: got %v, want reason %s", tt.uri, err, tt.reason)
			}
			if source := fault.From(err).Source; source != redirecturi.FieldRedirect {
				t.Errorf("the fault is at %q", source)
			}
			if err := redirecturi.CheckPostLogout(tt.uri, tt.clientType); fault.From(err) == nil ||
				fault.From(err).Source != redirecturi.FieldPostLogout {
				t.Errorf("after logout it is accepted: %v", err)
			}
		})
	}
}

// Rule: AUTH-1
func TestMatchIsByteEqual(t *testing.T) {
	registered := []string{"https://app.example.com/cb?a=1&b=2", "http://localhost:3000/cb"}
	for _, uri := range registered {
		if !redirecturi.Match(registered, uri, web) {
			t.Errorf("%s does not match itself", uri)
		}
	}
	for _, uri := range []string{
		"", "https://app.example.com/cb", "https://app.example.com/cb?b=2&a=1", "https://app.example.com/cb?a=1&b=2&c=3",
		"https://app.example.com/cb/?a=1&b=2", "https://app.example.com/cb?a=1&b=2#", "https://APP.example.com/cb?a=1&b=2",
		"https://app.example.com:443/cb?a=1&b=2", "http://app.example.com/cb?a=1&b=2",
		"https://app.example.com/x/../cb?a=1&b=2",
		"https://app.example.com/%63b?a=1&b=2", "https://app.example.com.evil.example/cb?a=1&b=2",
		"https://x@app.example.com/cb?a=1&b=2",
		"http://localhost:3001/cb", "http://localhost/cb", "http://127.0.0.1:3000/cb",
	} {
		for _, clientType := range []storage.ClientType{web, native, spa} {
			free := clientType == native && (uri == "http://localhost:3001/cb" || uri == "http://localhost/cb")
			if redirecturi.Match(registered, uri, clientType) != free {
				t.Errorf("%q matches for %s", uri, clientType)
			}
		}
	}
}

// Rule: AUTH-1
func TestMatchPassesOverThePortOfALoopbackLiteralOfNativeClients(t *testing.T) {
	registered := []string{"http://127.0.0.1/cb?a=1", "http://[::1]:9000/cb", "https://127.0.0.1/cb", "http://127.0.0.1",
		"http://localhost/callback"}
	for _, uri := range []string{
		"http://127.0.0.1/cb?a=1", "http://127.0.0.1:1/cb?a=1", "http://127.0.0.1:65535/cb?a=1",
		"http://[::1]/cb", "http://[::1]:5/cb", "http://127.0.0.1:8080", "http://localhost:58135/callback",
	} {
		if !redirecturi.Match(registered, uri, native) {
			t.Errorf("%q does not match", uri)
		}
	}
	if redirecturi.Match(registered, "http://127.0.0.1:1/cb?a=1", web) ||
		redirecturi.Match(registered, "http://127.0.0.1:1/cb?a=1", spa) {
		t.Error("the exception is for native clients")
	}
	for _, uri := range []string{
		"http://127.0.0.1:0/cb?a=1", "http://127.0.0.1:65536/cb?a=1", "http://127.0.0.1:/cb?a=1",
		"http://127.0.0.1:080/cb?a=1",
		"http://127.0.0.1:80@evil.example/cb?a=1", "http://127.0.0.1:@evil.example/cb?a=1", "http://user@127.0.0.1/cb?a=1",
		"http://127.0.0.1.evil.example/cb?a=1", "http://127.0.0.1:8080.evil.example/cb?a=1",
		"http://127.0.0.1:80\\@evil.example/cb?a=1",
		"https://127.0.0.1:8080/cb", "HTTP://127.0.0.1:8080/cb?a=1", "com.example.app://127.0.0.1:8080/cb?a=1",
		"http://127.0.0.1:8080/cb?a=2", "http://127.0.0.1:8080/cb", "http://127.0.0.1:8080/CB?a=1",
		"http://127.0.0.1:8080/cb?a=1#f",
		"http://localhost:8080/cb?a=1", "http://localhost:8080/callback/", "http://localhost.evil.example:1/callback",
		"http://localhost:80@evil.example/callback", "https://localhost:8080/callback", "http://127.1:8080/cb?a=1",
		"http://[::1]:5/cb?a=1", "http://[0:0:0:0:0:0:0:1]:5/cb",
	} {
		if redirecturi.Match(registered, uri, native) {
			t.Errorf("%q matches", uri)
		}
	}
}

func TestAnyProgramCanListenOnLoopbackAndPrivateSchemes(t *testing.T) {
	for uri, want := range map[string]bool{
		"http://127.0.0.1:1/cb": true, "http://[::1]/cb": true, "http://localhost/cb": true, "https://localhost/cb": true,
		"com.example.app:/cb": true, "%": true, "": true,
		"https://app.example.com/cb": false, "https://localhost.example.com/cb": false,
	} {
		if got := redirecturi.IsLoopbackOrPrivate(uri); got != want {
			t.Errorf("%q: %v", uri, got)
		}
	}
}

// Rule: CLIENT-6
func TestBackchannelAddressIsOneOfAWebServer(t *testing.T) {
	for _, uri := range []string{"https://app.example.com/logout?x=1", "http://127.0.0.1:9000/logout",
		"http://app.internal/logout"} {
		if err := redirecturi.CheckBackchannelLogout(uri, storage.ClientWeb); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{"", "https:///logout", "com.example.app:/logout", "https://app.example.com/#x"} {
		if err := redirecturi.CheckBackchannelLogout(uri, storage.ClientWeb); fault.From(err) == nil ||
			fault.From(err).Source != redirecturi.FieldBackchannel {
			t.Errorf("%q: got %v", uri, err)
		}
	}
}

// Rule: CLIENT-6
func TestAPublicClientIsToldOfLogoutsByHTTPSAlone(t *testing.T) {
	for _, public := range []storage.ClientType{storage.ClientSPA, storage.ClientNative} {
		if err := redirecturi.CheckBackchannelLogout("https://app.example.com/logout", public); err != nil {
			t.Errorf("%s: %v", public, err)
		}
		err := redirecturi.CheckBackchannelLogout("http://127.0.0.1:9000/logout", public)
		if f := fault.From(err); f == nil || f.Reason != redirecturi.ReasonScheme ||
			f.Source != redirecturi.FieldBackchannel {
			t.Errorf("%s: %v", public, err)
		}
	}
}

// Rule: PORTAL-6
func TestLinksOnPagesAreWebAddressesThatNobodyCanChangeOnTheWay(t *testing.T) {
	for uri, want := range map[string]bool{
		"https://app.example.com/privacy?lang=en": true, "http://localhost:3000/terms": true,
		"http://app.example.com/privacy": false, "javascript:alert(1)": false, "data:text/html,x": false,
		"//app.example.com": false, "https://user@app.example.com/": false, "": false, "com.example.app:/x": false,
	} {
		if err := redirecturi.CheckLink(uri); (err == nil) != want {
			t.Errorf("%q: %v", uri, err)
		}
	}
}
