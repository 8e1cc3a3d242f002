package people_test

import (
	"testing"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// Rule: SCIM-13
func TestWhomACompanySendsTakesUpALinkUnderAnotherName(t *testing.T) {
	h := newHouse(t)
	store := h.store.(*sqlstore.Store)
	now := h.ambient.Now()
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
