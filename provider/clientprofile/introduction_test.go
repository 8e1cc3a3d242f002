package clientprofile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// Rule: IDJAG-2
func TestWhereAnAppMayIntroducePeople(t *testing.T) {
	c := storage.Client{}
	c.IntroducesTo = []string{"https://a.example.test app", "https://b.example.test/tenant app read write"}
	for issuer, want := range map[string]*clientprofile.Introduction{
		"https://a.example.test": {Issuer: "https://a.example.test", ClientID: "app"},
		"https://b.example.test/tenant": {Issuer: "https://b.example.test/tenant", ClientID: "app",
			Scopes: []string{"read", "write"}},
		"https://b.example.test":  nil,
		"https://a.example.test/": nil,
		"":                        nil,
	} {
		got, may := clientprofile.IntroductionTo(c, issuer)
		if may != (want != nil) || may && cmp.Diff(*want, got) != "" {
			t.Errorf("%q: %v %+v", issuer, may, got)
		}
	}
	for name, lines := range map[string][]string{
		"no client":       {"https://a.example.test"},
		"no issuer":       {"app read"},
		"two spaces":      {"https://a.example.test  app"},
		"another scheme":  {"ftp://a.example.test app"},
		"a query":         {"https://a.example.test?x=1 app"},
		"a fragment":      {"https://a.example.test#x app"},
		"a name in it":    {"https://me@a.example.test app"},
		"no scope":        {"https://a.example.test app \"x\""},
		"the same server": {"https://a.example.test app", "https://a.example.test other"},
	} {
		if clientprofile.CheckIntroductions(lines) == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if err := clientprofile.CheckIntroductions(c.IntroducesTo); err != nil {
		t.Error(err)
	}
}
