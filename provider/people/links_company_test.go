package people_test

import (
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// sent is somebody of the company Works.
func (h *house) sent(t *testing.T) storage.SCIMUser {
	t.Helper()
	store, now := h.store.(*sqlstore.Store), h.ambient.Now()
	company := storage.SCIMConnection{ID: "c", Name: "Works", CreatedAt: now}
	if err := store.CreateSCIMConnection(t.Context(), h.act(), company); err != nil {
		t.Fatal(err)
	}
	sent, err := store.CreateSCIMUser(t.Context(), h.act(), storage.SCIMUser{UserName: "anna", Active: true,
		Document: []byte("{}"), SCIMResource: storage.SCIMResource{ConnectionID: "c", CreatedAt: now, UpdatedAt: now},
		User: storage.User{ID: h.ambient.PersonID(), Email: "anna@works.test", CreatedAt: now, UpdatedAt: now,
			Profile: storage.Profile{Name: "Anna Meier"}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// Rule: SCIM-13
func TestWhomACompanySendsTakesUpALinkUnderAnotherName(t *testing.T) {
	h := newHouse(t)
	sent := h.sent(t)
	link, err := h.people.PasswordLink(t.Context(), h.act(), sent.User)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.people.Accept(t.Context(), h.act(), link.Token, "Anna", goodPassword)
	hash, failed := h.store.FindPasswordHash(t.Context(), sent.ID)
	if failed != nil || (err == nil) != (hash != "") {
		t.Errorf("it is refused (%v), and the password is set: %v", err, hash != "")
	}
}

// Rules: SCIM-13, JOIN-6
func TestWhomACompanySendsIsToldAtOnceThatTheirAddressIsTheCompanys(t *testing.T) {
	h := newHouse(t)
	sent := h.sent(t)
	err := h.people.AskAddress(t.Context(), h.act(), sent.User, "anna@example.test")
	if !fault.HasReason(err, storage.ReasonManaged) || fault.From(err).Source != people.FieldEmail {
		t.Errorf("she has links mailed that change nothing: %v", err)
	}
}

// Rules: LDAP-5, JOIN-3
func TestAPasswordThatADirectoryJudgesIsNotChosenHere(t *testing.T) {
	h := newHouse(t)
	store, now := h.store.(*sqlstore.Store), h.ambient.Now()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	works := storage.Upstream{ID: "works", Kind: storage.UpstreamLDAP, Name: "Works", Config: "{}", CreatedAt: now,
		UpdatedAt: now}
	must(store.CreateDirectory(t.Context(), h.act(), works,
		storage.SCIMConnection{ID: "works", Name: "Works", CreatedAt: now}))
	alice := h.create(t, people.Newcomer{Email: "alice@works.test", Name: "Alice"})
	root := h.create(t, people.Newcomer{Email: "root@works.test", Name: "Root", Admin: true})
	for _, user := range []storage.User{alice, root} {
		must(store.LinkIdentity(t.Context(), h.act(), storage.UpstreamIdentity{UpstreamID: "works", Issuer: "entryUUID",
			Subject: user.ID, UserID: user.ID, LinkedAt: now}))
	}
	link, err := h.people.PasswordLink(t.Context(), h.act(), alice)
	must(err)
	_, byLink := h.people.SetPasswordByLink(t.Context(), h.act(), link.Token, goodPassword)
	for how, err := range map[string]error{"by a link": byLink,
		"on their page": h.people.SetPassword(t.Context(), h.act(), alice, goodPassword, "")} {
		if !fault.HasReason(err, people.ReasonThere) || fault.From(err).Source != people.FieldPassword {
			t.Errorf("%s one is chosen that lets nobody in: %v", how, err)
		}
	}
	must(h.people.SetPassword(t.Context(), h.act(), root, goodPassword, "")) // a broken directory must be mendable
	must(store.DeleteDirectory(t.Context(), h.act(), "works"))
	if _, err := h.people.SetPasswordByLink(t.Context(), h.act(), link.Token, goodPassword); err != nil {
		t.Errorf("once the directory is deleted: %v", err)
	}
}
