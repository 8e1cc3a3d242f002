package moving_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/moving"
	"github.com/portico-id/portico/storage"
)

const (
	hash  = "$2b$04$PPEOFsPt6pdNF13ACeXRFubiaM6yKcf7.gUQFSWzWTpfz6knRLFYK"
	staff = `{"group":{"name":"Staff","description":"Who works here"}}`
	ann   = `{"user":{"id":"f50a74a7-6557","email":"ann@example.test","email_verified":true,"name":"Ann Lee",` +
		`"preferred_username":"ann","groups":["staff","Guests"],"password_hash":"` + hash + `"}}`
	wiki = `{"client":{"client_id":"wiki","type":"web","client_secrets":["Zc6N0bqkVt1h8XoSxgTnq2rJ5uLw9eAd"],` +
		`"redirect_uris":["https://wiki.example.test/cb"],"require_pkce":true}}`
)

// Rule: MOVE-1
func TestADocumentBringsPeopleGroupsAndClients(t *testing.T) {
	h := newHouse(t)
	report := h.imports(moving.How{}, staff, "", ann, wiki, `{"note":"Something to do."}`)
	want := moving.Report{Imported: true, Groups: moving.Count{New: 2}, Users: moving.Count{New: 1},
		Clients: moving.Count{New: 1}, Faults: []moving.Fault{}, Differs: []moving.Differ{},
		Notes: []moving.Note{{Line: 5, Text: "Something to do."}}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	user, kept, err := h.store.FindUserByLogin(t.Context(), "ann")
	if err != nil || user.ID != "f50a74a7-6557" || !user.EmailVerified || user.Profile.Name != "Ann Lee" || kept != hash {
		t.Errorf("user %+v, %s, %v", user, kept, err)
	}
	groups, err := h.store.ListGroupsOfUser(t.Context(), user.ID)
	if err != nil || len(groups) != 2 || groups[0].Name != "Guests" || groups[1].Name != "Staff" {
		t.Errorf("groups %+v, %v", groups, err)
	}
	client, err := h.store.FindClient(t.Context(), "wiki")
	if err != nil || client.Profile != storage.ProfileStandard || len(client.Secrets) != 1 || !client.RequirePKCE ||
		client.IDTokenAlg != "RS256" || client.Name != "wiki" {
		t.Errorf("client %+v, %v", client, err)
	}
	for kind, subject := range map[string]string{"user.created": user.ID, "client.created": "wiki",
		"user_group.created": groups[0].ID, "user_group.member_added": groups[1].ID} {
		events, _, err := h.store.ListAudit(t.Context(), storage.AuditFilter{Subject: subject}, storage.PageRequest{})
		if err != nil || !slices.ContainsFunc(events, func(e storage.AuditEvent) bool { return e.Kind == kind }) {
			t.Errorf("%s of %s is not in the audit trail: %+v, %v", kind, subject, events, err)
		}
	}
}

// Rule: MOVE-2
func TestASecondTimeChangesNothingAndWhoIsHereStaysAsTheyAre(t *testing.T) {
	h := newHouse(t)
	h.imports(moving.How{}, staff, ann, wiki)
	before := h.kept()
	report := h.imports(moving.How{}, staff, ann, wiki)
	if report.Groups != (moving.Count{Same: 1}) || report.Users != (moving.Count{Same: 1}) ||
		report.Clients != (moving.Count{Same: 1}) || report.Changed != 0 || h.kept() != before {
		t.Errorf("the second time: %+v", report)
	}
	other := strings.NewReplacer("Ann Lee", "Anna Lee", `"Guests"`, `"Bosses"`, "true,\"name", "false,\"name").Replace(ann)
	report = h.imports(moving.How{}, strings.Replace(staff, "works", "sleeps", 1), other,
		strings.NewReplacer("wiki.example", "other.example", "Zc6N", "AAAA").Replace(wiki))
	want := []moving.Differ{{Line: 1, Entry: "Staff", Fields: []string{"description"}},
		{Line: 2, Entry: "ann@example.test", Fields: []string{"name", "email_verified", "groups"}},
		{Line: 3, Entry: "wiki", Fields: []string{"client_secrets", "redirect_uris"}}}
	if diff := cmp.Diff(want, report.Differs); diff != "" || report.Changed != 3 {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
	user, err := h.store.FindUser(t.Context(), "f50a74a7-6557")
	if err != nil || user.Profile.Name != "Ann Lee" || h.kept() != before {
		t.Errorf("who was here became %+v, %v; %v", user, err, h.kept())
	}
}

// Rule: MOVE-2
func TestADryRunKeepsNothingAndSaysWhatItWouldDo(t *testing.T) {
	h := newHouse(t)
	dry := h.imports(moving.How{DryRun: true}, staff, ann, wiki)
	if h.kept() != [3]int{} || dry.Imported {
		t.Errorf("a dry run kept %v", h.kept())
	}
	real := h.imports(moving.How{}, staff, ann, wiki)
	dry.Imported = true
	if diff := cmp.Diff(real, dry); diff != "" || h.kept() != [3]int{1, 2, 1} {
		t.Errorf("it said otherwise than it was (-real +dry):\n%s", diff)
	}
}

// Rules: MOVE-1, MOVE-6
func TestWhatIsWrongIsNamedAndNothingIsHalfImported(t *testing.T) {
	user := func(more string) string { return `{"user":{"email":"bo@example.test"` + more + `}}` }
	app := func(more string) string { return `{"client":{"client_id":"board"` + more + `}}` }
	for name, c := range map[string]struct{ line, field, says string }{
		"no JSON":              {`{"user":`, "", "no JSON object"},
		"a list":               {`[]`, "", "must not be a array"},
		"two objects":          {staff + staff, "", "more than one"},
		"nothing":              {`{}`, "", "one of group, user, client and note"},
		"two kinds":            {`{"group":{"name":"G"},"client":{"client_id":"c"}}`, "", "one of"},
		"another kind":         {`{"role":{"name":"G"}}`, "role", "no such field"},
		"broken UTF-8":         {"{\"note\":\"\xff\"}", "", "UTF-8"},
		"a long line":          {`{"note":"` + strings.Repeat("x", 1<<20) + `"}`, "", "longer than"},
		"no address":           {`{"user":{"preferred_username":"bo-ek"}}`, "email", "one e-mail address"},
		"no such field":        {user(`,"shoe_size":"44"`), "shoe_size", "no such field"},
		"a number for a text":  {user(`,"name":{}`), "name", "must be a text"},
		"an id with a slash":   {user(`,"id":"a/b"`), "id", "must be 1 to 100"},
		"a user name":          {user(`,"preferred_username":"b@o"`), "preferred_username", "must be"},
		"groups in a text":     {user(`,"groups":"staff"`), "groups", "a list of names"},
		"a group without name": {user(`,"groups":[" "]`), "groups", "1 to 100"},
		"a flag in a text":     {user(`,"disabled":"yes"`), "disabled", "true or false"},
		"an unknown hash":      {user(`,"password_hash":"$6$abcdefgh$abcdefgh"`), "password_hash", "sha512crypt"},
		"a costly hash":        {user(`,"password_hash":"$2b$31` + hash[6:] + `"`), "password_hash", "costs more"},
		"somebody's address":   {`{"user":{"id":"X1","email":"ANN@example.test"}}`, "email", "Somebody else has"},
		"somebody's user name": {user(`,"preferred_username":"ANN"`), "preferred_username", "Somebody else has"},
		"a group":              {`{"group":{"name":" "}}`, "name", "1 to 100"},
		"a client's type":      {app(`,"type":"robot"`), "type", "one of"},
		"a client's field":     {app(`,"type":"web","shoe":1`), "shoe", "no such field"},
		"a wildcard":           {app(`,"type":"web","redirect_uris":["https://*.example.test/"]`), "redirect_uris", "https"},
		"a hash of a secret":   {app(`,"type":"service","client_secret_hashes":["$6$x$y"]`), "client_secret_hashes", "sha512crypt"},
		"a public secret":      {app(`,"type":"spa","redirect_uris":["https://b.example.test/"],"client_secrets":["x"]`), "client_secrets", "two secrets"},
		"a client's id":        {`{"client":{"client_id":"https://b.example.test","type":"web"}}`, "client_id", "no web address"},
		"a beginning of one":   {`{"client":{"client_id":"https://","type":"web"}}`, "client_id", "no web address"},
		"a text for a list":    {app(`,"type":"web","scopes":"openid"`), "scopes", "must not be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			report := h.imports(moving.How{}, staff, ann, c.line, wiki)
			if report.Imported || report.Wrong != 1 || h.kept() != [3]int{} {
				t.Fatalf("%+v, kept %v", report, h.kept())
			}
			f := report.Faults[0]
			if f.Line != 3 || f.Field != c.field || !strings.Contains(f.Detail, c.says) {
				t.Errorf("it said %+v, want field %q and %q", f, c.field, c.says)
			}
			if strings.Contains(fmt.Sprint(report), "PPEOFsPt6pdNF13ACeXRF") {
				t.Error("the report shows a hash")
			}
			report = h.imports(moving.How{KeepGoing: true}, staff, ann, c.line, wiki)
			if !report.Imported || report.Wrong != 1 || len(report.Faults) != 1 || h.kept() != [3]int{1, 2, 1} {
				t.Errorf("kept going: %+v, kept %v", report, h.kept())
			}
		})
	}
}

// Rule: MOVE-1
func TestWhoStandsTwiceInADocumentComesOnce(t *testing.T) {
	h := newHouse(t)
	report := h.imports(moving.How{KeepGoing: true}, ann, ann,
		`{"user":{"id":"B2","email":"bo@example.test","preferred_username":"ann"}}`, wiki, wiki)
	if report.Users != (moving.Count{New: 1, Same: 1, Wrong: 1}) || report.Clients != (moving.Count{New: 1, Same: 1}) ||
		report.Faults[0].Line != 3 {
		t.Errorf("%+v", report)
	}
}

// More than are judged at once, and more faults than are told.
//
// Rule: MOVE-1
func TestWhoIsToBeInAGroupOfACompanyIsNamed(t *testing.T) {
	h := newHouse(t)
	works := storage.SCIMConnection{ID: strings.Repeat("w", 22), Name: "Works", CreatedAt: h.act.At}
	group := storage.SCIMGroup{DisplayName: "Crew", SCIMResource: storage.SCIMResource{ConnectionID: works.ID,
		ID: strings.Repeat("g", 22), CreatedAt: h.act.At, UpdatedAt: h.act.At}}
	if err := h.store.CreateSCIMConnection(t.Context(), h.act, works); err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.CreateSCIMGroup(t.Context(), h.act, group, nil); err != nil {
		t.Fatal(err)
	}
	lines := []string{ann, `{"user":{"email":"bo@example.test","groups":["New","crew"]}}`, wiki}
	report := h.imports(moving.How{}, lines...)
	if report.Imported || report.Wrong != 1 || report.Faults[0].Line != 2 || report.Faults[0].Field != "groups" ||
		!strings.Contains(report.Faults[0].Detail, "Works") {
		t.Errorf("it said %+v", report)
	}
	if report = h.imports(moving.How{KeepGoing: true}, lines...); !report.Imported || report.Wrong != 1 ||
		report.Users.New != 1 || report.Clients.New != 1 {
		t.Errorf("kept going: %+v", report)
	}
}

// Rule: MOVE-1
func TestALongDocumentIsReadInParts(t *testing.T) {
	h := newHouse(t)
	var lines []string
	for i := range 1200 {
		lines = append(lines, fmt.Sprintf(`{"user":{"email":"p%d@example.test","groups":["g%d"]}}`, i, i%7))
		if i%10 == 0 {
			lines = append(lines, `{"user":{"email":"nobody"}}`)
		}
	}
	report := h.imports(moving.How{}, lines...)
	if report.Wrong != 120 || len(report.Faults) != 100 || report.Users.New != 1200 || h.kept() != [3]int{} {
		t.Errorf("%d wrong, %d told, %+v, kept %v", report.Wrong, len(report.Faults), report.Users, h.kept())
	}
	h.imports(moving.How{KeepGoing: true}, lines...)
	if h.kept() != [3]int{1200, 7, 0} {
		t.Errorf("kept %v", h.kept())
	}
}

// As where an administrator makes it: apps are told the name, and compare it.
//
// Rule: MOVE-1
func TestAGroupComesWithoutSpacesAroundItsName(t *testing.T) {
	h := newHouse(t)
	padded := `{"group":{"name":" Staff ","description":" Who works here "}}`
	h.imports(moving.How{}, padded, `{"user":{"id":"a1","email":"ann@example.test","groups":["Staff"]}}`)
	groups, err := h.store.ListGroupsOfUser(t.Context(), "a1")
	if err != nil || len(groups) != 1 || groups[0].Name != "Staff" || groups[0].Description != "Who works here" {
		t.Errorf("%+v, %v", groups, err)
	}
	if again := h.imports(moving.How{}, padded); again.Groups != (moving.Count{Same: 1}) {
		t.Errorf("again: %+v", again)
	}
}
