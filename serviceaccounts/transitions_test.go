package serviceaccounts_test

import (
	"net/http"
	"testing"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// The table of S1 section 3, each row through the API: what is there, what is
// asked for, what comes of it. An empty status means that it is gone.
var accountTransitions = []struct {
	from, method, want string
	status             int
	to                 string
}{
	{"ENABLED", "PATCH", "DISABLED", 200, "DISABLED"},
	{"DISABLED", "PATCH", "ENABLED", 200, "ENABLED"},
	{"DEACTIVATED", "PATCH", "ENABLED", 200, "ENABLED"},
	{"DEACTIVATED", "PATCH", "DISABLED", 200, "DISABLED"},
	{"ENABLED", "PATCH", "ENABLED", 400, "ENABLED"},
	{"DISABLED", "PATCH", "DISABLED", 400, "DISABLED"},
	{"ENABLED", "PATCH", "DEACTIVATED", 400, "ENABLED"},
	{"DISABLED", "PATCH", "DEACTIVATED", 400, "DISABLED"},
	{"DEACTIVATED", "PATCH", "DEACTIVATED", 400, "DEACTIVATED"},
	{"ENABLED", "DELETE", "", 204, ""},
	{"DISABLED", "DELETE", "", 204, ""},
	{"DEACTIVATED", "DELETE", "", 204, ""},
}

var keyTransitions = []struct {
	account, from, method, want string
	status                      int
	to                          string
}{
	{"ENABLED", "ENABLED", "PATCH", "DISABLED", 204, "DISABLED"},
	{"ENABLED", "DISABLED", "PATCH", "ENABLED", 204, "ENABLED"},
	{"ENABLED", "ENABLED", "PATCH", "ENABLED", 400, "ENABLED"},
	{"ENABLED", "DISABLED", "PATCH", "DISABLED", 400, "DISABLED"},
	{"ENABLED", "ENABLED", "DELETE", "", 204, ""},
	{"ENABLED", "DISABLED", "DELETE", "", 204, ""},
	{"ENABLED", "ENABLED", "POST", "", 201, "ENABLED"},
	{"DISABLED", "ENABLED", "PATCH", "DISABLED", 400, "ENABLED"},
	{"DISABLED", "DISABLED", "PATCH", "ENABLED", 400, "DISABLED"},
	{"DISABLED", "ENABLED", "DELETE", "", 400, "ENABLED"},
	{"DISABLED", "ENABLED", "POST", "", 400, "ENABLED"},
	{"DISABLED", "ENABLED", "GET", "", 400, "ENABLED"},
	{"DEACTIVATED", "ENABLED", "PATCH", "DISABLED", 400, "ENABLED"},
	{"DEACTIVATED", "DISABLED", "PATCH", "ENABLED", 400, "DISABLED"},
	{"DEACTIVATED", "ENABLED", "DELETE", "", 400, "ENABLED"},
	{"DEACTIVATED", "ENABLED", "POST", "", 400, "ENABLED"},
	{"DEACTIVATED", "ENABLED", "GET", "", 400, "ENABLED"},
}

// inState brings an account into a state.
func (w *world) inState(s signer, state string) {
	w.Helper()
	switch state {
	case "DISABLED":
		w.setStatus(s.app, s.account, state)
	case "DEACTIVATED":
		w.sleep(s)
	}
}

// states returns the stored states of account and key, "" for what is gone.
func (w *world) states(s signer) (account, key string) {
	if found, err := w.Store.FindServiceAccount(w.Context(), s.account); err == nil {
		account = string(found.StatusAt(w.ambient.Now()))
	}
	if found, _, err := w.Store.FindServiceAccountKey(w.Context(), s.kid); err == nil {
		key = string(found.Status)
	}
	return account, key
}

func asks(method, want string) string {
	if method != "PATCH" {
		return ""
	}
	return `{"status":"` + want + `"}`
}

// Rule: ACCOUNT-5
func TestTheTableOfTransitionsOfAccounts(t *testing.T) {
	w := newWorld(t, settings{})
	for _, c := range accountTransitions {
		t.Run(c.from+" "+c.method+" "+c.want, func(t *testing.T) {
			s := w.signer(w.app(apps.Registration{}), "robot")
			w.inState(s, c.from)
			got := w.call(c.method, accountsPath+"/"+s.account, s.app.Token, asks(c.method, c.want))
			account, key := w.states(s)
			if got.Status != c.status || account != c.to {
				t.Errorf("%d %s, and the account is %q; want %d and %q", got.Status, got.Body, account, c.status, c.to)
			}
			if (key == "") != (account == "") {
				t.Errorf("the account is %q, its key %q: they go together", account, key)
			}
			if works := s.exchange(s.sign(nil)).Status == http.StatusOK; works != (account == "ENABLED") {
				t.Errorf("the account is %q and its assertions are taken: %v", account, works)
			}
		})
	}
}

// Rules: ACCOUNT-5, ACCOUNT-7
func TestTheTableOfTransitionsOfKeys(t *testing.T) {
	w := newWorld(t, settings{})
	for _, c := range keyTransitions {
		t.Run(c.account+" account, "+c.from+" key "+c.method+" "+c.want, func(t *testing.T) {
			s := w.signer(w.app(apps.Registration{}), "robot")
			if c.from == string(storage.KeyDisabled) {
				w.setStatus(s.app, s.account+"/keys/"+s.kid, c.from)
			}
			w.inState(s, c.account)
			path := accountsPath + "/" + s.account + "/keys"
			if c.method == "PATCH" || c.method == "DELETE" {
				path += "/" + s.kid
			}
			got := w.call(c.method, path, s.app.Token, asks(c.method, c.want))
			account, key := w.states(s)
			if got.Status != c.status || key != c.to || account != c.account {
				t.Errorf("%d %s, account %q, key %q; want %d, %q and %q", got.Status, got.Body, account, key,
					c.status, c.account, c.to)
			}
			if works := s.exchange(s.sign(nil)).Status == http.StatusOK; works != (account == "ENABLED" && key == "ENABLED") {
				t.Errorf("account %q, key %q, and its assertions are taken: %v", account, key, works)
			}
		})
	}
}

// Rule: ACCOUNT-4
func TestWhatIsDeletedMakesRoom(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	first := w.account(a, "robot-0")
	for _, name := range []string{"robot-1", "robot-2", "robot-3", "robot-4", "robot-5", "robot-6", "robot-7",
		"robot-8", "robot-9"} {
		w.account(a, name)
	}
	w.expect(http.StatusForbidden, "POST", accountsPath, a.Token, `{"name":"robot-10"}`)
	w.expect(http.StatusNoContent, "DELETE", accountsPath+"/"+first, a.Token, "")
	second := w.account(a, "robot-10")
	keys := accountsPath + "/" + second + "/keys"
	kid := w.key(a, second).kid
	w.key(a, second)
	w.key(a, second)
	w.setStatus(a, second+"/keys/"+kid, "DISABLED")
	w.expect(http.StatusForbidden, "POST", keys, a.Token, "") // disabled ones count
	w.expect(http.StatusNoContent, "DELETE", keys+"/"+kid, a.Token, "")
	w.key(a, second)
}
