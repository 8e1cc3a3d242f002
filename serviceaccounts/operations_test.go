package serviceaccounts_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// row is one row of the table of errors in S1 7.1 with the request that gives
// it, and the same request without the fault.
type row struct {
	name   string
	method string
	path   string
	token  string
	body   string
	status int
	title  string
	detail string // must be in it

	twin request
	want int
}

type request struct{ method, path, token, body string }

// Rules: ACCOUNT-2, ACCOUNT-3, ACCOUNT-4, ACCOUNT-7, ACCOUNT-9, ACCOUNT-10, ACCOUNT-11, ACCOUNT-12, ACCOUNT-17
func TestErrorsOfTheOperationsRowByRow(t *testing.T) {
	w := newWorld(t, settings{})
	expired := w.app(apps.Registration{}).Token
	w.wait(time.Hour)
	a := w.app(apps.Registration{})
	web := w.app(apps.Registration{Type: storage.ClientWeb, RedirectURIs: []string{"https://app.example.test/callback"}})
	internal := w.app(apps.Registration{Type: storage.ClientWeb, Internal: true,
		RedirectURIs: []string{"https://app.example.test/callback"}})
	full := w.app(apps.Registration{})
	for _, name := range []string{"robot-0", "robot-1", "robot-2", "robot-3", "robot-4", "robot-5", "robot-6", "robot-7",
		"robot-8", "robot-9"} {
		w.account(full, name)
	}
	s := w.signer(a, "robot")
	threeLegged := s.token()
	second := w.key(a, s.account)
	w.setStatus(a, s.account+"/keys/"+second.kid, "DISABLED")
	disabled := w.key(a, w.account(a, "disabled"))
	w.setStatus(a, disabled.account, "DISABLED")
	busy := w.key(a, w.account(a, "busy-robot"))
	w.key(a, busy.account)
	w.key(a, busy.account)
	stranger := w.signer(w.app(apps.Registration{}), "stranger")
	keyed, turning, also := w.signer(w.app(apps.Registration{}), "keyed"),
		w.signer(w.app(apps.Registration{}), "turning"), w.signer(w.app(apps.Registration{}), "also-there")
	reading := w.twoLegged(a, scope.ServiceAccountRead)

	create := func(name, clientID string) string { return `{"name":"` + name + `","clientId":"` + clientID + `"}` }
	at := func(parts ...string) string { return strings.Join(append([]string{accountsPath}, parts...), "/") }
	const enable, disable = `{"status":"ENABLED"}`, `{"status":"DISABLED"}`

	rows := []row{
		{name: "name is empty", method: "POST", path: at(), token: a.Token, body: `{"name":""}`, status: 400,
			title: "invalid_request", detail: "empty",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot", "")}, want: 201},
		{name: "name is absent", method: "POST", path: at(), token: a.Token, body: `{}`, status: 400,
			title: "invalid_request", detail: "empty",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot", "")}, want: 201},
		{name: "name in other case", method: "POST", path: at(), token: a.Token, body: `{"Name":"other-case"}`, status: 400,
			title: "invalid_request", detail: "empty",
			twin: request{"POST", at(), a.Token, `{"name":"other-case","NAME":"x"}`}, want: 201},
		{name: "name of 4 characters", method: "POST", path: at(), token: a.Token, body: create("four", ""), status: 400,
			title: "invalid_request", detail: "5 to 64",
			twin: request{"POST", at(), a.Token, create("five5", "")}, want: 201},
		{name: "name of 65 characters for oneself", method: "POST", path: at(), token: a.Token,
			body: create(strings.Repeat("n", 65), a.ID), status: 400, title: "invalid_request", detail: "5 to 64",
			twin: request{"POST", at(), a.Token, create(strings.Repeat("n", 64), a.ID)}, want: 201},
		{name: "name of 101 characters on behalf", method: "POST", path: at(), token: internal.Token,
			body: create(strings.Repeat("n", 101), a.ID), status: 400, title: "invalid_request", detail: "5 to 100",
			twin: request{"POST", at(), internal.Token, create(strings.Repeat("n", 100), a.ID)}, want: 201},
		{name: "name with a space", method: "POST", path: at(), token: a.Token, body: create("my robot", ""), status: 400,
			title: "invalid_request", detail: "invalid characters",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("my-robot", "")}, want: 201},
		{name: "name with a letter that is not ASCII", method: "POST", path: at(), token: a.Token, body: create("röbot", ""),
			status: 400, title: "invalid_request", detail: "invalid characters",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("ro-bot", "")}, want: 201},
		{name: "name lacks an alphanumeric character", method: "POST", path: at(), token: a.Token, body: create("-----", ""),
			status: 400, title: "invalid_request", detail: "alphanumeric",
			twin: request{"POST", at(), a.Token, create("----1", "")}, want: 201},
		{name: "name already exists", method: "POST", path: at(), token: a.Token, body: create("robot", ""), status: 400,
			title: "invalid_request", detail: "already exists",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot", "")}, want: 201},
		{name: "name already exists in other case", method: "POST", path: at(), token: a.Token, body: create("RoBoT", ""),
			status: 400, title: "invalid_request", detail: "already exists",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("RoBoT", "")}, want: 201},
		{name: "clientId does not exist", method: "POST", path: at(), token: internal.Token, body: create("robot", "nobody"),
			status: 400, title: "invalid_request", detail: "does not exist",
			twin: request{"POST", at(), internal.Token, create("on-behalf", a.ID)}, want: 201},
		{name: "clientId is not a server-to-server application", method: "POST", path: at(), token: internal.Token,
			body: create("robot", web.ID), status: 400, title: "invalid_request", detail: "server-to-server",
			twin: request{"POST", at(), internal.Token, create("robot", w.app(apps.Registration{}).ID)}, want: 201},
		{name: "account already in an enabled state", method: "PATCH", path: at(s.account), token: a.Token, body: enable,
			status: 400, title: "invalid_request", detail: "enabled state",
			twin: request{"PATCH", at(turning.account), turning.app.Token, disable}, want: 200},
		{name: "account already in a disabled state", method: "PATCH", path: at(disabled.account), token: a.Token,
			body: disable, status: 400, title: "invalid_request", detail: "disabled state",
			twin: request{"PATCH", at(turning.account), turning.app.Token, enable}, want: 200},
		{name: "account not enabled: create key", method: "POST", path: at(disabled.account, "keys"), token: a.Token,
			status: 400, title: "invalid_request", detail: "not currently in an enabled state",
			twin: request{"POST", at(s.account, "keys"), a.Token, ""}, want: 201},
		{name: "account not enabled: list keys", method: "GET", path: at(disabled.account, "keys"), token: a.Token,
			status: 400, title: "invalid_request", detail: "not currently in an enabled state",
			twin: request{"GET", at(s.account, "keys"), a.Token, ""}, want: 200},
		{name: "account not enabled: patch key", method: "PATCH", path: at(disabled.account, "keys", disabled.kid),
			token: a.Token, body: disable, status: 400, title: "invalid_request", detail: "not currently in an enabled state",
			twin: request{"PATCH", at(turning.account, "keys", turning.kid), turning.app.Token, disable}, want: 204},
		{name: "account not enabled: delete key", method: "DELETE", path: at(disabled.account, "keys", disabled.kid),
			token: a.Token, status: 400, title: "invalid_request", detail: "not currently in an enabled state",
			twin: request{"DELETE", at(turning.account, "keys", turning.kid), turning.app.Token, ""}, want: 204},
		{name: "key already enabled", method: "PATCH", path: at(s.account, "keys", s.kid), token: a.Token, body: enable,
			status: 400, title: "invalid_request", detail: "already enabled",
			twin: request{"PATCH", at(keyed.account, "keys", keyed.kid), keyed.app.Token, disable}, want: 204},
		{name: "key already disabled", method: "PATCH", path: at(s.account, "keys", second.kid), token: a.Token,
			body: disable, status: 400, title: "invalid_request", detail: "already disabled",
			twin: request{"PATCH", at(s.account, "keys", second.kid), a.Token, enable}, want: 204},
		{name: "status of an account that nobody can want", method: "PATCH", path: at(s.account), token: a.Token,
			body: `{"status":"DEACTIVATED"}`, status: 400, title: "invalid_request", detail: "ENABLED or DISABLED",
			twin: request{"PATCH", at(keyed.account), keyed.app.Token, disable}, want: 200},
		{name: "status in lower case", method: "PATCH", path: at(s.account), token: a.Token, body: `{"status":"disabled"}`,
			status: 400, title: "invalid_request", detail: "ENABLED or DISABLED",
			twin: request{"PATCH", at(keyed.account), keyed.app.Token, enable}, want: 200},
		{name: "status of a key that nobody can want", method: "PATCH", path: at(s.account, "keys", s.kid), token: a.Token,
			body: `{}`, status: 400, title: "invalid_request", detail: "ENABLED or DISABLED",
			twin: request{"PATCH", at(keyed.account, "keys", keyed.kid), keyed.app.Token, enable}, want: 204},
		{name: "malformed JSON", method: "POST", path: at(), token: a.Token, body: `{"name":`, status: 400,
			title: "invalid_request", detail: "JSON",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot", "")}, want: 201},
		{name: "name that is no string", method: "POST", path: at(), token: a.Token, body: `{"name":5}`, status: 400,
			title: "invalid_request", detail: "JSON",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot-5", "")}, want: 201},
		{name: "clientId in the query twice", method: "GET", path: at() + "?clientId=a&clientId=b", token: a.Token,
			status: 400, title: "invalid_request", detail: "repeated",
			twin: request{"GET", at() + "?clientId=" + a.ID, a.Token, ""}, want: 200},

		{name: "no token", method: "GET", path: at(), status: 401, title: "unauthorized", detail: "token",
			twin: request{"GET", at(), a.Token, ""}, want: 200},
		{name: "token invalid", method: "GET", path: at(), token: "x.y.z", status: 401,
			title: "unauthorized", detail: "token",
			twin: request{"GET", at(), a.Token, ""}, want: 200},
		{name: "token expired", method: "GET", path: at(), token: expired, status: 401,
			title: "unauthorized", detail: "expired",
			twin: request{"GET", at(), w.twoLegged(a), ""}, want: 200},
		{name: "token must be two-legged: list", method: "GET", path: at(), token: threeLegged, status: 401,
			title: "unauthorized", detail: "client_credentials",
			twin: request{"GET", at(), a.Token, ""}, want: 200},
		{name: "token must be two-legged: create", method: "POST", path: at(), token: threeLegged, body: create("robot", ""),
			status: 401, title: "unauthorized", detail: "client_credentials",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot", "")}, want: 201},
		{name: "token must be two-legged: create key", method: "POST", path: at(s.account, "keys"), token: threeLegged,
			status: 401, title: "unauthorized", detail: "client_credentials",
			twin: request{"POST", at(keyed.account, "keys"), keyed.app.Token, ""}, want: 201},
		{name: "scope missing: create", method: "POST", path: at(), token: reading, body: create("robot", ""), status: 403,
			title: "insufficient_scope", detail: "application:service_account:write",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot", "")}, want: 201},
		{name: "scope missing: list keys", method: "GET", path: at(s.account, "keys"), token: reading, status: 403,
			title: "insufficient_scope", detail: "application:service_account_key:read",
			twin: request{"GET", at(keyed.account, "keys"), keyed.app.Token, ""}, want: 200},

		{name: "client may not create on behalf of others", method: "POST", path: at(), token: a.Token,
			body: create("robot", stranger.app.ID), status: 403, title: "invalid_client", detail: "on behalf",
			twin: request{"POST", at(), internal.Token, create("robot", w.app(apps.Registration{}).ID)}, want: 201},
		{name: "client may not list for others", method: "GET", path: at() + "?clientId=" + stranger.app.ID, token: a.Token,
			status: 403, title: "invalid_client", detail: "on behalf",
			twin: request{"GET", at() + "?clientId=" + stranger.app.ID, internal.Token, ""}, want: 200},
		{name: "client is not a server-to-server application", method: "POST", path: at(), token: web.Token,
			body: create("robot", ""), status: 403, title: "invalid_client", detail: "not a server-to-server",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot", "")}, want: 201},
		{name: "number of service accounts exceeded", method: "POST", path: at(), token: full.Token,
			body: create("robot-10", ""), status: 403, title: "limit_exceeded", detail: "10",
			twin: request{"POST", at(), w.app(apps.Registration{}).Token, create("robot-10", "")}, want: 201},
		{name: "number of keys exceeded", method: "POST", path: at(busy.account, "keys"), token: a.Token, status: 403,
			title: "limit_exceeded", detail: "3",
			twin: request{"POST", at(keyed.account, "keys"), keyed.app.Token, ""}, want: 201},

		{name: "account not found: get", method: "GET", path: at("NOBODY"), token: a.Token, status: 404, title: "not_found",
			detail: "service account",
			twin:   request{"GET", at(s.account), a.Token, ""}, want: 200},
		{name: "account not found: another app's", method: "GET", path: at(stranger.account), token: a.Token, status: 404,
			title: "not_found", detail: "service account",
			twin: request{"GET", at(s.account), a.Token, ""}, want: 200},
		{name: "account not found: patch", method: "PATCH", path: at(stranger.account), token: a.Token, body: disable,
			status: 404, title: "not_found", detail: "service account",
			twin: request{"PATCH", at(also.account), also.app.Token, disable}, want: 200},
		{name: "account not found: delete", method: "DELETE", path: at(stranger.account), token: a.Token, status: 404,
			title: "not_found", detail: "service account",
			twin: request{"DELETE", at(also.account), also.app.Token, ""}, want: 204},
		{name: "account not found: create key", method: "POST", path: at(stranger.account, "keys"), token: a.Token,
			status: 404, title: "not_found", detail: "service account",
			twin: request{"POST", at(turning.account, "keys"), turning.app.Token, ""}, want: 201},
		{name: "account not found: list keys", method: "GET", path: at(stranger.account, "keys"), token: a.Token,
			status: 404, title: "not_found", detail: "service account",
			twin: request{"GET", at(keyed.account, "keys"), keyed.app.Token, ""}, want: 200},
		{name: "account not found: patch key", method: "PATCH", path: at(stranger.account, "keys", stranger.kid),
			token: a.Token, body: disable, status: 404, title: "not_found", detail: "service account",
			twin: request{"PATCH", at(keyed.account, "keys", keyed.kid), keyed.app.Token, disable}, want: 204},
		{name: "account not found: delete key", method: "DELETE", path: at(stranger.account, "keys", stranger.kid),
			token: a.Token, status: 404, title: "not_found", detail: "service account",
			twin: request{"DELETE", at(keyed.account, "keys", keyed.kid), keyed.app.Token, ""}, want: 204},
		{name: "key not found: patch", method: "PATCH", path: at(s.account, "keys", "nothing"), token: a.Token,
			body: disable, status: 404, title: "not_found", detail: "key",
			twin: request{"PATCH", at(s.account, "keys", s.kid), a.Token, disable}, want: 204},
		{name: "key not found: delete", method: "DELETE", path: at(s.account, "keys", "nothing"), token: a.Token,
			status: 404, title: "not_found", detail: "key",
			twin: request{"DELETE", at(s.account, "keys", s.kid), a.Token, ""}, want: 204},
		{name: "key not found: another account's", method: "DELETE", path: at(s.account, "keys", busy.kid), token: a.Token,
			status: 404, title: "not_found", detail: "key",
			twin: request{"DELETE", at(busy.account, "keys", busy.kid), a.Token, ""}, want: 204},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := w.call(r.method, r.path, r.token, r.body)
			body := got.JSON(t)
			detail, _ := body["detail"].(string)
			if got.Status != r.status || body["title"] != r.title || !strings.Contains(detail, r.detail) || len(body) != 2 {
				t.Errorf("%d %s, want %d %s with %q", got.Status, got.Body, r.status, r.title, r.detail)
			}
			if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", got.Header)
			}
			if challenged := strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Bearer "); challenged != (r.status == 401 ||
				r.title == "insufficient_scope") {
				t.Errorf("WWW-Authenticate %q", got.Header.Get("WWW-Authenticate"))
			}
			w.expect(r.want, r.twin.method, r.twin.path, r.twin.token, r.twin.body)
		})
	}
	t.Run("server error has no body", func(t *testing.T) {
		w := newWorld(t, settings{})
		a := w.app(apps.Registration{})
		w.must(w.Store.Close())
		if got := w.call("GET", accountsPath, a.Token, ""); got.Status != 500 && got.Status != 503 ||
			got.Status == 500 && len(got.Body) > 0 {
			t.Errorf("%d %q", got.Status, got.Body)
		}
	})
}

// Rules: ACCOUNT-1, ACCOUNT-13, ACCOUNT-17
func TestBodiesOfTheOperations(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	empty := w.expect(200, "GET", accountsPath, a.Token, "")
	if string(empty.Body) != `{"serviceAccounts":[]}` {
		t.Errorf("no accounts: %s", empty.Body)
	}
	created := w.expect(201, "POST", accountsPath, a.Token, `{"name":"Robot-1","firstName":"A","lastName":["b"]}`).JSON(t)
	id, _ := created["serviceAccountId"].(string)
	email := "Robot-1@" + a.ID + "." + emailDomain
	if !regexp.MustCompile(`^[A-Z0-9]{16}$`).MatchString(id) {
		t.Errorf("id %q has not the form of a user's", id)
	}
	if diff := cmp.Diff(object{"serviceAccountId": id, "email": email}, created); diff != "" {
		t.Errorf("201 of an account (-want +got):\n%s", diff)
	}
	shown := w.expect(200, "GET", accountsPath+"/"+id, a.Token, "").JSON(t)
	createdAt, expiresAt := times(t, shown)
	want := object{"serviceAccountId": id, "email": email, "createdBy": a.ID, "status": "ENABLED",
		"createdAt": shown["createdAt"], "accessedAt": "", "expiresAt": shown["expiresAt"]}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("200 of an account (-want +got):\n%s", diff)
	}
	if expiresAt.Sub(createdAt) != 365*24*time.Hour {
		t.Errorf("created %v, expires %v", createdAt, expiresAt)
	}
	patched := w.expect(200, "PATCH", accountsPath+"/"+id, a.Token, `{"status":"DISABLED"}`).JSON(t)
	want["status"], want["expiryAt"] = "DISABLED", want["expiresAt"]
	if diff := cmp.Diff(want, patched); diff != "" {
		t.Errorf("200 of a change (-want +got):\n%s", diff)
	}
	w.setStatus(a, id, "ENABLED")
	list := w.expect(200, "GET", accountsPath+"?clientId=", a.Token, "").JSON(t)
	if diff := cmp.Diff(object{"serviceAccounts": []any{shown}}, list); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if got := w.expect(204, "DELETE", accountsPath+"/"+id, a.Token, ""); len(got.Body) > 0 {
		t.Errorf("204 with %q", got.Body)
	}
	w.expect(404, "GET", accountsPath+"/"+id, a.Token, "")
	w.expect(201, "POST", accountsPath, a.Token, `{"name":"robot-1"}`) // the name is free again
}

// times reads createdAt and expiresAt, which must have the shape of S1 2.10.
func times(t *testing.T, body object) (created, expires time.Time) {
	t.Helper()
	read := func(name string) time.Time {
		text, _ := body[name].(string)
		at, err := time.Parse("2006-01-02 15:04:05.000000000 -0700 MST", text)
		if err != nil || !strings.HasSuffix(text, " +0000 UTC") ||
			len(text) != len("2024-01-25 03:08:04.156576834 +0000 UTC") {
			t.Errorf("%s is %q: %v", name, text, err)
		}
		return at
	}
	return read("createdAt"), read("expiresAt")
}

// Rule: ACCOUNT-14
func TestBodiesOfTheKeyOperations(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	account := w.account(a, "robot")
	keys := accountsPath + "/" + account + "/keys"
	if got := w.expect(200, "GET", keys, a.Token, ""); string(got.Body) != `{"keys":[]}` {
		t.Errorf("no keys: %s", got.Body)
	}
	// Existing clients send an empty form.
	r := w.request("POST", keys, a.Token, "")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got := w.do(r)
	created := got.JSON(t)
	kid, _ := created["kid"].(string)
	if got.Status != 201 || len(created) != 2 || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("201 of a key: %d %v", got.Status, created)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(kid) {
		t.Errorf("kid %q is no UUID", kid)
	}
	if text, _ := created["privateKey"].(string); !strings.HasPrefix(text, "-----BEGIN RSA PRIVATE KEY-----\n") {
		t.Errorf("private key begins with %.30q", text)
	}
	list := w.expect(200, "GET", keys, a.Token, "").JSON(t)["keys"].([]any)
	only := list[0].(map[string]any)
	want := object{"kid": kid, "status": "ENABLED", "createdAt": only["createdAt"], "accessedAt": ""}
	if diff := cmp.Diff([]any{want}, list); diff != "" {
		t.Errorf("list of keys (-want +got):\n%s", diff)
	}
	if got := w.expect(204, "PATCH", keys+"/"+kid, a.Token, `{"status":"DISABLED"}`); len(got.Body) > 0 {
		t.Errorf("204 with %q", got.Body)
	}
	w.expect(204, "DELETE", keys+"/"+kid, a.Token, "")
	w.expect(404, "DELETE", keys+"/"+kid, a.Token, "")
}

// Rule: ACCOUNT-11
func TestAnInternalClientReachesWhatItCreatedAndWhatItNames(t *testing.T) {
	w := newWorld(t, settings{})
	internal := w.app(apps.Registration{Internal: true})
	owner := w.app(apps.Registration{})
	other := w.app(apps.Registration{Internal: true})
	made := w.expect(201, "POST", accountsPath, internal.Token, `{"name":"on-behalf","clientId":"`+owner.ID+`"}`).JSON(t)
	id := made["serviceAccountId"].(string)
	if email := made["email"]; email != "on-behalf@"+owner.ID+"."+emailDomain {
		t.Errorf("the address is %v, want the owner's id in it", email)
	}
	path := accountsPath + "/" + id
	for who, c := range map[string]struct {
		token, query string
		status       int
	}{
		"the owner":                           {owner.Token, "", 200},
		"who created it":                      {internal.Token, "", 200},
		"another internal client":             {other.Token, "", 404},
		"another internal client naming it":   {other.Token, "?clientId=" + owner.ID, 200},
		"an internal client naming the wrong": {other.Token, "?clientId=" + other.ID, 404},
		"a plain client":                      {w.app(apps.Registration{}).Token, "", 404},
		"a plain client naming the owner":     {w.app(apps.Registration{}).Token, "?clientId=" + owner.ID, 403},
	} {
		t.Run(who, func(t *testing.T) {
			got := w.call("GET", path+c.query, c.token, "")
			if got.Status != c.status {
				t.Errorf("%d %s, want %d", got.Status, got.Body, c.status)
			}
			if c.status == 200 && got.JSON(t)["createdBy"] != internal.ID {
				t.Errorf("createdBy %v", got.JSON(t)["createdBy"])
			}
		})
	}
	for name, c := range map[string]struct {
		token, query string
		accounts     int
	}{
		"what it created":         {internal.Token, "", 1},
		"those of the owner":      {other.Token, "?clientId=" + owner.ID, 1},
		"its own: none":           {other.Token, "", 0},
		"the owner's own":         {owner.Token, "", 1},
		"of a client that is not": {other.Token, "?clientId=nobody", 0},
	} {
		t.Run("list: "+name, func(t *testing.T) {
			list := w.expect(200, "GET", accountsPath+c.query, c.token, "").JSON(t)["serviceAccounts"].([]any)
			if len(list) != c.accounts {
				t.Errorf("%d accounts, want %d", len(list), c.accounts)
			}
		})
	}
	w.expect(201, "POST", path+"/keys", internal.Token, "")
	w.expect(204, "DELETE", path+"?clientId="+owner.ID, other.Token, "")
}

// Rules: TOKEN-27, ACCOUNT-16
func TestAccountsGoWithTheirClientAndRestWhileItIsDisabled(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	token := s.token()
	w.wait(time.Second) // tokens tell no more than the second of their issue
	w.must(w.Store.SetClientDisabled(t.Context(), w.operator(), s.app.ID, true))
	if w.works(token) {
		t.Error("the token works although the owner client is disabled")
	}
	w.must(w.Store.SetClientDisabled(t.Context(), w.operator(), s.app.ID, false))
	if w.works(token) {
		t.Error("a token from before works after the client was enabled again")
	}
	w.wait(time.Second) // clients are remembered as long
	if !w.works(s.token()) {
		t.Error("a new token does not work after the client was enabled again")
	}
	w.must(w.Store.DeleteClient(t.Context(), w.operator(), s.app.ID))
	if _, err := w.Store.FindServiceAccount(t.Context(), s.account); err == nil {
		t.Error("the account outlived its client")
	}
}

// Rule: ACCOUNT-15
func TestAnExchangeShowsAtOnceAndIsWrittenWithinASecond(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	w.wait(24 * time.Hour)
	s.app.Token = w.twoLegged(s.app)
	before := w.expect(200, "GET", accountsPath+"/"+s.account, s.app.Token, "").JSON(t)
	s.token()
	after := w.expect(200, "GET", accountsPath+"/"+s.account, s.app.Token, "").JSON(t)
	if before["accessedAt"] != "" || after["accessedAt"] == "" {
		t.Errorf("accessedAt was %v, is %v", before["accessedAt"], after["accessedAt"])
	}
	_, was := times(t, before)
	if _, is := times(t, after); !is.After(was.Add(23 * time.Hour)) {
		t.Errorf("expiresAt was %v, is %v: the use pushes it on", was, is)
	}
	keys := w.expect(200, "GET", accountsPath+"/"+s.account+"/keys", s.app.Token, "").JSON(t)["keys"].([]any)
	if at := keys[0].(map[string]any)["accessedAt"]; at != after["accessedAt"] {
		t.Errorf("accessedAt of the key is %v, of the account %v", at, after["accessedAt"])
	}
	w.must(w.Accounts.Close()) // writes what is pending
	stored, err := w.Store.FindServiceAccount(t.Context(), s.account)
	w.must(err)
	key, _, err := w.Store.FindServiceAccountKey(t.Context(), s.kid)
	w.must(err)
	if stored.AccessedAt.IsZero() || !key.AccessedAt.Equal(stored.AccessedAt) {
		t.Errorf("stored: account %v, key %v", stored.AccessedAt, key.AccessedAt)
	}
}

// Rule: ACCOUNT-15
func TestUsesAreWrittenWithoutBeingAskedFor(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	s.token()
	for deadline := time.Now().Add(30 * time.Second); ; {
		stored, err := w.Store.FindServiceAccount(t.Context(), s.account)
		w.must(err)
		if !stored.AccessedAt.IsZero() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the use was never written")
		}
	}
}

// Rule: ACCOUNT-14
func TestThePrivateKeyIsInTheAnswerAlone(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	s.token()
	secret := strings.Split(s.pem, "\n")[3] // a line from the middle
	log := w.Logged.String()
	if !strings.Contains(log, "POST") || !strings.Contains(log, s.app.ID) {
		t.Fatalf("the log says nothing: %s", log)
	}
	for _, leak := range []string{"PRIVATE KEY", secret, secret[:20]} {
		if strings.Contains(log, leak) {
			t.Errorf("the log holds %q", leak)
		}
	}
	for _, path := range []string{"", "/keys"} {
		got := w.expect(200, "GET", accountsPath+"/"+s.account+path, s.app.Token, "")
		if strings.Contains(string(got.Body), secret) || strings.Contains(string(got.Body), "rivate") ||
			strings.Contains(string(got.Body), "ublic") {
			t.Errorf("%s shows a key: %s", path, got.Body)
		}
	}
}

// Rule: ACCOUNT-8
func TestEveryOperationDemandsItsScope(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	account, key := accountsPath+"/"+s.account, accountsPath+"/"+s.account+"/keys/"+s.kid
	for _, c := range []struct{ method, path, scope string }{
		{"POST", accountsPath, scope.ServiceAccountWrite},
		{"GET", accountsPath, scope.ServiceAccountRead},
		{"GET", account, scope.ServiceAccountRead},
		{"PATCH", account, scope.ServiceAccountWrite},
		{"POST", account + "/keys", scope.ServiceAccountKeyWrite},
		{"GET", account + "/keys", scope.ServiceAccountKeyRead},
		{"PATCH", key, scope.ServiceAccountKeyWrite},
		{"DELETE", key, scope.ServiceAccountKeyWrite},
		{"DELETE", account, scope.ServiceAccountWrite},
	} {
		others := slices.DeleteFunc(slices.Clone(allScopes), func(s string) bool { return s == c.scope })
		if got := w.call(c.method, c.path, w.twoLegged(s.app, others...),
			`{"status":"?"}`); got.Status != http.StatusForbidden {
			t.Errorf("%s %s with all scopes but %s: %d", c.method, c.path, c.scope, got.Status)
		}
		if got := w.call(c.method, c.path, w.twoLegged(s.app, c.scope),
			`{"status":"?"}`); got.Status == http.StatusForbidden {
			t.Errorf("%s %s with %s alone: %s", c.method, c.path, c.scope, got.Body)
		}
	}
}
