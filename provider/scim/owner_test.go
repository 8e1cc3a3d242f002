package scim_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// local makes somebody who is nobody's.
func (w *world) local(email string, change func(*storage.User)) string {
	w.Helper()
	user := storage.User{ID: w.ambient.PersonID(), Email: email, EmailVerified: true, CreatedAt: w.ambient.Now(),
		UpdatedAt: w.ambient.Now(),
		Profile:   storage.Profile{Name: "Local", AboutMe: "mine"}}
	change(&user)
	w.must(w.store.CreateUser(w.Context(), w.act(), user, "hash"))
	return user.ID
}

// Rule: SCIM-3
func TestAConnectionSeesAndChangesItsOwnAlone(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id, group := w.user("anna"), w.group("team")
		local := w.local("local@elsewhere.test", func(*storage.User) {})
		other := w.as(w.connect("Other", "other.test"))
		for _, path := range []string{"/Users/" + id, "/Groups/" + group, "/Users/" + local} {
			for method, body := range map[string]string{"GET": "", "DELETE": "",
				"PUT":   `{"userName":"u@other.test","displayName":"d"}`,
				"PATCH": patch(`{"op":"add","path":"externalId","value":"x"}`)} {
				other.do(404, method, path, body)
			}
		}
		w.equal(0.0, other.do(200, "GET", "/Users", "")["totalResults"])
		w.equal(0.0, other.do(200, "GET", "/Groups", "")["totalResults"])
		mine := other.group("other team")
		for _, stranger := range []string{id, local} {
			other.do(400, "PATCH", "/Groups/"+mine, patch(`{"op":"add","path":"members","value":[{"value":"`+stranger+`"}]}`))
		}
		// The same name at two companies is two people, the same address is one.
		other.do(201, "POST", "/Users", `{"userName":"anna","externalId":"x-anna","emails":[{"value":"anna@other.test"}]}`)
		other.do(409, "POST", "/Users", `{"userName":"anna2","emails":[{"value":"anna@works.test"}]}`)
		other.do(409, "POST", "/Groups", `{"displayName":"TEAM"}`)
		w.do(200, "GET", "/Users/"+id, "")
	})
}

// Rule: SCIM-11
func TestWhoHasTheAddressIsTakenOverOnlyInDomainsOfTheCompany(t *testing.T) {
	onBothEngines(t, func(w *world) {
		verified := w.local("kept@works.test", func(u *storage.User) {})
		hijacked := w.local("first@works.test", func(u *storage.User) { u.EmailVerified = false })
		w.must(w.store.CreateUpstream(w.Context(), w.act(), storage.Upstream{ID: "lax", Name: "Lax", Config: "{}",
			Kind: storage.UpstreamOIDC, CreatedAt: w.ambient.Now(), UpdatedAt: w.ambient.Now()}))
		session := storage.LoginSession{ID: "s1", TokenHash: []byte{1}, UserID: hijacked, CreatedAt: w.ambient.Now(),
			AuthTime: w.ambient.Now(), LastSeenAt: w.ambient.Now(), ExpiresAt: w.ambient.Now().Add(time.Hour)}
		w.must(w.store.StartSession(w.Context(), w.act(), session, storage.Proof{}))
		for _, id := range []string{hijacked, verified} { // by a provider that vouches for nobody's address
			w.must(w.store.LinkIdentity(w.Context(), w.act(), storage.UpstreamIdentity{UpstreamID: "lax", Issuer: "i",
				Subject: id, UserID: id, LinkedAt: w.ambient.Now()}))
		}
		identities := func(id string) int {
			all, err := w.store.ListIdentities(w.Context(), id)
			w.must(err)
			return len(all)
		}
		w.local("strange@elsewhere.test", func(*storage.User) {})
		admin := w.local("root@works.test", func(u *storage.User) { u.Admin = true })
		w.equal(verified, w.do(201, "POST", "/Users", `{"userName":"kept@works.test","displayName":"New"}`)["id"])
		hash, err := w.store.FindPasswordHash(w.Context(), verified)
		w.must(err)
		user := w.found(verified)
		w.equal([]string{"hash", "New", "mine"}, []string{hash, user.Profile.Name, user.Profile.AboutMe})

		w.equal(hijacked, w.do(201, "POST", "/Users", `{"userName":"first@works.test"}`)["id"])
		hash, err = w.store.FindPasswordHash(w.Context(), hijacked)
		w.must(err)
		sessions, err := w.store.ListSessions(w.Context(), hijacked, w.ambient.Now(), time.Time{})
		w.must(err)
		w.equal([]any{"", 0, true, 0, 1}, []any{hash, len(sessions), w.found(hijacked).EmailVerified,
			identities(hijacked), identities(verified)})

		w.do(409, "POST", "/Users", `{"userName":"strange@elsewhere.test"}`)
		w.do(409, "POST", "/Users", `{"userName":"root@works.test"}`)
		w.equal("Local", w.found(admin).Profile.Name)

		strauss := w.local("strauss@works.test", func(*storage.User) {})
		w.do(409, "POST", "/Users", `{"userName":"strauß@works.test"}`) // another mailbox, with the same key
		w.equal(strauss, w.do(201, "POST", "/Users", `{"userName":"Strauss@Works.test"}`)["id"])
	})
}

// Rule: SCIM-12
func TestAdministratorsAreLeftAlone(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		w.local("root@elsewhere.test", func(u *storage.User) { u.Admin = true })
		user := w.found(id)
		w.must(w.store.UpdateUser(w.Context(), w.act(), user, new(true)))
		off := patch(`{"op":"replace","path":"active","value":false}`)
		w.equal("mutability", w.do(403, "PATCH", "/Users/"+id, off)["scimType"])
		w.do(403, "PUT", "/Users/"+id, `{"userName":"thief","emails":[{"value":"thief@works.test"}]}`)
		w.do(403, "DELETE", "/Users/"+id, "")
		w.equal("anna@works.test", w.found(id).Email)
		w.must(w.store.UpdateUser(w.Context(), w.act(), w.found(id), new(false)))
		w.do(200, "PATCH", "/Users/"+id, off)
	})
}

// Rule: SCIM-13
func TestWhatIsACompanysIsChangedThereAlone(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id, group := w.user("anna"), w.group("team")
		local := w.local("local@elsewhere.test", func(*storage.User) {})
		refused := func(err error) {
			w.Helper()
			if !fault.HasReason(err, storage.ReasonManaged) {
				w.Errorf("not refused: %v", err)
			}
		}
		user := w.found(id)
		user.Profile.AboutMe, user.Profile.Locale = "about", "de-DE"
		w.must(w.store.UpdateUser(w.Context(), w.act(), user, nil))
		for _, field := range user.Owned() {
			before := *field
			*field = "other@works.test"
			refused(w.store.UpdateUser(w.Context(), w.act(), user, nil))
			*field = before
		}
		_, err := w.store.UpdateUserGroup(w.Context(), w.act(), group, func(named *storage.UserGroup) error {
			named.Name = "mine"
			return nil
		})
		refused(err)
		refused(w.store.DeleteUserGroup(w.Context(), w.act(), group))
		refused(w.store.AddUserGroupMember(w.Context(), w.act(), group, local))
		refused(w.store.DeleteUserGroupMember(w.Context(), w.act(), group, id))
		owners, err := w.store.FindSCIMOwners(w.Context(), []string{id, group, local})
		w.must(err)
		w.equal(map[string]storage.SCIMOwner{id: {ConnectionID: w.company.ID, Name: "Works"},
			group: {ConnectionID: w.company.ID, Name: "Works"}}, owners)
		w.must(w.store.SetUserDisabled(w.Context(), w.act(), id, true))
		w.must(w.store.DeleteSCIMConnection(w.Context(), w.act(), w.company.ID))
		user = w.found(id)
		user.Profile.Name = "Free"
		w.must(w.store.UpdateUser(w.Context(), w.act(), user, nil))
		w.must(w.store.DeleteUserGroup(w.Context(), w.act(), group))
	})
}

// Rule: SCIM-16
func TestWhoWasDeletedGoesAfterAMonth(t *testing.T) {
	onBothEngines(t, func(w *world) {
		gone, kept, left := w.user("anna"), w.user("bert"), w.user("cora")
		w.do(204, "DELETE", "/Users/"+gone, "")
		n, err := w.store.SweepHiddenPeople(w.Context(), w.act(), w.ambient.Now().Add(-storage.KeepHiddenPeople), 10)
		w.must(err)
		w.equal(0, n)
		n, err = w.store.SweepHiddenPeople(w.Context(), w.act(), w.ambient.Now().Add(time.Second), 10)
		w.must(err)
		w.equal(1, n)
		if _, err := w.store.FindUser(w.Context(), gone); !fault.Is(err, fault.NotFound) {
			t.Errorf("still there: %v", err)
		}
		w.found(kept)
		w.do(204, "DELETE", "/Users/"+left, "")
		w.must(w.store.DeleteSCIMConnection(w.Context(), w.act(), w.company.ID))
		n, err = w.store.SweepHiddenPeople(w.Context(), w.act(), w.ambient.Now().Add(time.Second), 10)
		w.must(err)
		w.equal(0, n)
		if p, err := w.store.FindUser(w.Context(), left); err != nil || !p.Disabled {
			t.Errorf("whom nobody's company deleted: %v, %v", p.Disabled, err)
		}
	})
}

// Rule: SCIM-17
func TestTheLastCallsAreKept(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		for range 60 {
			w.do(200, "GET", "/Users/"+id, "")
		}
		w.do(404, "GET", "/Users/none?attributes=id", "")
		w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"replace","path":"active","value":false}`))
		w.must(w.server.Close())
		calls, err := w.store.ListSCIMCalls(w.Context(), w.company.ID)
		w.must(err)
		w.equal(storage.MaxSCIMCalls, len(calls))
		last, before := calls[0], calls[1]
		w.equal([]any{"PATCH", "/Users/" + id, 200, "deactivated anna"},
			[]any{last.Method, last.Path, last.Status, last.Detail})
		w.equal([]any{"/Users/none?attributes=id", 404}, []any{before.Path, before.Status})
		tokens, err := w.store.ListSCIMTokens(w.Context(), w.company.ID)
		w.must(err)
		if tokens[0].LastUsedAt.IsZero() {
			t.Error("nobody knows that the token was used")
		}
	})
}

// People of a directory are no company's: nobody is given a token by which they could be
// changed, whoever asks for it.
//
// Rule: SCIM-1
func TestNoCompanyCallsWhereADirectorysPeopleAre(t *testing.T) {
	onBothEngines(t, func(w *world) {
		now := w.ambient.Now()
		act := w.act()
		staff := storage.SCIMConnection{ID: "staff", Name: "Staff", CreatedAt: now}
		w.must(w.store.CreateDirectory(w.Context(), act, storage.Upstream{ID: "staff", Kind: storage.UpstreamLDAP,
			Name: "Staff", Config: "{}", CreatedAt: now, UpdatedAt: now}, staff))
		company := storage.SCIMConnection{ID: "company", Name: "Company", CreatedAt: now}
		w.must(w.store.CreateSCIMConnection(w.Context(), act, company))
		for id, want := range map[string]bool{"staff": false, "company": true} {
			err := w.store.AddSCIMToken(w.Context(), act, storage.SCIMToken{ID: "token of " + id, ConnectionID: id,
				Label: "l", Hash: []byte(id + now.String()), CreatedAt: now})
			if (err == nil) != want || err != nil && !fault.Is(err, fault.NotFound) {
				w.Errorf("a token of %s: %v", id, err)
			}
		}
		_, err := w.store.UpdateSCIMConnection(w.Context(), act, "staff", func(*storage.SCIMConnection) error { return nil })
		for _, err := range []error{err, w.store.DeleteSCIMConnection(w.Context(), act, "staff")} {
			if !fault.Is(err, fault.NotFound) {
				w.Errorf("a directory's connection is changed as a company's: %v", err)
			}
		}
	})
}
