package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Rule: DATA-4
func TestTheDataAPIAnswersItsOwnWayWhateverIsWrong(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	const folder = "/data/v1/projects/b.00000000-0000-4000-8000-000000000000/folders/urn:portico:fs.folder:co.AAAAAAAAAAAAAAAAAAAAAA"
	for _, tt := range []struct {
		method, path string
		status       int
		code         string
	}{
		{"GET", "/project/v1/hubs", 401, "MISSING_TOKEN"},
		{"GET", "//project/v1/hubs", 401, "MISSING_TOKEN"}, // as existing clients write it
		{"GET", "///data/v1" + strings.TrimPrefix(folder, "/data/v1"), 401, "MISSING_TOKEN"},
		{"DELETE", folder, 405, "METHOD_NOT_ALLOWED"},
		{"GET", "/data/v1/nothing", 404, "NO_SUCH_PATH"},
		{"GET", "/project/v1", 404, "NO_SUCH_PATH"},
		{"GET", "/schema/v1/versions/nothing", 404, "SCHEMA_NOT_FOUND"},
		{"GET", folder + "%00", 400, "MALFORMED_PATH"},
		{"GET", "//data/v1/%ff", 400, "MALFORMED_PATH"},
		{"GET", "/project/v1/hubs/%00", 400, "MALFORMED_PATH"},
	} {
		got, body := answer(t, tt.method, "http://"+a.Addr()+tt.path)
		var document struct {
			Errors []struct{ ID, Code string }
		}
		if err := json.Unmarshal([]byte(body), &document); err != nil || len(document.Errors) != 1 {
			t.Errorf("%s %s: %v: %s", tt.method, tt.path, err, body)
			continue
		}
		e := document.Errors[0]
		if got.StatusCode != tt.status || e.Code != tt.code || e.ID != got.Header.Get("X-Request-Id") {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, got.StatusCode, body)
		}
	}
	if got, _ := answer(t, http.MethodDelete,
		"http://"+a.Addr()+folder); got.Header.Get("Allow") != "GET, HEAD, OPTIONS, PATCH" {
		t.Errorf("Allow is %q", got.Header.Get("Allow"))
	}
}
