package twins_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// try is what an operation takes to work.
type try struct {
	operation
	body any
}

// tries are all operations with what makes them work in the world, which has a
// document and a mutation for each of them.
func (w *world) tries() []try {
	item := w.file(w.Folder, w.Ambient.UID()+".pdf", pdftest.Manual())
	entries := []any{w.entry(item, "Manual.pdf")}
	var all []try
	for _, o := range operations() {
		var body any
		switch {
		case o.method == http.MethodPut:
			body = "key,family,column,document\ndoor,z,table,https://example.test/" + w.Ambient.UID() + "\n"
		case o.method == http.MethodPatch:
			body = map[string]any{"label": "Label"}
		case strings.HasSuffix(o.template, "/undo"):
		case strings.HasSuffix(o.template, "mutate"):
			m := mutate("door", "c", w.Ambient.UID())
			if o.template == "/mutate" {
				m["twinId"] = w.twinURN()
			}
			body = m
		case o.template == "/documentsbulk":
			body = map[string]any{"twinId": w.twinURN(), "documents": entries}
		case o.method == http.MethodPost:
			body = entries
		}
		all = append(all, try{o, body})
	}
	return all
}

// ids are what stands for the variables of templates.
func (w *world) ids() map[string]string {
	document := w.imported(w.file(w.Folder, w.Ambient.UID()+".pdf", pdftest.Manual()))
	number, _ := w.ok(as(writer), "POST", w.path("/mutate"), mutate("door", w.Ambient.UID(), document)).value(w,
		"mutation").(float64)
	return map[string]string{
		"{twinID}": w.twinURN(), "{modelID}": w.modelURN(), "{documentID}": document, "{mutation}": strconv.Itoa(int(number)),
	}
}

func fill(template string, ids map[string]string) string {
	for name, id := range ids {
		template = strings.ReplaceAll(template, name, id)
	}
	return template
}

// Rule: TWIN-5
func TestEveryOperationAnswersAsItIsDescribed(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		nothing := map[string]string{
			"{twinID}": "urn:portico:dtt:" + w.Ambient.UID(), "{modelID}": "urn:portico:dtm:" + w.Ambient.UID(),
			"{documentID}": "urn:portico:dtd:" + w.Ambient.UID(), "{mutation}": "9999",
		}
		huge := map[string]string{"POST": strings.Repeat("x", 1<<20+1), "PATCH": strings.Repeat("x", 1<<20+1),
			"PUT": strings.Repeat("x", 16<<20+1)}
		for _, prefix := range []string{"", "/tandem/v1"} {
			for _, o := range w.tries() {
				path := prefix + fill(o.template, w.ids())
				w.refused(caller{token: "-"}, o.method, path, o.body, 401, "missing_token")
				w.refused(caller{token: "x.y.z"}, o.method, path, o.body, 401, "invalid_token")
				w.refused(caller{user: writer, scope: "openid"}, o.method, path, o.body, 403, "insufficient_scope")
				absent, body := prefix+fill(o.template, nothing), o.body
				if m, ok := body.(map[string]any); ok && m["twinId"] != nil {
					body = map[string]any{"twinId": nothing["{twinID}"], "keys": m["keys"], "muts": m["muts"],
						"documents": m["documents"]}
				}
				if got := w.call(as(writer), o.method, absent, body); got.Status != 404 {
					t.Errorf("%s %s: %d %s", o.method, absent, got.Status, got.Body)
				}
				malformed := prefix + fill(o.template, map[string]string{"{twinID}": "x", "{modelID}": "x"})
				bad := o.body
				if strings.HasPrefix(o.template, "/mutate") || strings.HasPrefix(o.template, "/documentsbulk") {
					bad = map[string]any{"twinId": "x", "keys": []string{}, "muts": []any{}, "documents": []any{}}
				}
				if got := w.call(as(writer), o.method, malformed, bad); got.Status != 400 {
					t.Errorf("%s %s: %d %s", o.method, malformed, got.Status, got.Body)
				}
				if o.body != nil {
					if got := w.call(as(writer), o.method, path, huge[o.method]); got.Status != 413 {
						t.Errorf("%s %s, huge: %d %s", o.method, path, got.Status, got.Body)
					}
					if got := w.call(as(writer), o.method, path, o.body, "Content-Type", "text/plain"); got.Status != 415 {
						t.Errorf("%s %s, as text: %d %s", o.method, path, got.Status, got.Body)
					}
				}
				if got := w.call(as(writer), o.method, path, o.body); got.Status != 200 {
					t.Errorf("%s %s: %d %s", o.method, path, got.Status, got.Body)
				}
			}
			w.content(prefix, nothing)
			w.overtaken(prefix)
		}
	})
}

// Rule: TWIN-15
func TestAnAppThatIsNotLetInLearnsOfNoTwin(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		said := func(by caller, method, path string, body any) map[string]any {
			got := w.call(by, method, path, body)
			var problem map[string]any
			w.Must(json.Unmarshal(got.Body, &problem))
			delete(problem, "request_id")
			if problem["status"] != 404.0 {
				t.Errorf("%s %s: %s", method, path, got.Body)
			}
			return problem
		}
		for _, o := range w.tries() {
			there := w.ids()
			absent := maps.Clone(there)
			absent["{twinID}"], absent["{modelID}"] = "urn:portico:dtt:"+w.Ambient.UID(), "urn:portico:dtm:"+w.Ambient.UID()
			body := o.body
			if m, ok := body.(map[string]any); ok && m["twinId"] != nil {
				named := maps.Clone(m)
				named["twinId"] = absent["{twinID}"]
				body = named
			}
			for name, by := range map[string]caller{
				"by itself": {client: stranger}, "for a member": {client: stranger, user: writer},
				"for an administrator": {client: stranger, user: hubAdmin},
				"naming a member":      {client: stranger, actAs: writer},
				"naming nobody":        {client: stranger, actAs: "AAAAAAAAAAAAAAAA"},
			} {
				want, got := said(by, o.method, fill(o.template, absent), body), said(by, o.method, fill(o.template, there), o.body)
				w.Equal(want, got)
				if t.Failed() {
					t.Fatalf("%s, %s %s", name, o.method, o.template)
				}
			}
			w.ok(as(writer), o.method, fill(o.template, there), o.body)
		}
	})
}

// content tries the one operation that has its own ways in.
func (w *world) content(prefix string, nothing map[string]string) {
	const template = "/twins/{twinID}/documents/{documentID}/content"
	path := prefix + fill(template, w.ids())
	w.refused(caller{token: "-"}, "GET", path, nil, 401, "missing_token")
	w.refused(caller{user: reader, scope: "openid"}, "GET", path, nil, 403, "insufficient_scope")
	w.refused(as(reader), "GET", prefix+fill(template, nothing), nil, 404, "twin_not_found")
	w.refused(as(reader), "GET", prefix+w.path("/documents/x/content"), nil, 400, "malformed_id")
	got := w.ok(as(reader), "GET", path, nil)
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"Range", "bytes=1-2", 206}, {"Range", "bytes=99999999-", 416}, {"If-None-Match", got.Header.Get("ETag"), 304},
		{"If-Match", `"other"`, 412},
	} {
		if got := w.call(as(reader), "GET", path, nil, c.name, c.value); got.Status != c.status {
			w.Errorf("%s: %d %s", c.value, got.Status, got.Body)
		}
	}
}

func (w *world) overtaken(prefix string) {
	ids := w.ids()
	path := prefix + fill("/twins/{twinID}/mutations/{mutation}/undo", ids)
	w.ok(as(writer), "POST", path, nil)
	w.refused(as(writer), "POST", path, nil, 409, "already_undone")
}

// Rule: TWIN-6
func TestWhoMayDoWhatInATwin(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		callers := []struct {
			name        string
			level       storage.Level
			who         caller
			read, write int
		}{
			{"the owner", storage.LevelControl, as(owner), 200, 200},
			{"a writer", storage.LevelControl, as(writer), 200, 200},
			{"a writer through an app that only reads", storage.LevelView, as(writer), 200, 200},
			{"a reader", storage.LevelControl, as(reader), 200, 403},
			{"an administrator of the hub", storage.LevelControl, as(hubAdmin), 200, 200},
			{"a member of the hub", storage.LevelControl, as(member), 404, 404},
			{"an outsider", storage.LevelControl, as(outsider), 404, 404},
			{"an app that may write", storage.LevelPublish, caller{}, 200, 200},
			{"an app that may read", storage.LevelDownload, caller{}, 200, 403},
			{"an app for a writer", storage.LevelControl, caller{actAs: writer}, 200, 200},
			{"an app for a reader", storage.LevelControl, caller{actAs: reader}, 200, 403},
			{"an app that may read for a writer", storage.LevelView, caller{actAs: writer}, 200, 403},
			{"an app for an outsider", storage.LevelControl, caller{actAs: outsider}, 403, 403},
			{"an app that is not provisioned", storage.LevelControl, caller{client: stranger}, 404, 404},
			{"a writer through it", storage.LevelControl, caller{client: stranger, user: writer}, 404, 404},
			{"somebody who names another", storage.LevelControl, caller{user: writer, actAs: reader}, 403, 403},
		}
		ids := w.ids()
		for _, c := range callers {
			w.provision(c.level)
			for _, o := range w.tries() {
				want := c.write
				if o.scope == "data:read" {
					want = c.read
				}
				got := w.call(c.who, o.method, fill(o.template, ids), o.body)
				if got.Status != want {
					t.Errorf("%s: %s %s: %d %s, want %d", c.name, o.method, o.template, got.Status, got.Body, want)
				}
				if o.scope != "data:read" && got.Status == 200 {
					ids = w.ids() // those may be gone
				}
			}
			if got := w.call(c.who, "GET", fill("/twins/{twinID}/documents/{documentID}/content", ids),
				nil); got.Status != c.read {
				t.Errorf("%s: content: %d %s, want %d", c.name, got.Status, got.Body, c.read)
			}
		}
		w.Must(w.Store.SetHubActive(t.Context(), w.Operator(), w.Hub.ID, false))
		w.refused(as(owner), "GET", w.path(""), nil, 404, "twin_not_found")
	})
}

// Rule: TWIN-5
func TestABadMutationSaysWhichOperationIsWrong(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		w.ok(as(writer), "POST", w.path("/mutate"), mutate("door", "text", "text"))
		one := func(op ...any) map[string]any { return map[string]any{"keys": []any{"a"}, "muts": []any{op}} }
		for _, c := range []struct {
			body         map[string]any
			code, source string
		}{
			{map[string]any{}, "bad_input", "/muts"},
			{map[string]any{"keys": []string{"a"}, "muts": []any{}}, "bad_input", "/muts"},
			{map[string]any{"keys": []string{"a", ""}, "muts": []any{[]any{"a"}, []any{"a"}}}, "bad_input", "/keys/1"},
			{one("q", "z", "c", 1), "bad_input", "/muts/0"},
			{one(), "bad_input", "/muts/0"},
			{one("i", "z", "c"), "bad_input", "/muts/0"},
			{one("i", "z", "c", nil), "bad_input", "/muts/0"},
			{one("i", "z", "c", []int{1}), "bad_input", "/muts/0"},
			{one("i", "z", "c d", 1), "bad_input", "/muts/0"},
			{one("i", "y", "c", 1), "bad_input", "/muts/0"},
			{one("i", "z", "c", 1, 2), "bad_input", "/muts/0"},
			{one("i", 1, "c", 1), "bad_input", "/muts/0"},
			{one("+", "z", "c", 1), "bad_input", "/muts/0"},
			{one("i", "n", "c", 1), "property_absent", "/muts/0"},
			{one("i", "z", "text", 1), "value_type", "/muts/0"},
			{map[string]any{"keys": []string{"a"}, "muts": []any{[]any{"a"}}, "desc": strings.Repeat("x", 1001)}, "bad_input",
				"/desc"},
			{map[string]any{"keys": []string{"a"}, "muts": []any{[]any{"a"}}, "modelId": "x"}, "malformed_id", "/modelId"},
			{map[string]any{"keys": []string{"a"}, "muts": []any{[]any{"a"}}, "twinId": "urn:portico:dtt:" + w.Ambient.UID()},
				"bad_input", "/twinId"},
		} {
			if got := w.refused(as(writer), "POST", w.path("/mutate"), c.body, 400, c.code); got.text(t, "source") != c.source {
				t.Errorf("%v: %s, want %s", c.body, got.Body, c.source)
			}
		}
		for path, body := range map[string]map[string]any{
			"/mutate": {"twinId": "x"}, "/tandem/v1/mutate": {"modelId": "x"}, "/documentsbulk": {"twinId": "x"},
			"/modeldata/" + w.modelURN() + "/mutate": {"twinId": "x"},
		} {
			if got := w.call(as(writer), "POST", path, body); got.Status != 400 ||
				!strings.HasPrefix(got.text(t, "source"), "/") {
				t.Errorf("%s %v: %d %s", path, body, got.Status, got.Body)
			}
		}
		w.ok(as(writer), "POST", w.path("/mutate"), one("c", "z", "n", 1.5))
		w.Equal(any(1.5), w.valueOf("a", "n"))
		history := w.ok(as(reader), "GET", w.path("/mutations?limit=1"), nil)
		w.Equal(any(2.0), history.value(t, "mutations", 0, "mutation"))
		w.Equal(writer, history.text(t, "mutations", 0, "userId"))
		w.ok(as(writer), "POST", w.path("/mutations/2/undo"), nil)
		w.Equal(any(nil), w.valueOf("a", "n"))
		w.Equal(any(true), w.ok(as(reader), "GET", w.path("/mutations/2"), nil).value(t, "changes", 0, "became"))
	})
}

func TestEveryKindOfFaultIsAProblem(t *testing.T) {
	for _, kind := range fault.Kinds() {
		recorder := httptest.NewRecorder()
		twins.WriteError(recorder, httptest.NewRequest("GET", "/", nil), fault.New(kind, "some_reason", "Some detail."))
		var p httpio.Problem
		if err := json.Unmarshal(recorder.Body.Bytes(), &p); err != nil || p.Status != recorder.Code || recorder.Code < 400 {
			t.Errorf("%v: %d %s %v", kind, recorder.Code, recorder.Body, err)
		}
		if (p.Detail == "Some detail.") == (kind == fault.Internal) {
			t.Errorf("%v tells %s", kind, recorder.Body)
		}
	}
}
