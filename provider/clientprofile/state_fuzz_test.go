package clientprofile_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// Whatever state is accepted can travel back in a URL, a form and a log line,
// and what the platform accepts the standard does as well.
func FuzzState(f *testing.F) {
	for _, seed := range []string{"", "abc,._-09", `"<>#&%`, "a b", "é", "\x00", "\r\n", "%0d%0a",
		strings.Repeat("x", 5000)} {
		f.Add(seed)
	}
	platform := clientprofile.Of(storage.Client{Profile: storage.ProfilePlatform})
	standard := clientprofile.Of(storage.Client{Profile: storage.ProfileStandard})
	f.Fuzz(func(t *testing.T, state string) {
		if standard.CheckState(state) == nil && strings.ContainsFunc(state, func(c rune) bool { return c < ' ' || c > '~' }) {
			t.Errorf("a standard client may send %q", state)
		}
		narrow := platform.CheckState(state) == nil
		if narrow && strings.ContainsAny(state, " \"'<>&?#%/\\=+") {
			t.Errorf("a platform client may send %q", state)
		}
		if narrow && standard.CheckState(state) != nil {
			t.Errorf("only a platform client may send %q", state)
		}
	})
}
