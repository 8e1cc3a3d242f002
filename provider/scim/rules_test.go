package scim_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func replaced(text, with string) string { return strings.Replace(text, "%s", with, 1) }

// Rule: SCIM-1
func TestOnlyTokensOfTheConnectionCount(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		other, token := w.connect("Other")
		for name, c := range map[string]struct {
			path, token string
			want        int
		}{
			"its own":          {w.company.ID, "Bearer " + w.token, 200},
			"small letters":    {w.company.ID, "bearer " + w.token, 200},
			"none":             {w.company.ID, "", 401},
			"basic":            {w.company.ID, "Basic " + w.token, 401},
			"made up":          {w.company.ID, "Bearer scim_nothing", 401},
			"of another":       {w.company.ID, "Bearer " + token, 404},
			"at another":       {other.ID, "Bearer " + w.token, 404},
			"at none":          {"none", "Bearer " + w.token, 404},
			"another's people": {other.ID, "Bearer " + token, 404},
		} {
			r, _ := http.NewRequestWithContext(w.Context(), "GET", "https://id.example.test/scim/v2/"+c.path+"/Users/"+id, nil)
			answer := w.sent(r, c.token)
			if answer.Code != c.want || (c.want == 401) != (answer.Header().Get("WWW-Authenticate") == `Bearer realm="scim"`) {
				t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
			}
		}
		for _, disabled := range []bool{true, false} {
			_, err := w.store.UpdateSCIMConnection(w.Context(), w.act(), w.company.ID, func(c *storage.SCIMConnection) error {
				c.Disabled = disabled
				return nil
			})
			w.must(err)
			w.do(map[bool]int{true: 401, false: 200}[disabled], "GET", "/Users/"+id, "")
		}
	})
}

// Rules: SCIM-2, PAGE-14
func TestErrorsSayWhatIsWrongInTheWordsOfTheSpecification(t *testing.T) {
	onBothEngines(t, func(w *world) {
		w.user("anna")
		for _, c := range []struct {
			method, path, body string
			status             int
			kind               any
		}{
			{"GET", "/Users/none", "", 404, nil},
			{"GET", "/Nothing", "", 404, nil},
			{"GET", "/Me", "", 404, nil},
			{"POST", "/Bulk", "{}", 404, nil},
			{"POST", "/Users", "{", 400, "invalidSyntax"},
			{"POST", "/Users", `{"userName":"b","userName":"c"}`, 400, "invalidSyntax"},
			{"POST", "/Users", `{"userName":"b","username":"c"}`, 400, "invalidSyntax"},
			{"POST", "/Users", `{"userName":"bert"}`, 400, "invalidValue"},
			{"POST", "/Users", `{"emails":[{"value":"b@works.test"}]}`, 400, "invalidValue"},
			{"POST", "/Users", `{"userName":7,"emails":[{"value":"b@works.test"}]}`, 400, "invalidValue"},
			{"POST", "/Users", `{"userName":"ANNA","emails":[{"value":"b@works.test"}]}`, 409, "uniqueness"},
			{"POST", "/Users", `{"userName":"b","emails":[{"value":"Anna@works.test"}]}`, 409, "uniqueness"},
			{"POST", "/Groups", `{"displayName":" \u200b"}`, 400, "invalidValue"},
			{"GET", "/Users?filter=title+eq+%22x%22", "", 400, "invalidFilter"},
			{"GET", "/Users?filter=userName+is+%22x%22", "", 400, "invalidFilter"},
			{"GET", "/Users?count=many", "", 400, "invalidValue"},
			{"PATCH", "/Users/none", patch(`{"op":"replace","path":"title","value":"x"}`), 404, nil},
			{"PATCH", "/Users/none", patch(`{"op":"turn","path":"title","value":"x"}`), 400, "invalidSyntax"},
			{"PATCH", "/Users/none", `{}`, 400, "invalidSyntax"},
		} {
			told := w.do(c.status, c.method, c.path, c.body)
			w.equal([]any{fmt.Sprint(c.status), c.kind}, []any{told["status"], told["scimType"]})
			w.equal([]string{"urn:ietf:params:scim:api:messages:2.0:Error"}, told["schemas"])
		}
		plain := w.ask("POST", "/Users", `{"userName":"p@works.test"}`, "Content-Type", "application/json")
		text := w.ask("POST", "/Users", `{"userName":"q@works.test"}`, "Content-Type", "text/plain")
		w.equal([]int{201, 415}, []int{plain.Code, text.Code})
	})
}

// Rule: SCIM-4
func TestWhoIsSwitchedOffIsOutAtOnceAndComesBack(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		works := func() bool {
			state, err := w.store.TokenState(w.Context(), storage.TokenQuery{JTI: "j", UserID: id})
			w.must(err)
			return state.Active
		}
		session := storage.LoginSession{ID: "s1", TokenHash: []byte{1}, UserID: id, CreatedAt: w.ambient.Now(),
			AuthTime: w.ambient.Now(), LastSeenAt: w.ambient.Now(), ExpiresAt: w.ambient.Now().Add(time.Hour)}
		w.must(w.store.StartSession(w.Context(), w.act(), session, storage.Proof{}))
		off := patch(`{"op":"replace","path":"active","value":false}`)
		for i, back := range []func(){
			func() { w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"replace","path":"active","value":true}`)) },
			func() { w.do(200, "PUT", "/Users/"+id, `{"userName":"anna@works.test","active":true}`) },
			func() { w.do(201, "POST", "/Users", `{"userName":"ANNA@works.test"}`) },
			func() {
				w.do(204, "DELETE", "/Users/"+id, "")
				w.do(404, "GET", "/Users/"+id, "")
				w.equal(id, w.do(201, "POST", "/Users", `{"userName":"anna@works.test"}`)["id"])
			},
		} {
			if !works() {
				t.Fatalf("%d: out before", i)
			}
			w.equal(false, w.do(200, "PATCH", "/Users/"+id, off)["active"])
			if works() {
				t.Errorf("%d: still in", i)
			}
			sessions, err := w.store.ListSessions(w.Context(), id, w.ambient.Now(), time.Time{})
			w.must(err)
			w.equal(0, len(sessions))
			w.must(w.enabledElsewhere(id))
			back()
		}
		w.equal(true, w.do(200, "GET", "/Users/"+id, "")["active"])
		w.do(200, "PATCH", "/Users/"+id, off)
		w.do(204, "DELETE", "/Users/"+id, "")
		w.equal(id, w.do(201, "POST", "/Users", `{"userName":"anna@works.test","active":false}`)["id"])
		w.equal(false, w.do(200, "GET", "/Users/"+id, "")["active"])
		if works() {
			t.Error("who comes back switched off is in")
		}
	})
}

// A name that was given to somebody else brings nobody into the account of who left.
//
// Rule: SCIM-4
func TestANameOfWhoLeftGivesNobodyTheirAccount(t *testing.T) {
	onBothEngines(t, func(w *world) {
		post := func(status int, name, externalID string) map[string]any {
			return w.do(status, "POST", "/Users", `{"userName":"`+name+`@works.test","externalId":"`+externalID+`"}`)
		}
		for _, gone := range []func(id string){
			func(id string) { w.do(204, "DELETE", "/Users/"+id, "") },
			func(id string) {
				w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"replace","path":"active","value":false}`))
			},
		} {
			id := post(201, "anna", "1")["id"].(string)
			gone(id)
			if said := post(409, "Anna", "2"); said["scimType"] != "uniqueness" {
				t.Errorf("somebody else: %v", said)
			}
			user, err := w.store.FindUser(w.Context(), id)
			w.must(err)
			if !user.Disabled {
				t.Error("the refused call let in who left")
			}
			w.equal(id, post(201, "anna", "1")["id"]) // who left came back
			gone(id)
			w.equal(id, post(201, "anna-lee", "1")["id"]) // under another name
			gone(id)
			w.equal(id, post(201, "anna-lee", "")["id"]) // nobody says that it is another
			w.do(204, "DELETE", "/Users/"+id, "")
			w.must(w.store.DeleteUser(w.Context(), w.act(), id))
			fresh := post(201, "anna-lee", "2")["id"].(string) // once that account is deleted
			if fresh == id {
				t.Error("somebody else has the id of who left")
			}
			w.must(w.store.DeleteUser(w.Context(), w.act(), fresh))
		}
	})
}

// enabledElsewhere fails unless nobody else can let in who was switched off.
func (w *world) enabledElsewhere(id string) error {
	err := w.store.SetUserDisabled(w.Context(), w.act(), id, false)
	if !fault.HasReason(err, storage.ReasonManaged) || !strings.Contains(fault.From(err).Detail, "Works") {
		return fmt.Errorf("enabling elsewhere: %w", err)
	}
	return nil
}

// Rule: SCIM-5
func TestAnAdministratorsNoStands(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		w.must(w.store.SetUserDisabled(w.Context(), w.act(), id, true))
		body := `{"userName":"anna","emails":[{"value":"anna@works.test"}],"title":"%s","active":true}`
		w.equal(false, w.do(200, "PUT", "/Users/"+id, replaced(body, "Boss"))["active"])
		if !w.found(id).Disabled {
			t.Error("the company has let in again whom an administrator disabled")
		}
		w.must(w.store.SetUserDisabled(w.Context(), w.act(), id, false))
		w.equal(true, w.do(200, "PUT", "/Users/"+id, replaced(body, "Chief"))["active"])
		active := func(yes bool) any {
			return w.do(200, "PATCH", "/Users/"+id,
				patch(fmt.Sprintf(`{"op":"replace","path":"active","value":%v}`, yes)))["active"]
		}
		for _, before := range []bool{true, false} { // the company says no after the administrator, or before
			if before {
				w.must(w.store.SetUserDisabled(w.Context(), w.act(), id, true))
			}
			w.equal(false, active(false))
			w.must(w.store.SetUserDisabled(w.Context(), w.act(), id, true))
			w.equal(false, active(true))
			w.must(w.store.SetUserDisabled(w.Context(), w.act(), id, false))
			w.equal(false, active(false))
			w.equal(true, active(true))
		}
	})
}

// Rule: SCIM-6
func TestFiltersFindAndNeverListAll(t *testing.T) {
	onBothEngines(t, func(w *world) {
		anna, bert := w.user("anna"), w.user("bert")
		w.do(200, "PATCH", "/Users/"+bert, patch(`{"op":"replace","path":"active","value":false}`))
		for filter, want := range map[string]int{
			`userName eq "ANNA"`: 1, `userName eq "carl"`: 0, `userName ne "anna"`: 1, `userName sw "an"`: 1,
			`userName co "er"`: 1, `userName ew "na"`: 1, `userName gt "b"`: 1, `userName pr`: 2, `not (userName pr)`: 0,
			`externalId eq "x-bert"`: 1, `externalId pr`: 2, `id eq "` + anna + `"`: 1,
			`emails[type eq "work"].value eq "Anna@works.test"`: 1, `emails.value eq "bert@works.test"`: 1,
			`emails eq "nobody@works.test"`: 0, `active eq true`: 1, `active eq "False"`: 1,
			`userName eq "anna" or (externalId eq "x-bert" and active eq false)`: 2,
			`meta.lastModified gt "2001-01-01T00:00:00Z"`:                        2,
			`meta.created lt "2001-01-01T00:00:00Z"`:                             0,
			`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "anna"`:      1,
			`userName eq "%" `: 0, `userName co "_"`: 0,
		} {
			told := w.do(200, "GET", "/Users?filter="+url.QueryEscape(filter), "")
			if told["totalResults"] != float64(want) || len(told["Resources"].([]any)) != want {
				t.Errorf("%s: %v, want %d", filter, told["totalResults"], want)
			}
		}
		for _, filter := range []string{`title eq "x"`, `userName`, `userName eq`, `userName eq "a" and`, `(userName eq "a"`,
			`userName eq {}`, `active gt true`, `emails[type eq "work"`, `"a" eq userName`, strings.Repeat("(", 30),
			`meta.created gt "yesterday"`, strings.Repeat(`userName eq "a" or `, 200) + `userName eq "a"`} {
			w.equal("invalidFilter", w.do(400, "GET", "/Users?filter="+url.QueryEscape(filter), "")["scimType"])
		}
		found := w.do(200, "POST", "/Users/.search", `{"filter":"userName eq \"anna\"","count":1,"attributes":["userName"]}`)
		w.equal([]object{{"id": anna, "schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:User"}, "userName": "anna"}},
			found["Resources"])
	})
}

// Rule: SCIM-7
func TestListsComeInPagesAndPartsOfPeople(t *testing.T) {
	onBothEngines(t, func(w *world) {
		for i := range 5 {
			w.user(fmt.Sprintf("user%d", i))
		}
		seen := map[any]bool{}
		for start := 1; start < 7; start += 2 {
			page := w.do(200, "GET", fmt.Sprintf("/Users?startIndex=%d&count=2&attributes=userName", start), "")
			w.equal(5.0, page["totalResults"])
			for _, r := range page["Resources"].([]any) {
				seen[r.(object)["id"]] = true
				w.equal(3, len(r.(object)))
			}
		}
		w.equal(5, len(seen))
		w.equal(0.0, w.do(200, "GET", "/Users?count=0", "")["itemsPerPage"])
		w.equal(0.0, w.do(200, "GET", "/Users?count=-1&startIndex=-3", "")["itemsPerPage"])
		w.equal(0.0, w.do(200, "GET", "/Users?startIndex=100", "")["itemsPerPage"])
		less := w.do(200, "GET", "/Users?excludedAttributes=emails,name.givenName", "")["Resources"].([]any)[0].(object)
		if less["emails"] != nil || less["userName"] == nil {
			t.Errorf("without addresses: %v", less)
		}
		const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
		at := "/Users/" + less["id"].(string)
		w.do(200, "PATCH", at, patch(`{"op":"add","path":"`+enterprise+`:department","value":"Works"}`))
		w.equal(object{"department": "Works"}, w.do(200, "GET", at+"?attributes=userName,"+enterprise, "")[enterprise])
		w.equal(any(nil), w.do(200, "GET", at+"?excludedAttributes="+enterprise, "")[enterprise])
		group := "/Groups/" + w.group("everybody")
		for _, at := range []string{at, group} {
			told := w.do(200, "PATCH", at+"?attributes=meta", patch(`{"op":"replace","value":{"meta":{"version":"x"}}}`))["meta"].(object)
			w.equal(object{"version": told["version"]}, w.do(200, "GET", at+"?attributes=id,meta.version", "")["meta"])
			w.equal(any(nil), w.do(200, "GET", at+"?excludedAttributes=meta", "")["meta"])
			w.equal(4, len(w.do(200, "GET", at+"?excludedAttributes=meta.created", "")["meta"].(object)))
		}
	})
}

// Rule: SCIM-8
func TestAPatchIsAllOrNothing(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		w.do(400, "PATCH", "/Users/"+id, patch(`{"op":"replace","path":"title","value":"Boss"},
			{"op":"replace","path":"name","value":7}`))
		told := w.do(200, "GET", "/Users/"+id, "")
		if told["title"] != nil {
			t.Error("half of it was kept")
		}
		for _, c := range []struct {
			operation, name string
			want            any
		}{
			{`{"op":"add","path":"title","value":"Boss"}`, "title", "Boss"},
			{`{"op":"REPLACE","path":"TITLE","value":"Chief"}`, "title", "Chief"},
			{`{"op":"remove","path":"title"}`, "title", nil},
			{`{"op":"remove","path":"title"}`, "title", nil},
			{`{"op":"add","path":"unknownThing","value":1}`, "unknownThing", nil},
			{`{"op":"replace","path":"groups","value":[{"value":"x"}]}`, "groups", nil},
			{`{"op":"replace","value":{"nickName":"Ann","id":"other"}}`, "nickName", "Ann"},
			{`{"op":"add","value":{"name":{"givenName":"A"}}}`, "name", object{"givenName": "A"}},
			{`{"op":"add","path":"name.familyName","value":"B"}`, "name", object{"familyName": "B", "givenName": "A"}},
			{`{"op":"remove","path":"name"}`, "name", nil},
			{`{"op":"add","path":"emails","value":{"value":"home@works.test","type":"home"}}`, "emails", []object{
				{"type": "work", "value": "anna@works.test"}, {"type": "home", "value": "home@works.test"}}},
			{`{"op":"replace","path":"emails[type eq \"home\"].primary","value":true}`, "emails", []object{
				{"type": "work", "value": "anna@works.test"},
				{"primary": true, "type": "home", "value": "home@works.test"}}},
			{`{"op":"remove","path":"emails[type eq \"home\"]"}`, "emails", []object{
				{"type": "work", "value": "anna@works.test"}}},
			{`{"op":"add","path":"phoneNumbers[type eq \"fax\" and primary eq true].value","value":"1"}`, "phoneNumbers",
				[]object{{"primary": true, "type": "fax", "value": "1"}}},
			{`{"op":"remove","path":"phoneNumbers","value":[{"value":"1"}]}`, "phoneNumbers", nil},
			{`{"op":"add","path":"phoneNumbers[TYPE eq \"fax\" and x eq \"y\"].value","value":"1"}`, "phoneNumbers",
				[]object{{"type": "fax", "value": "1"}}},
			{`{"op":"remove","path":"phoneNumbers"}`, "phoneNumbers", nil},
		} {
			told := w.do(200, "PATCH", "/Users/"+id, patch(c.operation))
			w.equal(c.want, told[c.name])
			w.equal(id, told["id"])
		}
		for _, bad := range []string{`{"op":"remove"}`, `{"op":"add","path":"emails[type eq","value":"x"}`,
			`{"op":"add","path":"title[a eq \"b\"]","value":"x"}`, `{"op":"add","value":"x"}`,
			`{"op":"add","path":"phoneNumbers[type eq 5].value","value":"1"}`} {
			w.do(400, "PATCH", "/Users/"+id, patch(bad))
		}
	})
}

// Rule: SCIM-8
func TestAPartOfMembersEmptiesNoGroup(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		group := w.group("Team", id)
		for path, status := range map[string]int{"members.display": 204, "members.$ref": 204, "members.type": 204,
			"members.value": 400, `members[value eq \"` + id + `\"].display`: 204,
			`members[value eq \"` + id + `\"].value`: 400} {
			w.do(status, "PATCH", "/Groups/"+group, patch(`{"op":"remove","path":"`+path+`"}`))
			w.equal([]string{id}, w.members(group))
			w.do(status, "PATCH", "/Groups/"+group, patch(`{"op":"replace","path":"`+path+`","value":"x"}`))
			w.equal([]string{id}, w.members(group))
		}
		w.do(204, "PATCH", "/Groups/"+group, patch(`{"op":"remove","path":"members"}`))
		w.equal([]string{}, w.members(group))
	})
}

// Rule: SCIM-9
func TestFiftyWhoChangeAGroupAtOnceLoseNothing(t *testing.T) {
	onBothEngines(t, func(w *world) {
		group := w.group("team")
		var ids []string
		for i := range 50 {
			ids = append(ids, w.user(fmt.Sprintf("user%d", i)))
		}
		all := func(form string) {
			var rest sync.WaitGroup
			for _, id := range ids {
				rest.Go(func() {
					for range 10 {
						answer := w.ask("PATCH", "/Groups/"+group, patch(fmt.Sprintf(form, id)))
						if answer.Code == 204 {
							return
						}
						if answer.Code != 503 {
							t.Errorf("%d %s", answer.Code, answer.Body)
							return
						}
					}
					t.Error("never answered")
				})
			}
			rest.Wait()
		}
		all(`{"op":"add","path":"members","value":[{"value":%q}]}`)
		w.equal(50, len(w.members(group)))
		all(`{"op":"add","path":"members","value":{"value":%q}}`)
		w.equal(50, len(w.members(group)))
		all(`{"op":"remove","path":"members","value":[{"value":%q}]}`)
		w.equal(0, len(w.members(group)))
		w.do(400, "PATCH", "/Groups/"+group, patch(`{"op":"add","path":"members","value":[{"value":"NOBODY"}]}`))
		w.do(204, "PATCH", "/Groups/"+group, patch(`{"op":"remove","path":"members","value":[{"value":"NOBODY"}]}`))
	})
}

// Rule: SCIM-10
func TestVersionsTellChangesApart(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		group := w.group("team")
		for path, change := range map[string]string{"/Users/" + id: `{"op":"add","path":"title","value":"x"}`,
			"/Groups/" + group: `{"op":"replace","path":"displayName","value":"x"}`} {
			first := w.ask("GET", path, "").Header().Get("ETag")
			w.equal(304, w.ask("GET", path, "", "If-None-Match", first).Code)
			if got := w.ask("PATCH", path, patch(change), "If-Match", first).Code; got >= 300 {
				t.Errorf("%s: %d with the version as it is", path, got)
			}
			w.do(412, "PATCH", path, patch(`{"op":"add","path":"externalId","value":"y"}`), "If-Match", first)
			w.do(412, "DELETE", path, "", "If-Match", first)
			w.do(412, "DELETE", path, "", "If-Match", `"x,*,y"`)
			w.do(412, "DELETE", path, "", "If-None-Match", "*")
			second := w.ask("GET", path, "", "If-None-Match", first)
			w.equal(200, second.Code)
			if second.Header().Get("ETag") == first || !strings.HasPrefix(first, `W/"`) {
				t.Errorf("%s: %s, then %s", path, first, second.Header().Get("ETag"))
			}
			w.equal(204, w.ask("DELETE", path, "", "If-Match", second.Header().Get("ETag")).Code)
		}
	})
}
