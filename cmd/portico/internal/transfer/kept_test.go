package transfer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/transfer"
	"github.com/portico-id/portico/internal/ambient"
)

// keptAt is a file with a sign-in whose access token has ended, at a server that takes
// each refresh token once.
func keptAt(t *testing.T) (file string, base *url.URL, renewed *int) {
	t.Helper()
	var mu sync.Mutex
	renewed = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.FormValue("refresh_token") != fmt.Sprint("refresh", *renewed) || r.FormValue("client_id") != "line" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"error":"invalid_grant"}`)
			return
		}
		*renewed++
		_, _ = fmt.Fprintf(w, `{"access_token":"access%d","refresh_token":"refresh%d","expires_in":3600}`, *renewed, *renewed)
	}))
	t.Cleanup(server.Close)
	file = filepath.Join(t.TempDir(), "portico", "login.json")
	s := transfer.SignedIn{Server: server.URL, ClientID: "line", Access: "access0", Refresh: "refresh0"}
	if err := s.Write(file); err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return file, base, renewed
}

// Rule: OBJ-56
func TestOfManyCommandsOneRenewsTheSignIn(t *testing.T) {
	file, base, renewed := keptAt(t)
	all := sync.WaitGroup{}
	for range 16 {
		kept := &transfer.Kept{File: file, Ambient: ambient.System()} // as processes have it: each its own
		all.Go(func() {
			if got, err := kept.Token(t.Context(), http.DefaultClient, base, ""); got != "access1" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	all.Wait()
	if *renewed != 1 {
		t.Errorf("renewed %d times", *renewed)
	}
	kept := &transfer.Kept{File: file, Ambient: ambient.System()}
	if got, err := kept.Token(t.Context(), http.DefaultClient, base, "access1"); got != "access2" || err != nil {
		t.Errorf("one that the server does not take: %q, %v", got, err)
	}
	s, found, err := transfer.ReadSignedIn(file)
	if err != nil || !found || s.Refresh != "refresh2" || time.Until(s.Ends) < 50*time.Minute {
		t.Errorf("%+v, %v, %v", s, found, err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Rule: OBJ-56
func TestASignInIsForItsServerAlone(t *testing.T) {
	file, base, renewed := keptAt(t)
	kept := &transfer.Kept{File: file, Ambient: ambient.System()}
	other := &url.URL{Scheme: "https", Host: "id.example.test"}
	if got, err := kept.Token(t.Context(), http.DefaultClient, other, ""); got != "" || err == nil {
		t.Errorf("%q for another server", got)
	}
	if *renewed != 0 {
		t.Error("renewed for another server")
	}
	if got, err := kept.Token(t.Context(), http.DefaultClient, base, ""); got != "access1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got, err := kept.Token(t.Context(), http.DefaultClient, base, ""); got != "" || err == nil {
		t.Errorf("%q without a sign-in", got)
	}
}

// Rule: OBJ-56
func TestANewSignInEndsTheOneBefore(t *testing.T) {
	ended := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ended <- r.URL.Path + " " + r.FormValue("token") + " " + r.FormValue("client_id")
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "portico", "login.json")
	for _, refresh := range []string{"first", "second"} {
		s := transfer.SignedIn{Server: server.URL, ClientID: "line", Access: "a", Refresh: refresh}
		if left, err := s.Replace(t.Context(), file); left != "" || err != nil {
			t.Fatal(left, err)
		}
		if now, _, err := transfer.ReadSignedIn(file); err != nil || now.Refresh != refresh {
			t.Errorf("%+v, %v", now, err)
		}
	}
	close(ended)
	if got := <-ended; got != "/authentication/v2/revoke first line" {
		t.Errorf("ended %q", got)
	}
	if more, open := <-ended; open {
		t.Errorf("and %q", more)
	}
}

// Rule: OBJ-56
func TestASignInThatCanBeKeptNowhereIsEnded(t *testing.T) {
	ended := ""
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ended += r.URL.Path + " " + r.FormValue("token") + " "
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := transfer.SignedIn{Server: server.URL, ClientID: "line", Access: "a", Refresh: "new"}
	if err := os.Mkdir(file+"-login", 0o700); err != nil { // a folder, which no file takes the place of
		t.Fatal(err)
	}
	for _, to := range []string{filepath.Join(file, "login.json"), file + "-login"} {
		_, err := s.Replace(t.Context(), to)
		if want := "/authentication/v2/revoke new "; err == nil || ended != want {
			t.Errorf("%s: %v, ended %q", to, err, ended)
		}
		ended = ""
	}
}

// Whose former server is gone is signed in at the new one all the same, and told of the other.
//
// Rule: OBJ-56
func TestASignInIsKeptThoughTheOneBeforeCanNotBeEnded(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	file := filepath.Join(t.TempDir(), "login.json")
	before := transfer.SignedIn{Server: gone.URL, ClientID: "line", Refresh: "before"}
	if err := before.Write(file); err != nil {
		t.Fatal(err)
	}
	now := transfer.SignedIn{Server: "https://id.example.test", ClientID: "line", Refresh: "now"}
	left, err := now.Replace(t.Context(), file)
	if left != gone.URL || err != nil {
		t.Errorf("left at %q, %v", left, err)
	}
	if kept, _, err := transfer.ReadSignedIn(file); kept.Refresh != "now" || err != nil {
		t.Errorf("%+v is kept, %v", kept, err)
	}
}
