package e2e

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// installed returns the folder of .cache that a lock of testdata was installed
// into, by .ci/setup or .ci/others.
func installed(t *testing.T, name, lock string) string {
	t.Helper()
	dir, err := filepath.Abs("../../../../.cache/" + name)
	if err != nil {
		t.Fatal(err)
	}
	want := must(os.ReadFile(filepath.Join("testdata", name, lock)))
	if got, _ := os.ReadFile(filepath.Join(dir, lock)); !bytes.Equal(want, got) {
		t.Fatalf("what testdata/%s/%s names is not installed: run .ci/setup, or .ci/others for make test-others; go test -short leaves out what needs it", name, lock)
	}
	return dir
}

// onlyOthers skips what takes programs too large for `make test`.
func onlyOthers(t *testing.T) {
	t.Helper()
	if os.Getenv("PORTICO_OTHERS") == "" {
		t.Skip("make test-others runs this")
	}
}

// lay writes files into a folder, whose names may have folders of their own.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// usage is how a person uses an application that others wrote.
type usage struct {
	client client
	enter  func() (page, error)     // goes where somebody has to be signed in
	see    func(page) (page, error) // from there to what shows the person; nil: it does
	shows  string                   // what that has of the person
	leave  func() (page, error)
	bye    string // where that ends, as registered
}

// uses signs in to the application, out again, and in again once its secret
// has become a wrong one, which must not succeed.
func (v *visitor) uses(u usage) {
	v.Helper()
	if home, err := v.signsIn(u); err != nil || home.Status != http.StatusOK || !strings.Contains(home.Body, u.shows) {
		v.Errorf("signed in: %v, %d at %s (%v): %s", err, home.Status, home.At, home.Away, home.Body)
	}
	v.signsOut(u)
	v.newSecret(u.client)
	if home, err := v.signsIn(u); err == nil && strings.Contains(home.Body, u.shows) {
		v.Errorf("signed in with a wrong secret: %d at %s: %s", home.Status, home.At, home.Body)
	}
}

func (v *visitor) signsIn(u usage) (page, error) {
	p, err := v.through(u.enter())
	if err == nil && u.see != nil {
		return u.see(p)
	}
	return p, err
}

// signsOut must end at the registered address with nobody signed in any more,
// there and here.
func (v *visitor) signsOut(u usage) {
	v.Helper()
	p, err := u.leave()
	if err == nil && strings.HasPrefix(p.At.String(), v.URL+logoutPath) {
		p, err = v.submit(p, "signout-form", nil) // no ID token came along
	}
	v.must(err)
	if p.Status != http.StatusOK || p.At.String() != u.bye {
		v.Errorf("signing out ends with %d at %s (%v): %s", p.Status, p.At, p.Away, p.Body)
	}
	if again, err := u.enter(); err != nil || !strings.HasPrefix(again.At.String(), v.URL+"/login") {
		v.Errorf("signed out, one enters at %v, %v", again.At, err)
	}
}

// presses opens a page and sends the form on it that has no id.
func (v *visitor) presses(address string) (page, error) {
	p, err := v.open(address)
	if err != nil {
		return page{}, err
	}
	return v.submit(p, "", nil)
}

// newSecret gives a client another secret, and waits until its former one is wrong.
func (s *site) newSecret(c client) {
	s.Helper()
	s.command("", "client", "rotate-secret", c.ID, "--drop-others", "--yes")
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if s.send(introspectPath, c, "token", "x").Status == http.StatusUnauthorized {
			return
		}
	}
	s.Fatal("the former secret stays good")
}
