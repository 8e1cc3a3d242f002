package objects_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
)

const (
	notOurs = "This address is not one of ours, or was changed."
	ended   = "Whoever asked for this address may not use it any more."
)

// addresses returns one address to put a part, and one to read bytes.
func (w *world) addresses() (put, get string) {
	w.Helper()
	get = ok[download](w, w.call(publisher, "GET", w.upload("read.txt", []byte("bytes"))+"/signeds3download", nil)).URL
	return w.begin(w.reserve("put.txt"), 1).URLs[0], get
}

// Rule: OBJ-20
func TestAnAddressIsForOneMethod(t *testing.T) {
	w := here(t)
	put, get := w.addresses()
	w.refused(w.send("PUT", get, []byte("other")), 403, "address_invalid", "This address is for GET.")
	w.refused(w.send("GET", put, nil), 403, "address_invalid", "This address is for PUT.")
	w.put(put, []byte("bytes"))
	w.Equal("bytes", string(w.send("GET", get, nil).Body))
	w.Equal(200, w.send("HEAD", get, nil).Status)
}

// Rule: OBJ-20
func TestAnAddressThatWasChangedIsRefused(t *testing.T) {
	w := here(t)
	put, get := w.addresses()
	path, ticket := put[:strings.LastIndexByte(put, '/')+1], keyOf(put)
	body, mac, _ := strings.Cut(ticket, ".")
	text, err := base64.RawURLEncoding.DecodeString(body)
	w.Must(err)
	other := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(text), `"p":1`, `"p":2`, 1)))
	_, foreign, _ := strings.Cut(keyOf(get), ".")
	for name, changed := range map[string]string{
		"another part":      other + "." + mac,
		"another's mac":     body + "." + foreign,
		"no mac":            body,
		"an empty mac":      body + ".",
		"a mac cut short":   body + "." + mac[:10],
		"more behind":       ticket + "A",
		"not base64":        "%2e%2e." + mac,
		"padded":            body + "=." + mac,
		"nothing":           ".",
		"a slash":           "a%2Fb",
		"the mac's last":    body + "." + mac[:len(mac)-1] + "_",
		"the first changed": "A" + ticket[1:],
	} {
		t.Run(name, func(*testing.T) {
			w.refused(w.send("PUT", path+changed, []byte("bytes")), 403, "address_invalid", notOurs)
			w.refused(w.send("GET", path+changed, nil), 403, "address_invalid", notOurs)
		})
	}
	w.put(put, []byte("bytes"))
}

// Rule: OBJ-20
func TestAnAddressLivesAsLongAsWasAskedFor(t *testing.T) {
	w := here(t)
	path := w.upload("read.txt", []byte("bytes"))
	for query, lifetime := range map[string]time.Duration{"": 2 * time.Minute, "?minutesExpiration=60": time.Hour} {
		address := ok[download](w, w.call(publisher, "GET", path+"/signeds3download"+query, nil)).URL
		w.Wait(lifetime - 5*time.Second)
		w.Equal(200, w.send("GET", address, nil).Status)
		w.Wait(6 * time.Second)
		w.refused(w.send("GET", address, nil), 403, "address_expired", "This address has expired: ask for another.")
		if lifetime == time.Hour {
			continue
		}
		put := w.begin(w.reserve("f"), 1).URLs[0]
		w.Wait(lifetime + time.Second)
		w.refused(w.send("PUT", put, []byte("x")), 403, "address_expired", "This address has expired: ask for another.")
	}
	for _, minutes := range []string{"0", "61", "-1", "2.5", "x"} {
		w.refused(w.call(publisher, "GET", path+"/signeds3download?minutesExpiration="+minutes, nil), 400, "bad_input",
			"minutesExpiration is a number from 1 to 60.")
	}
}

// Rule: OBJ-21
func TestAnAddressEndsWithTheRightsOfWhoeverAskedForIt(t *testing.T) {
	level := func(w *world, level storage.Level) {
		w.Helper()
		w.Must(w.Store.SetFolderGrant(w.Context(), w.Operator(), w.Project.ID,
			storage.FolderGrant{FolderID: w.Folder.ID, UserID: publisher, Level: level}))
	}
	w := here(t)
	path := w.upload("read.txt", []byte("bytes"))
	w.version(path, "read.txt")
	get := ok[download](w, w.call(publisher, "GET", path+"/signeds3download", nil)).URL
	put := w.begin(w.reserve("put.txt"), 1).URLs[0]
	level(w, storage.LevelView)
	w.refused(w.send("GET", get, nil), 403, "no_permission",
		"You have no permission to read these bytes: it takes the level download there.")
	w.refused(w.send("PUT", put, []byte("x")), 403, "no_permission",
		"You have no permission to upload: it takes the level publish there.")
	level(w, storage.LevelPublish)
	w.Equal(200, w.send("GET", get, nil).Status)
	w.put(put, []byte("x"))
	w.Must(w.Store.SetUserDisabled(w.Context(), w.Operator().Act, publisher, true))
	w.refused(w.send("GET", get, nil), 403, "address_invalid", ended)
	w.refused(w.send("PUT", put, []byte("x")), 403, "address_invalid", ended)
}

// Rule: OBJ-21
func TestAnAddressOfBeforeItsAppWasDisabledStaysDead(t *testing.T) {
	w := here(t)
	path := w.upload("read.txt", []byte("bytes"))
	ask := func() string {
		return ok[download](w, w.call(publisher, "GET", path+"/signeds3download?minutesExpiration=60", nil)).URL
	}
	before := ask()
	disable := func(disabled bool) {
		w.Must(w.Store.SetClientDisabled(w.Context(), w.Operator().Act, app, disabled))
	}
	disable(true)
	w.refused(w.send("GET", before, nil), 403, "address_invalid", ended)
	w.Wait(2 * time.Second) // tokens tell whole seconds
	disable(false)
	w.refused(w.send("GET", before, nil), 403, "address_invalid", ended)
	w.Wait(2 * time.Second)
	w.Equal(200, w.send("GET", ask(), nil).Status)
}

// Rule: OBJ-21
func TestAnAddressOfAnAppThatActsForAUserIsForBoth(t *testing.T) {
	w := here(t)
	path := w.upload("read.txt", []byte("bytes"))
	w.version(path, "read.txt")
	ask := func(user string) answer {
		return w.call("", "GET", path+"/signeds3download", nil, "X-User-Id", user)
	}
	w.refused(ask(viewer), 403, "no_permission",
		"You have no permission to read these bytes: it takes the level download there.")
	get := ok[download](w, ask(reader)).URL
	w.Equal(200, w.send("GET", get, nil).Status)
	w.Must(w.Store.RemoveFolderGrant(w.Context(), w.Operator(), w.Project.ID,
		storage.FolderGrant{FolderID: w.Folder.ID, UserID: reader}))
	w.refused(w.send("GET", get, nil), 404, "object_not_found", "There is no such object.")
}

// Rule: OBJ-21
func TestASignedAddressTakesNoToken(t *testing.T) {
	w := here(t)
	_, get := w.addresses()
	w.Equal(200, w.send("GET", get, nil, "Authorization", "Bearer junk").Status)
	if _, err := url.Parse(get); err != nil {
		t.Error(err)
	}
}
