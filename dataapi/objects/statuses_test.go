package objects_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// operation is one operation on an object, or on several of a bucket.
type operation struct {
	method, end string // behind the path
	scope       string
	body        any
	writes      bool
}

func (o operation) String() string { return o.method + " " + o.end }

func operations() []operation {
	return []operation{
		{"GET", "/signeds3upload", create, nil, true},
		{"POST", "/signeds3upload", create, map[string]any{"uploadKey": strings.Repeat("u", 22)}, true},
		{"PUT", "", create, []byte("bytes"), true},
		{"GET", "/signeds3download", read, nil, false},
		{"GET", "/details", read, nil, false},
		{"GET", "", read, nil, false},
	}
}

const allObjects = "/oss/v2/buckets/" + bucket + "/objects"

func batches() []operation {
	return []operation{
		{"POST", "/batchsigneds3upload", create, nil, true},
		{"POST", "/batchcompleteupload", create, nil, true},
		{"POST", "/batchsigneds3download", read, nil, false},
	}
}

// requests is a batch about the keys.
func requests(keys ...string) map[string]any {
	all := []map[string]any{}
	for _, key := range keys {
		all = append(all, map[string]any{"objectKey": key})
	}
	return map[string]any{"requests": all}
}

const (
	tokenReason = "Access token provided is invalid or expired."
	noDownload  = "You have no permission to read these bytes: it takes the level download there."
	noUpload    = "You have no permission to upload: it takes the level publish there."
)

// Rule: OBJ-27
func TestWhoMayNotIsToldTheSameEverywhere(t *testing.T) {
	w := here(t)
	full, empty := w.upload("full.txt", []byte("bytes")), w.reserve("empty.txt")
	w.version(full, "full.txt")
	bearer := func(user, scope string) []string { return []string{"Authorization", "Bearer " + w.token(user, scope)} }
	for _, o := range operations() {
		path, denied, wrong := full, noDownload, create
		if o.writes {
			path, denied, wrong = empty, noUpload, read
		}
		t.Log(o)
		send := func(path string, headers ...string) answer { return w.send(o.method, path+o.end, o.body, headers...) }
		w.refused(send(path), 401, "missing_token", tokenReason)
		w.refused(send(path, "Authorization", "Bearer junk"), 401, "invalid_token", tokenReason)
		w.refused(send(path, bearer(publisher, wrong)...), 403, "insufficient_scope",
			"The access token lacks the scope "+o.scope+".")
		w.refused(send(path, bearer(viewer, o.scope)...), 403, "no_permission", denied)
		w.refused(send(path, append(bearer(publisher, o.scope), "X-User-Id", reader)...), 403, "user_not_allowed",
			"The app may not act for this user here.")
		for _, hidden := range []answer{
			send(allObjects+"/"+w.Ambient.UUID(), bearer(publisher, o.scope)...),
			send(allObjects+"/..%2f..%2f..%2fetc%2fpasswd", bearer(publisher, o.scope)...),
			send(path, bearer(outsider, o.scope)...),
			send("/oss/v2/buckets/other/objects/"+keyOf(path), bearer(publisher, o.scope)...),
		} {
			w.refused(hidden, 404, "object_not_found", "There is no such object.")
		}
		w.refused(send(allObjects+"/%00", bearer(publisher, o.scope)...), 400, "malformed_path",
			"The path holds invalid UTF-8 or the character U+0000.")
	}
	for _, o := range batches() {
		wrong := read
		if !o.writes {
			wrong = create
		}
		path := allObjects + o.end
		w.refused(w.send("POST", path, requests("x")), 401, "missing_token", tokenReason)
		w.refused(w.send("POST", path, requests("x"), bearer(publisher, wrong)...), 403, "insufficient_scope",
			"The access token lacks the scope "+o.scope+".")
	}
	// data:write uploads as well (decision J14).
	w.Equal(200, w.send("GET", empty+"/signeds3upload", nil, bearer(publisher, "data:write")...).Status)
}

// Rule: OBJ-27
func TestAnObjectWithoutBytesHasNothingToRead(t *testing.T) {
	w := here(t)
	empty := w.reserve("empty.txt")
	for _, end := range []string{"", "/details", "/signeds3download"} {
		w.refused(w.call(publisher, "GET", empty+end, nil), 404, "object_empty", "The object has no bytes yet.")
	}
	w.refused(w.call(publisher, "POST", empty+"/signeds3upload", map[string]any{"uploadKey": "none"}),
		404, "upload_not_found",
		"There is no such upload of the object, or it has expired.")
}

// Rule: OBJ-4
func TestWhatAClientSaysWronglyIsNamed(t *testing.T) {
	w := here(t)
	path := w.reserve("file.txt")
	for query, reason := range map[string]string{
		"parts=0":                   "parts is a number from 1 to 25.",
		"parts=26":                  "parts is a number from 1 to 25.",
		"parts=x":                   "parts is a number from 1 to 25.",
		"firstPart=0":               "firstPart is a number from 1 to 10000.",
		"firstPart=10001":           "firstPart is a number from 1 to 10000.",
		"firstPart=9990&parts=12":   "An upload has at most 10000 parts.",
		"minutesExpiration=61":      "minutesExpiration is a number from 1 to 60.",
		"uploadKey=a&uploadKey=b":   `"uploadKey" is there twice, or is not text.`,
		"uploadKey=%00":             `"uploadKey" is there twice, or is not text.`,
		"uploadKey=%zz":             "The query can't be read.",
		"parts=5&firstPart=10000&x": "An upload has at most 10000 parts.",
	} {
		w.refused(w.call(publisher, "GET", path+"/signeds3upload?"+query, nil), 400, "bad_input", reason)
	}
	w.Equal(200, w.call(publisher, "GET", path+"/signeds3upload?firstPart=9976&parts=25&unknown=x", nil).Status)
	complete := func(body any, headers ...string) answer {
		return w.call(publisher, "POST", path+"/signeds3upload", body, headers...)
	}
	w.refused(complete(map[string]any{}), 400, "bad_input", "The member uploadKey is missing.")
	w.refused(complete([]byte("{"), "Content-Type", "application/json"), 400, "invalid_request",
		"The body is not valid JSON.")
	w.refused(complete([]byte("{}"), "Content-Type", "text/plain"), 415, "invalid_request",
		"Send the body as application/json.")
	large := []byte(`{"uploadKey":"` + strings.Repeat("x", 1<<20) + `"}`)
	w.refused(complete(large, "Content-Type", "application/json"), 413, "invalid_request",
		"The body is larger than 1048576 bytes.")
	for _, o := range batches() {
		batch := func(body any, headers ...string) answer {
			return w.call(publisher, "POST", allObjects+o.end, body, headers...)
		}
		w.refused(batch(requests()), 400, "bad_input", "A call is about 1 to 25 objects.")
		w.refused(batch(requests(strings.Split(strings.Repeat("x ", 26), " ")...)), 400, "bad_input",
			"A call is about 1 to 25 objects.")
		w.refused(batch(requests("a", "a")), 400, "bad_input", "Name every object once, by its objectKey.")
		w.refused(batch(requests("")), 400, "bad_input", "Name every object once, by its objectKey.")
		w.refused(batch([]byte("{}"), "Content-Type", "text/plain"), 415, "invalid_request",
			"Send the body as application/json.")
		w.refused(batch(large, "Content-Type", "application/json"), 413, "invalid_request",
			"The body is larger than 1048576 bytes.")
	}
	body := struct{ *bytes.Reader }{bytes.NewReader([]byte("length unknown"))}
	w.refused(w.call(publisher, "PUT", path, body), 400, "length_required", "Say how long the body is: Content-Length.")
	put := w.begin(path, 1).URLs[0]
	body = struct{ *bytes.Reader }{bytes.NewReader([]byte("length unknown"))}
	w.refused(w.send("PUT", put, body), 400, "length_required", "Say how long the body is: Content-Length.")
}

// Rule: OBJ-28
func TestAnArchivedProjectTakesNoBytesAndGivesThem(t *testing.T) {
	w := here(t)
	full, empty := w.upload("full.txt", []byte("bytes")), w.reserve("empty.txt")
	begun := w.begin(empty, 1)
	w.put(begun.URLs[0], []byte("bytes"))
	archive := func(archived bool) {
		w.Must(w.Store.PatchProject(w.Context(), w.Operator(), w.Project.ID, storage.ProjectPatch{Archived: new(archived)}))
	}
	archive(true)
	const archived = "The project is archived: nothing changes in it."
	w.refused(w.call(publisher, "GET", empty+"/signeds3upload", nil), 423, "project_archived", archived)
	w.refused(w.call(publisher, "PUT", empty, []byte("x")), 423, "project_archived", archived)
	w.refused(w.call(publisher, "POST", empty+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}), 423,
		"project_archived", archived)
	w.Equal("bytes", string(w.call(publisher, "GET", full, nil).Body))
	archive(false)
	ok[stored](w, w.call(publisher, "POST", empty+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}))
}

func TestPartsForAnUploadThatHasEndedAreRefused(t *testing.T) {
	w := here(t)
	begun := w.begin(w.reserve("file.txt"), 2)
	w.put(begun.URLs[0], []byte("bytes"))
	w.Must(w.Blobs.Abort(w.Context(), begun.UploadKey, begun.UploadKey))
	w.refused(w.send("PUT", begun.URLs[1], []byte("x")), 410, "upload_ended", "The upload has ended: begin another.")
}

// broken is a store in which no object can be found.
type broken struct {
	objects.Store
	err error
}

func (b broken) FindObject(context.Context, string, string) (storage.Object, error) {
	return storage.Object{}, b.err
}

// Rule: OBJ-29
func TestFailuresOfOursSayNothingOfThemselves(t *testing.T) {
	w := here(t)
	path := w.upload("file.txt", []byte("bytes"))
	put, get := w.addresses()
	for kind, want := range map[fault.Kind]struct {
		status int
		reason string
	}{
		fault.Internal:    {500, "The server could not finish what you asked for."},
		fault.Unavailable: {503, "The database does not answer."},
	} {
		w.serveOver(broken{w.Store, fault.New(kind, "", "The database does not answer.")})
		for _, o := range operations() {
			w.refused(w.call(publisher, o.method, path+o.end, o.body), want.status, "", want.reason)
		}
		w.refused(w.send("PUT", w.URL+put[strings.Index(put, "/oss"):], []byte("x")), want.status, "", want.reason)
		w.refused(w.send("GET", w.URL+get[strings.Index(get, "/oss"):], nil), want.status, "", want.reason)
	}
	w.serveOver(w.Store)
	w.Equal(200, w.call(publisher, "GET", path, nil).Status)
}

// Rule: OBJ-29
func TestBytesThatAreMissingAreAFailureOfOurs(t *testing.T) {
	w := here(t)
	path := w.upload("file.txt", []byte("bytes"))
	object, err := w.Store.FindObject(w.Context(), bucket, keyOf(path))
	w.Must(err)
	w.Must(w.Blobs.Quarantine(w.Context(), object.Blob))
	w.refused(w.call(publisher, "GET", path, nil), 500, "", "The server could not finish what you asked for.")
}
