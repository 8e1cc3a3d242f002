package dataapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
)

// question is a read about many things at once.
type question struct {
	method, template string
	query            func(s *scene, on thing) string
	body             func(s *scene, on thing) any
}

const commandsPath = "/data/v1/projects/{project_id}/commands"

func questions() []question {
	none := func(*scene, thing) any { return nil }
	return []question{
		{http.MethodGet, foldersPath,
			func(_ *scene, on thing) string { return named(folderURN(on.folder)) }, none},
		{http.MethodGet, itemsPath,
			func(_ *scene, on thing) string { return named(itemURN(on.item)) }, none},
		{http.MethodPost, commandsPath,
			func(*scene, thing) string { return "" },
			func(_ *scene, on thing) any { return commandOf("ListItems", nil, "items", itemURN(on.item)) }},
	}
}

// named is the query for the ids.
func named(ids ...string) string { return "?" + url.Values{"filter[id]": ids}.Encode() }

// commandOf is the body of a command about resources of a type.
func commandOf(name string, data object, kind string, ids ...string) object {
	resources := []object{}
	for _, id := range ids {
		resources = append(resources, object{"type": kind, "id": id})
	}
	extension := object{"type": "commands:elsewhere.core:" + name, "version": "1.0.0"}
	if data != nil {
		extension["data"] = data
	}
	return object{"jsonapi": object{"version": "1.0"}, "data": object{
		"type": "commands", "attributes": object{"extension": extension},
		"relationships": object{"resources": object{"data": resources}},
	}}
}

// Rules: BATCH-1, BATCH-2
func TestManyFoldersOrItemsAreReadByTheirIDs(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		unknown := strings.Repeat("A", 22)
		folders := named(folderURN(s.inner), folderURN(s.hidden), folderURN(unknown), folderURN(s.outer),
			folderURN(s.plans.ID), folderURN(s.inner))
		items := named(itemURN(s.deepItem)+","+itemURN(s.deleted), itemURN(unknown), itemURN(s.report),
			itemURN(s.plan), itemURN(s.deepItem))
		for name, want := range map[string][2]string{
			"project admin": {"Inner Hidden Outer Plans", "deep.txt deleted.txt report.txt plan.txt"},
			"two-legged":    {"Inner Hidden Outer Plans", "deep.txt deleted.txt report.txt plan.txt"},
			"editor":        {"Inner Hidden Outer", "deep.txt deleted.txt report.txt"},
			"viewer":        {"Inner Outer", "deep.txt report.txt"},
			"deep viewer":   {"Inner", "deep.txt"},
		} {
			by := s.callersOnce(name)
			if got := strings.Join(names(s.ok(by, s.inTower("/folders"+folders)).many(t)), " "); got != want[0] {
				t.Errorf("folders for %s: %s, want %s", name, got, want[0])
			}
			got := s.ok(by, s.inTower("/items"+items))
			if all := strings.Join(names(got.many(t)), " "); all != want[1] ||
				strings.Join(names(got.doc(t).Included), " ") != want[1] {
				t.Errorf("items for %s: %s, with the tips %s, want %s", name, all, names(got.doc(t).Included), want[1])
			}
		}
		one := s.ok(as(s.viewer), s.inTower("/items"+named(itemURN(s.report)))).many(t)[0]
		if diff := cmp.Diff(s.ok(as(s.viewer), s.itemURL(s.report)).one(t), one); diff != "" {
			t.Errorf("an item (-alone +among others):\n%s", diff)
		}
		folder := s.ok(as(s.viewer), s.inTower("/folders"+named(folderURN(s.outer)))).many(t)[0]
		if diff := cmp.Diff(s.ok(as(s.viewer), s.folderURL(s.outer)).one(t), folder); diff != "" {
			t.Errorf("a folder (-alone +among others):\n%s", diff)
		}
		if got := s.ok(as(s.outsider), "/project/v1/hubs"); got.Status != http.StatusOK {
			t.Error("the outsider sees no hubs")
		}
	})
}

// Rule: BATCH-3
func TestWhatBatchesCanNotBeAskedIsRefused(t *testing.T) {
	s := newSQLiteScene(t)
	by := as(s.hubAdmin)
	var many []string
	for i := range 201 {
		many = append(many, folderURN(fmt.Sprintf("%022d", i)))
	}
	id := parameter("filter[id]")
	s.refused(by, s.inTower("/folders"), 400, "BAD_INPUT", id)
	s.refused(by, s.inTower("/items"), 400, "BAD_INPUT", id)
	s.refused(by, s.inTower("/folders"+named(many...)), 400, "BAD_INPUT", id)
	s.ok(by, s.inTower("/folders"+named(many[:200]...)))
	s.refused(by, s.inTower("/folders"+named(itemURN(s.report))), 400, "BAD_INPUT", id)
	s.refused(by, s.inTower("/items"+named(folderURN(s.outer))), 400, "BAD_INPUT", id)
	s.refused(by, s.inTower("/items"+named(itemURN(s.report))+"&sort=name"), 400, "UNKNOWN_PARAMETER", parameter("sort"))
}

// Rule: BATCH-8
func TestEveryStatusOfQuestionsAboutMany(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		on := thing{"Inner", s.inner, s.deepItem}
		for _, q := range questions() {
			path := at(q.template, map[string]string{"project_id": s.tower.ID}) + q.query(s, on)
			body := q.body(s, on)
			for _, tt := range []struct {
				status int
				by     caller
				path   string
				header []string
			}{
				{200, as(s.deep), path, nil},
				{400, as(s.deep), strings.Replace(path, s.tower.ID, "x", 1), nil},
				{400, as(s.deep), path + "&colour=red", nil},
				{401, caller{token: "-"}, path, nil},
				{403, caller{client: app, scope: "data:write"}, path, nil},
				{403, caller{client: stranger}, path, nil},
				{404, as(s.outsider), path, nil},
				{406, as(s.deep), path, []string{"Accept", apiType + "; ext=x"}},
				{415, as(s.deep), path, []string{"Content-Type", apiType + "; ext=x"}},
			} {
				if !strings.Contains(tt.path, "?") {
					tt.path = strings.Replace(tt.path, "&", "?", 1)
				}
				if got := s.send(q.method, tt.by, tt.path, body, tt.header...); got.Status != tt.status {
					t.Errorf("%s %s: %d, want %d: %s", q.method, tt.path, got.Status, tt.status, got.Body)
				}
			}
		}
		got := s.send(http.MethodPost, as(s.deep), s.inTower("/commands"), strings.Repeat(" ", 1<<20+1))
		if got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("a command that is too large: %d", got.Status)
		}
		for status, err := range map[int]error{500: fault.New(fault.Internal, "secret", "secret"),
			503: fault.New(fault.Unavailable, "x", "Again.")} {
			w.serve(failing{refusing{err}})
			for _, q := range questions() {
				path := at(q.template, map[string]string{"project_id": s.tower.ID}) + q.query(s, on)
				if got := s.send(q.method, as(s.deep), path, q.body(s, on)); got.Status != status ||
					strings.Contains(string(got.Body), "secret") {
					t.Errorf("%s %s: %d %s", q.method, path, got.Status, got.Body)
				}
			}
		}
	})
}

// commandAnswer is a command that was carried out, as a client reads it.
type commandAnswer struct {
	Data struct {
		Type, ID   string
		Attributes struct {
			Status    string
			Extension struct {
				Type, Version string
				Data          struct {
					RequiredActions []string
					Permissions     []struct {
						Type, ID   string
						Details    map[string]bool
						Permission bool
					}
				}
			}
		}
		Relationships struct {
			Resources struct {
				Data []struct {
					Type, ID string
					Meta     object
				}
			}
		}
	}
	Included []resource
}

func (s *scene) command(by caller, body object) (a commandAnswer) {
	s.Helper()
	got := s.mustSend(http.MethodPost, http.StatusOK, by, s.inTower("/commands"), body)
	s.Must(decode(got.Body, &a))
	if a.Data.Type != "commands" || a.Data.ID == "" || a.Data.Attributes.Status != "complete" ||
		a.Data.Attributes.Extension.Version != "1.0.0" {
		s.Errorf("the command: %s", got.Body)
	}
	return a
}

// Rule: BATCH-4
func TestACommandSaysWhatTheCallerMayDo(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		order := []string{"read", "view", "download", "upload", "collaborate", "create", "write", "updateMetaData",
			"delete", "share", "admin"}
		for name, want := range map[string]map[string]int{ // how many of the actions are allowed
			"hub admin":        {s.outer: 11, s.inner: 11, s.plans.ID: 11, s.hidden: 11, "absent": 0},
			"editor":           {s.outer: 9, s.inner: 9, s.plans.ID: 0, s.hidden: 9, "absent": 0},
			"viewer":           {s.outer: 2, s.inner: 2, s.plans.ID: 0, s.hidden: 0, "absent": 0},
			"service account":  {s.outer: 0, s.inner: 3, s.plans.ID: 0, s.hidden: 0, "absent": 0},
			"two-legged, view": {s.outer: 2, s.inner: 2, s.plans.ID: 2, s.hidden: 0, "absent": 0},
		} {
			var ids []string
			counts := map[string]int{}
			for uid, n := range want {
				if uid == "absent" {
					uid = strings.Repeat("A", 22)
				}
				ids = append(ids, folderURN(uid))
				counts[folderURN(uid)] = n
			}
			got := s.command(s.callersOnce(name),
				commandOf("CheckPermission", object{"requiredActions": order}, "folders", ids...))
			for i, p := range got.Data.Attributes.Extension.Data.Permissions {
				if p.ID != ids[i] || p.Type != "folders" || len(p.Details) != len(order) ||
					p.Permission != (counts[p.ID] == len(order)) {
					t.Errorf("%s: %+v", name, p)
				}
				for j, action := range order {
					if p.Details[action] != (j < counts[p.ID]) {
						t.Errorf("%s may %s in %s: %v, and is allowed %d", name, action, p.ID, p.Details[action], counts[p.ID])
					}
				}
			}
			if len(got.Data.Relationships.Resources.Data) != len(ids) ||
				!slices.Equal(got.Data.Attributes.Extension.Data.RequiredActions, order) {
				t.Errorf("%s: %+v", name, got)
			}
		}
		mixed := commandOf("CheckPermission", object{"requiredActions": []string{"view", "delete"}}, "items",
			itemURN(s.report), itemURN(s.deleted))
		got := s.command(as(s.viewer), mixed).Data.Attributes.Extension.Data.Permissions
		if got[0].Permission || !got[0].Details["view"] || got[0].Details["delete"] || got[1].Details["view"] {
			t.Errorf("items: %+v", got)
		}
	})
}

// Rule: BATCH-5
func TestACommandListsItemsWhole(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		body := commandOf("ListItems", object{"includePathInProject": true}, "items", itemURN(s.deepItem),
			itemURN(s.report), itemURN(s.deepItem))
		got := s.command(as(s.viewer), body)
		for i, uid := range []string{s.deepItem, s.report, s.deepItem} {
			entry := got.Data.Relationships.Resources.Data[i]
			var alone object
			s.Must(decode(s.ok(as(s.viewer), s.itemURL(uid)+"?includePathInProject=true").doc(t).Data, &alone))
			if diff := cmp.Diff(alone, entry.Meta); diff != "" || entry.ID != itemURN(uid) || entry.Type != "items" {
				t.Errorf("%+v (-alone +listed):\n%s", entry, diff)
			}
		}
		if tips := names(got.Included); !slices.Equal(tips, []string{"deep.txt", "report.txt"}) {
			t.Errorf("tips: %q", tips)
		}
		plain := s.command(as(s.viewer), commandOf("ListItems", nil, "items", itemURN(s.report)))
		attributes, _ := plain.Data.Relationships.Resources.Data[0].Meta["attributes"].(object)
		if _, with := attributes["pathInProject"]; with {
			t.Error("a path that nobody asked for")
		}
		const second = "/data/relationships/resources/data/1/id"
		for item, want := range map[string]struct {
			status int
			code   string
		}{s.plan: {403, "NO_PERMISSION"}, s.deleted: {404, "ITEM_NOT_FOUND"},
			strings.Repeat("A", 22): {404, "ITEM_NOT_FOUND"}} {
			s.refuses(http.MethodPost, as(s.viewer), s.inTower("/commands"),
				commandOf("ListItems", nil, "items", itemURN(s.report), itemURN(item)),
				want.status, want.code, pointer(second))
		}
	})
}

// Rule: BATCH-6
func TestACommandListsTheReferencesOfVersions(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		admin := writer(s.hubAdmin)
		s.refer(admin, s.versionURL(s.report, "1"), refTo("versions", versionURN(s.deepItem, "1")))
		s.refer(admin, s.versionURL(s.report, "1"), refTo("folders", folderURN(s.inner)))
		s.refer(admin, s.versionURL(s.plan, "1"), refTo("versions", versionURN(s.report, "1")))
		list := commandOf("ListRefs", nil, "versions", versionURN(s.report, "1"), versionURN(s.deepItem, "1"))
		for name, want := range map[string][]string{
			"hub admin": {"from " + versionURN(s.deepItem, "1"), "from " + folderURN(s.inner), "to " + versionURN(s.plan, "1"),
				"to " + versionURN(s.report, "1")},
			"viewer": {"from " + versionURN(s.deepItem, "1"), "from " + folderURN(s.inner), "to " + versionURN(s.report, "1")},
		} {
			got := s.command(s.callersOnce(name), list)
			var refs, included []string
			for _, ref := range got.Data.Relationships.Resources.Data {
				refs = append(refs, fmt.Sprint(ref.Meta["direction"], " ", ref.ID))
			}
			if diff := cmp.Diff(want, refs); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			for _, r := range got.Included {
				included = append(included, r.ID)
			}
			all := []string{versionURN(s.report, "1"), versionURN(s.deepItem, "1"), folderURN(s.inner),
				itemURN(s.report), itemURN(s.deepItem)}
			if name == "hub admin" {
				all = append(all, versionURN(s.plan, "1"), itemURN(s.plan))
			}
			if diff := cmp.Diff(sorted(all), sorted(included)); diff != "" {
				t.Errorf("%s, included (-want +got):\n%s", name, diff)
			}
		}
		s.refuses(http.MethodPost, as(s.deep), s.inTower("/commands"), list, 403, "NO_PERMISSION",
			pointer("/data/relationships/resources/data/0/id"))
	})
}

// Rule: BATCH-7
func TestACommandThatIsNoneIsRefusedWithItsPlace(t *testing.T) {
	s := newSQLiteScene(t)
	by := as(s.editor)
	good := func() object { return commandOf("ListItems", nil, "items", itemURN(s.report)) }
	in := func(body object, way ...string) object {
		for _, name := range way {
			body, _ = body[name].(object)
		}
		return body
	}
	extension := []string{"data", "attributes", "extension"}
	resources := []string{"data", "relationships", "resources"}
	var many []any
	for range 51 {
		many = append(many, object{"type": "items", "id": itemURN(s.report)})
	}
	for name, tt := range map[string]struct {
		change func(object)
		source string
	}{
		"no extension": {func(b object) { delete(in(b, "data", "attributes"), "extension") }, "/data/attributes"},
		"no type":      {func(b object) { delete(in(b, extension...), "type") }, "/data/attributes/extension"},
		"no version":   {func(b object) { delete(in(b, extension...), "version") }, "/data/attributes/extension"},
		"unknown command": {func(b object) { in(b, extension...)["type"] = "commands:x.core:CreateFolder" },
			"/data/attributes/extension/type"},
		"no command":      {func(b object) { in(b, extension...)["type"] = "ListItems" }, "/data/attributes/extension/type"},
		"no resources":    {func(b object) { delete(in(b, "data"), "relationships") }, "/data"},
		"none named":      {func(b object) { in(b, resources...)["data"] = []any{} }, "/data/relationships/resources/data"},
		"too many":        {func(b object) { in(b, resources...)["data"] = many }, "/data/relationships/resources/data"},
		"one, not a list": {func(b object) { in(b, resources...)["data"] = many[0] }, "/data/relationships/resources/data"},
		"a malformed id": {func(b object) { in(b, resources...)["data"] = []any{object{"type": "items", "id": "x"}} },
			"/data/relationships/resources/data/0/id"},
		"another type": {func(b object) {
			in(b, resources...)["data"] = []any{object{"type": "folders", "id": folderURN(s.outer)}}
		}, "/data/relationships/resources/data/0/type"},
		"a path of a number": {func(b object) { in(b, extension...)["data"] = object{"includePathInProject": 1} },
			"/data/attributes/extension/data/includePathInProject"},
		"another document": {func(b object) { in(b, "data")["type"] = "items" }, "/data/type"},
	} {
		body := good()
		tt.change(body)
		got := s.send(http.MethodPost, by, s.inTower("/commands"), body)
		if d := got.doc(t); got.Status != http.StatusBadRequest || d.Errors[0].Source["pointer"] != tt.source {
			t.Errorf("%s: %d %s, want the place %s", name, got.Status, got.Body, tt.source)
		}
	}
	for name, data := range map[string]object{
		"no actions": {}, "none": {"requiredActions": []string{}},
		"an unknown one": {"requiredActions": []string{"view", "burn"}},
		"a number":       {"requiredActions": []int{1}}, "one, not a list": {"requiredActions": "view"},
	} {
		got := s.send(http.MethodPost, by, s.inTower("/commands"),
			commandOf("CheckPermission", data, "folders", folderURN(s.outer)))
		if got.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	s.command(by, good())
	s.command(by, commandOf("CheckPermission", object{"requiredActions": []string{"view"}}, "folders", folderURN(s.outer)))
}
