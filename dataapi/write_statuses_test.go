package dataapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// writeRow is a line of S2 section 7 for a change: an answer that it must be
// able to give, with its error document.
type writeRow struct {
	operation, method, path string
	by                      caller
	body                    any
	header                  []string
	status                  int
	want                    errorObject // without id and status
}

const (
	posts   = http.MethodPost
	patches = http.MethodPatch
)

// commonRows are the refusals that every change has: who asks, and where.
func (s *scene) commonRows(o writing, on thing) []writeRow {
	path := at(o.template, s.ids(on.folder, on.item)) + o.query(s, on)
	body := o.body(s, on)
	noScope := errorObject{Code: "INSUFFICIENT_SCOPE", Title: "Forbidden",
		Detail: "The access token lacks the scope " + o.scope + "."}
	readsOnly := as(s.editor)
	malformed := errorObject{Code: "MALFORMED_ID", Title: badTitle, Source: parameter("project_id"),
		Detail: "The id must look like b.<UUID>, percent-encoded once."}
	inactive := errorObject{Code: "PROJECT_INACTIVE", Title: badTitle, Source: parameter("project_id"),
		Detail: "The project is not active. An administrator of the hub can activate it."}
	off, files, _ := s.project(s.hub, "Off "+o.name)
	_, err := s.Admin.SetProjectActive(s.Context(), s.Operator(), off.ID, false)
	s.Must(err)
	rows := []writeRow{
		{o.name, o.method, strings.Replace(path, s.tower.ID, "x", 1), writer(s.editor), body, nil, 400, malformed},
		{o.name, o.method, path, caller{token: "-"}, body, nil, 401,
			errorObject{Code: "MISSING_TOKEN", Title: "Unauthorized", Detail: "Access token provided is invalid or expired."}},
		{o.name, o.method, path, caller{token: "x.y.z"}, body, nil, 401,
			errorObject{Code: "INVALID_TOKEN", Title: "Unauthorized", Detail: "Access token provided is invalid or expired."}},
		{o.name, o.method, path, readsOnly, body, nil, 403, noScope},
		{o.name, o.method, path, asWriter(caller{client: stranger}), body, nil, 403,
			errorObject{Code: "APP_NOT_PROVISIONED", Title: "Forbidden", Detail: provisionText}},
		{o.name, o.method, path, writer(s.outsider), body, nil, 404,
			errorObject{Code: "PROJECT_NOT_FOUND", Title: "Not found", Detail: "There is no such project."}},
		{o.name, o.method, path, writer(s.editor), body, []string{"Accept", apiType + "; ext=x"}, 406,
			errorObject{Code: "NOT_ACCEPTABLE", Title: "Not acceptable",
				Source: headerNamed("Accept"), Detail: "Accept lists " + apiType + " only with parameters; list it without."}},
		{o.name, o.method, path, writer(s.editor), strings.Repeat(" ", 1<<20+1), nil, 413,
			errorObject{Code: "INVALID_REQUEST", Title: "Too large", Detail: "The body is larger than 1048576 bytes."}},
		{o.name, o.method, path, writer(s.editor), body, []string{"Content-Type", "text/plain"}, 415,
			errorObject{Code: "UNSUPPORTED_MEDIA_TYPE", Title: "Unsupported media type",
				Source: headerNamed("Content-Type"), Detail: "Send the body in UTF-8, as " + apiType +
					" or application/json without further parameters."}},
	}
	if o.method == posts {
		here := strings.Replace(path, s.tower.ID, off.ID, 1)
		rows = append(rows, writeRow{o.name, o.method, here, writer(s.hubAdmin),
			newFolder(files.ID, "x"), nil, 400, inactive})
	}
	return rows
}

// ownRows are the others, operation by operation.
func (s *scene) ownRows() []writeRow {
	editor, viewer := writer(s.editor), writer(s.viewer)
	unknown := strings.Repeat("A", 22)
	right := func(deed, level, source string) errorObject {
		return errorObject{Code: "NO_PERMISSION", Title: "Forbidden", Source: pointer(source),
			Detail: "You have no permission to " + deed + ": it takes the level " + level + " there."}
	}
	absent := func(what string, source map[string]string) errorObject {
		return errorObject{Code: strings.ToUpper(what) + "_NOT_FOUND", Title: "Not found",
			Detail: "There is no such " + what + ".", Source: source}
	}
	bad := func(detail, source string) errorObject {
		return errorObject{Code: "BAD_INPUT", Title: badTitle, Detail: detail, Source: pointer(source)}
	}
	conflict := func(code, detail, source string) errorObject {
		return errorObject{Code: code, Title: "Conflict", Detail: detail, Source: pointer(source)}
	}
	stored := s.stored()
	renamed := func(name string) object { return patchOf("folders", folderURN(s.inner), object{"name": name}) }
	named := func(name string) object { return patchOf("items", itemURN(s.report), object{"displayName": name}) }
	called := func(name string) object { return patchOf("versions", versionURN(s.report, "2"), object{"name": name}) }
	outOfSight := errorObject{Code: "NO_PERMISSION", Title: "Forbidden",
		Detail: "You have no permission to see this folder.", Source: pointer("/data/relationships/parent/data/id")}
	changed := errorObject{Code: "CHANGED", Title: "Precondition failed",
		Detail: "It was changed meanwhile: read it again.", Source: headerNamed("If-Match")}
	const atParent = "/data/relationships/parent/data/id"
	stale := []string{"If-Match", `"999-x"`}
	return []writeRow{
		{"create folder", posts, s.folders(), editor, newFolder(s.inner, ""), nil, 400,
			bad("A name has 1 to 255 characters, this one 0.", "/data/attributes/name")},
		{"create folder", posts, s.folders(), viewer, newFolder(s.inner, "x"), nil, 403,
			right("create folders in this folder", "collaborate", atParent)},
		{"create folder", posts, s.folders(), writer(s.deep), newFolder(s.outer, "x"), nil, 403, outOfSight},
		{"create folder", posts, s.folders(), editor, newFolder(unknown, "x"), nil, 404, absent("folder", pointer(atParent))},
		{"create folder", posts, s.folders(), editor, newFolder(s.outer, "middle"), nil, 409,
			conflict("NAME_TAKEN", "Another folder in this folder has the name.", "/data/attributes/name")},
		{"create folder", posts, s.folders(), editor, newFolder(s.inner, "new"), nil, 201, errorObject{}},

		{"patch folder", patches, s.folderURL(s.inner), editor, with(renamed("x"), folderURN(s.outer), "data", "id"), nil,
			400, bad("The id must be the one in the path.", "/data/id")},
		{"patch folder", patches, s.folderURL(s.inner), editor, with(renamed("x"), "items", "data", "type"), nil, 400,
			bad("The type must be folders.", "/data/type")},
		{"patch folder", patches, s.folderURL(s.inner), viewer, renamed("x"), nil, 403,
			right("rename or describe this", "collaborate", "/data/attributes")},
		{"patch folder", patches, s.folderURL(s.inner), viewer,
			patchOf("folders", folderURN(s.inner), object{"hidden": true}), nil, 403,
			right("hide or restore this", "edit", "/data/attributes/hidden")},
		{"patch folder", patches, s.folderURL(s.inner), viewer, moveOf("folders", folderURN(s.inner), s.outer), nil, 403,
			right("move anything out of or into this folder", "edit", atParent)},
		{"patch folder", patches, s.folderURL(s.inner), editor,
			patchOf("folders", folderURN(s.inner), object{"objectCount": 7}), nil, 403, errorObject{
				Code: "UNSUPPORTED_CHANGE", Title: "Forbidden", Source: pointer("/data/attributes/objectCount"),
				Detail: "objectCount can't be changed in this way: leave it out, or send it as it is."}},
		{"patch folder", patches, s.folderURL(unknown), editor, renamed("x"), nil, 404, absent("folder", nil)},
		{"patch folder", patches, s.folderURL(s.middle), editor,
			patchOf("folders", folderURN(s.middle), object{"name": "Middle 2"}), nil, 200, errorObject{}},
		{"patch folder", patches, s.folderURL(s.hidden), editor,
			patchOf("folders", folderURN(s.hidden), object{"name": "middle 2", "hidden": false}), nil, 409,
			conflict("NAME_TAKEN", "Another folder in this folder has the name.", "/data/attributes/name")},
		{"patch folder", patches, s.folderURL(s.inner), editor, renamed("x"), stale, 412, changed},

		{"create item", posts, s.items(), editor, newItem(s.inner, "a/b", stored), nil, 400, errorObject{}},
		{"create item", posts, s.items(), viewer, newItem(s.inner, "x", stored), nil, 403,
			right("create items in this folder", "publish", atParent)},
		{"create item", posts, s.items(), editor, newItem(unknown, "x", stored), nil, 404,
			absent("folder", pointer(atParent))},
		{"create item", posts, s.items(), editor, newItem(s.outer, "REPORT.txt", stored), nil, 409,
			conflict("NAME_TAKEN", "Another item in this folder has the name.", "/data/attributes/displayName")},
		{"create item", posts, s.items(), editor, newItem(s.inner, "new", stored), nil, 201, errorObject{}},

		{"patch item", patches, s.itemURL(s.report), editor, with(named("x"), itemURN(s.plan), "data", "id"), nil, 400,
			bad("The id must be the one in the path.", "/data/id")},
		{"patch item", patches, s.itemURL(s.report), viewer, named("x"), nil, 403,
			right("rename or describe this", "collaborate", "/data/attributes")},
		{"patch item", patches, s.itemURL(unknown), editor, named("x"), nil, 404, absent("item", nil)},
		{"patch item", patches, s.itemURL(s.report), editor, named("Reserved.txt"), nil, 409,
			conflict("NAME_TAKEN", "Another item in this folder has the name.", "/data/attributes/displayName")},
		{"patch item", patches, s.itemURL(s.report), editor, named("report 2.txt"), nil, 200, errorObject{}},
		{"patch item", patches, s.itemURL(s.report), editor, named("x"), stale, 412, changed},

		{"create version", posts, s.versions(), editor, newVersion(s.report, " x", s.stored()), nil, 400,
			bad("A name neither begins nor ends with a blank or a dot.", "/data/attributes/name")},
		{"create version", posts, s.versions(), viewer, newVersion(s.report, "x", s.stored()), nil, 403,
			right("add versions to this item", "collaborate", "/data/relationships/item/data/id")},
		{"create version", posts, s.versions(), editor, newVersion(unknown, "x", s.stored()), nil, 404,
			absent("item", pointer("/data/relationships/item/data/id"))},
		{"create version", posts, s.versions(), editor, newVersion(s.report, "x", stored), nil, 409,
			conflict("OBJECT_USED", "Another item has the object: upload the bytes anew, or copy the version.",
				"/data/relationships/storage/data/id")},
		{"create version", posts, s.versions(), editor, newVersion(s.report, "x", s.stored()), nil, 201, errorObject{}},

		{"patch version", patches, s.versionURL(s.report, "2"), editor,
			with(called("x"), versionURN(s.report, "1"), "data", "id"), nil, 400,
			bad("The id must be the one in the path.", "/data/id")},
		{"patch version", patches, s.versionURL(s.report, "2"), viewer, called("x"), nil, 403,
			right("rename or describe this", "collaborate", "/data/attributes")},
		{"patch version", patches, s.versionURL(s.report, "9"), editor, called("x"), nil, 404, absent("version", nil)},
		{"patch version", patches, s.versionURL(s.report, "2"), editor, called("x.txt"), nil, 200, errorObject{}},
		{"patch version", patches, s.versionURL(s.report, "2"), editor, called("x"), stale, 412, changed},
	}
}

// check makes the requests of the rows and compares the answers; refusals leave
// everything as it was.
func (s *scene) check(rows ...writeRow) {
	s.Helper()
	before := s.snapshot()
	for _, r := range rows {
		s.answers(r)
		after := s.snapshot()
		if r.status >= 400 && after != before {
			s.Errorf("%s was refused with %d, and something has changed", r.operation, r.status)
		}
		before = after
	}
}

// answers makes the request of a row and compares the answer.
func (s *scene) answers(r writeRow) {
	s.Helper()
	got := s.send(r.method, r.by, r.path, r.body, r.header...)
	if got.Status != r.status {
		s.Errorf("%s, %s: %d, want %d\n%s", r.operation, r.path, got.Status, r.status, got.Body)
		return
	}
	if r.status < 400 {
		return
	}
	if r.want.Code == "" {
		return // compared elsewhere
	}
	want := r.want
	want.ID, want.Status = got.Header.Get("X-Request-Id"), strconv.Itoa(r.status)
	var document struct {
		JSONAPI map[string]string `json:"jsonapi"`
		Errors  []errorObject     `json:"errors"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(got.Body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		s.Errorf("%s: %v: %s", r.operation, err, got.Body)
		return
	}
	if diff := cmp.Diff([]errorObject{want}, document.Errors); diff != "" || document.JSONAPI["version"] != "1.0" {
		s.Errorf("%s, %s (-want +got):\n%s", r.operation, r.path, diff)
	}
}

// Rules: DATA-4, DATA-44, DATA-61
func TestEveryStatusOfEveryChangeWithItsDocument(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		on := thing{"Inner", s.inner, s.deepItem}
		for _, o := range everyEndpoint() {
			s.check(s.commonRows(o, on)...)
			if got := s.run(o, writer(s.editor), on); got.Status != o.done {
				t.Errorf("%s, by whom it may be done: %d %s", o.name, got.Status, got.Body)
			}
		}
		s.check(s.ownRows()...)
	})
}

// Rules: DATA-71, DATA-72
func TestWhatIsLockedIs423(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		other := s.User("OTHEROTHEROTHERO")
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: other, Level: storage.LevelEdit})
		_, _, item, err := s.Store.FindItem(t.Context(), storage.Caller{}, s.tower.ID, s.reserved)
		s.Must(err)
		reserved := errorObject{Code: "RESERVED", Title: "Locked", Detail: "Somebody else has reserved the item.",
			Meta: map[string]string{
				"reservedUserId": s.editor, "reservedUserName": "Name of " + s.editor,
				"reservedUntil": jsonapi.FormatTime(item.Item.ReservedUntil),
			}}
		rename := patchOf("items", itemURN(s.reserved), object{"displayName": "x"})
		for _, r := range []writeRow{
			{"rename", patches, s.itemURL(s.reserved), writer(other), rename, nil, 423, reserved},
			{"reserve", patches, s.itemURL(s.reserved), writer(other),
				patchOf("items", itemURN(s.reserved), object{"reserved": true}), nil, 423, reserved},
			{"release", patches, s.itemURL(s.reserved), writer(other),
				patchOf("items", itemURN(s.reserved), object{"reserved": false}), nil, 423, reserved},
			{"version", posts, s.versions(), writer(other), newVersion(s.reserved, "x", s.stored()), nil, 423, reserved},
			{"version", posts, s.versions(), writer(""), newVersion(s.reserved, "x", s.stored()), nil, 423, reserved},
			{"delete", posts, s.versions(), writer(s.hubAdmin), deletion(s.reserved), nil, 423, reserved},
			{"rename version", patches, s.versionURL(s.reserved, "1"), writer(other),
				patchOf("versions", versionURN(s.reserved, "1"), object{"name": "x"}), nil, 423, reserved},
		} {
			s.check(r)
		}
		refused := s.send(patches, writer(other), s.itemURL(s.reserved), rename)
		seconds, err := strconv.Atoi(refused.Header.Get("Retry-After"))
		if left := item.Item.ReservedUntil.Sub(s.Ambient.Now()); err != nil || time.Duration(seconds)*time.Second < left {
			t.Errorf("Retry-After %q, and %v are left", refused.Header.Get("Retry-After"), left)
		}
		s.changes(writer(s.editor), s.itemURL(s.reserved), rename) // whoever has it

		on := thing{"Inner", s.inner, s.deepItem}
		bodies := s.bodies(on)
		_, err = s.Admin.ArchiveProject(t.Context(), s.Operator(), s.tower.ID, true)
		s.Must(err)
		archived := errorObject{Code: "PROJECT_ARCHIVED", Title: "Locked",
			Detail: "The project is archived: nothing changes in it."}
		for _, o := range writings() {
			s.check(writeRow{o.name, o.method, at(o.template, s.ids(on.folder, on.item)) + o.query(s, on), writer(s.editor),
				bodies[o.name], nil, 423, archived})
		}
		s.ok(as(s.editor), s.folderURL(s.inner)) // reading goes on
		_, err = s.Admin.ArchiveProject(t.Context(), s.Operator(), s.tower.ID, false)
		s.Must(err)
		for _, o := range everyEndpoint() {
			if got := s.run(o, writer(s.editor), on); got.Status != o.done {
				t.Errorf("%s, reopened: %d %s", o.name, got.Status, got.Body)
			}
		}
	})
}

// Rule: DATA-73
func TestAProjectThatOthersRearrangeIs423WithAnInvitationToComeBack(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	on := thing{"Inner", s.inner, s.deepItem}
	busy := fault.New(fault.Locked, storage.ReasonProjectBusy,
		"The project is being rearranged. Try again in a moment.").After(2 * time.Second)
	bodies := s.bodies(on)
	w.serve(stuck{readable{w.Store}, refusing{busy}})
	for _, o := range everyEndpoint() {
		got := s.send(o.method, writer(s.editor), at(o.template, s.ids(on.folder, on.item)), bodies[o.name])
		if got.Status != http.StatusLocked || got.doc(t).Errors[0].Code != "PROJECT_BUSY" ||
			got.Header.Get("Retry-After") != "2" {
			t.Errorf("%s: %d %v %s", o.name, got.Status, got.Header, got.Body)
		}
	}
}

// Rule: DATA-5
func TestAFailureOfTheStoreInAChangeIsOursAndTellsNothing(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	on := thing{"Inner", s.inner, s.deepItem}
	bodies := s.bodies(on)
	for status, err := range map[int]error{
		500: fault.New(fault.Internal, "secret", "secret").With("secret", "secret"),
		503: fault.New(fault.Unavailable, "store_unavailable", "The database is out of reach. Try again in a moment."),
	} {
		for _, store := range []apiStore{failing{refusing{err}}, stuck{readable{w.Store}, refusing{err}}} {
			w.serve(store)
			for _, o := range writings() {
				got := s.send(o.method, writer(s.editor), at(o.template, s.ids(on.folder, on.item))+o.query(s, on), bodies[o.name],
					"Idempotency-Key", "k")
				if got.Status != status || strings.Contains(string(got.Body), "secret") ||
					slices.Contains(got.Header.Values("Location"), "") {
					t.Errorf("%s: %d %s", o.name, got.Status, got.Body)
				}
			}
		}
	}
}

// Rule: DATA-94
func TestWhatIsRemovedForGoodBeforeItsChangeIsNotFoundUnderItsName(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	on := thing{"Inner", s.inner, s.deepItem}
	bodies := s.bodies(on)
	w.serve(stuck{readable{w.Store}, refusing{fault.New(fault.NotFound, "", "There is no such row.")}})
	for _, o := range everyEndpoint() {
		want, known := map[string]string{
			folderPath: "FOLDER_NOT_FOUND", itemPath: "ITEM_NOT_FOUND", versionPath: "VERSION_NOT_FOUND",
			versionsPath: "ITEM_NOT_FOUND",
		}[o.template]
		if !known {
			continue // nothing that was there changes
		}
		s.refusal(o.method, writer(s.editor), at(o.template, s.ids(on.folder, on.item)), bodies[o.name], 404, want,
			map[string]map[string]string{
				versionsPath: pointer("/data/relationships/item/data/id"),
			}[o.template])
	}
}
