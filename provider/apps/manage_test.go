package apps_test

import (
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
)

// user adds somebody.
func (h *house) user(t *testing.T, id, email string, verified bool) {
	t.Helper()
	user := storage.User{ID: id, Email: email, EmailVerified: verified, Username: "user-" + id,
		CreatedAt: h.ambient.Now(), UpdatedAt: h.ambient.Now()}
	if err := h.store.CreateUser(t.Context(), h.act(), user, ""); err != nil {
		t.Fatal(err)
	}
}

// Rule: PORTAL-1
func TestAnAppBelongsToItsOwnerAndThePeopleTheyAdd(t *testing.T) {
	h := newHouse(t)
	h.user(t, "OWNER", "owner@example.test", true)
	h.user(t, "MEMBER", "member@example.test", true)
	app := h.create(t, apps.Registration{Name: "App", Type: storage.ClientService, OwnerUserID: "OWNER"}).Client
	manages := func(id string) bool {
		t.Helper()
		_, err := h.apps.Managed(t.Context(), id, app.ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		list, listErr := h.apps.ListManaged(t.Context(), id)
		if listErr != nil || (len(list) == 1) != (err == nil) {
			t.Errorf("%s: the list has %d, %v", id, len(list), listErr)
		}
		return err == nil
	}
	if !manages("OWNER") || manages("MEMBER") || manages("NOBODY") {
		t.Error("at first")
	}
	if err := h.apps.AddMember(t.Context(), h.act(), app, " Member@example.test "); err != nil {
		t.Fatal(err)
	}
	if !manages("MEMBER") {
		t.Error("whoever was added does not manage it")
	}
	if err := h.apps.RemoveMember(t.Context(), h.act(), app.ID, "MEMBER"); err != nil {
		t.Fatal(err)
	}
	if manages("MEMBER") {
		t.Error("whoever was removed manages it")
	}
	_, hidden := h.apps.Managed(t.Context(), "NOBODY", app.ID)
	_, absent := h.apps.Managed(t.Context(), "NOBODY", "there-is-none")
	if hidden == nil || fault.From(hidden).Detail != fault.From(absent).Detail {
		t.Errorf("an app of others: %v; one that never was: %v", hidden, absent)
	}
	operators := h.create(t, apps.Registration{Name: "Operator's", Type: storage.ClientService}).Client
	if _, err := h.apps.Managed(t.Context(), "", operators.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("nobody manages the operator's app: %v", err)
	}
}

// Rule: PORTAL-2
func TestPeopleWhoCannotBeAddedAllGetOneAnswer(t *testing.T) {
	h := newHouse(t)
	h.user(t, "OWNER", "owner@example.test", true)
	h.user(t, "UNVERIFIED", "unverified@example.test", false)
	h.user(t, "DISABLED", "disabled@example.test", true)
	if err := h.store.SetUserDisabled(t.Context(), h.act(), "DISABLED", true); err != nil {
		t.Fatal(err)
	}
	app := h.create(t, apps.Registration{Name: "App", Type: storage.ClientService, OwnerUserID: "OWNER"}).Client
	answers := map[string]bool{}
	for _, login := range []string{"nobody@example.test", "unverified@example.test",
		"disabled@example.test", "user-DISABLED", ""} {
		err := h.apps.AddMember(t.Context(), h.act(), app, login)
		if !fault.HasReason(err, apps.ReasonNoMember) {
			t.Errorf("%q: %v", login, err)
			continue
		}
		answers[fault.From(err).Detail] = true
	}
	if len(answers) != 1 {
		t.Errorf("the answers tell who has an account: %v", answers)
	}
	if err := h.apps.AddMember(t.Context(), h.act(), app, "user-UNVERIFIED"); err != nil {
		t.Errorf("a user name: %v", err)
	}
	if err := h.apps.AddMember(t.Context(), h.act(), app,
		"owner@example.test"); !fault.HasReason(err, apps.ReasonIsOwner) {
		t.Errorf("the owner: %v", err)
	}
}

// Rule: PORTAL-10
func TestTheOnlySecretStays(t *testing.T) {
	h := newHouse(t)
	app := h.create(t, apps.Registration{Name: "App", Type: storage.ClientService}).Client
	only := app.Secrets[0].ID
	if err := h.apps.DeleteSecret(t.Context(), h.act(), app, only); !fault.Is(err, fault.Conflict) {
		t.Errorf("%v", err)
	}
	second, err := h.apps.RotateSecret(t.Context(), h.act(), app.ID, apps.NewSecret{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.apps.DeleteSecret(t.Context(), h.act(), second.Client, "other"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown one: %v", err)
	}
	if err := h.apps.DeleteSecret(t.Context(), h.act(), second.Client, only); err != nil {
		t.Error(err)
	}
}

// Rule: PORTAL-6
func TestLinksOfTheConsentPageAreJudgedBesideTheirFields(t *testing.T) {
	h := newHouse(t)
	_, err := h.apps.Create(t.Context(), h.act(), apps.Registration{
		Name: "App", Type: storage.ClientWeb, RedirectURIs: []string{"http://app.example.test/cb"},
		LogoURI: "http://app.example.test/logo.png", PolicyURI: "javascript:alert(1)",
		TermsURI: "https://app.example.test/terms",
	})
	var sources []string
	for _, f := range fault.All(err) {
		sources = append(sources, f.Source)
	}
	if len(sources) != 3 || sources[0] != redirecturi.FieldRedirect || sources[1] != apps.FieldLogo ||
		sources[2] != apps.FieldPolicy {
		t.Errorf("%v: %v", sources, err)
	}
}

// Rule: PORTAL-22
func TestASecretHasALabelAndAnEnd(t *testing.T) {
	h := newHouse(t)
	app := h.create(t, service()).Client
	end := h.act().At.Add(time.Hour)
	for name, wrong := range map[string]term.Term{
		"a label of two lines":      {Label: "a\nb"},
		"a label of 101 characters": {Label: strings.Repeat("ä", 101)},
		"an end in the past":        {EndsAt: h.act().At},
	} {
		if _, err := h.apps.RotateSecret(t.Context(), h.act(), app.ID,
			apps.NewSecret{Term: wrong}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	made, err := h.apps.RotateSecret(t.Context(), h.act(), app.ID,
		apps.NewSecret{Term: term.Term{Label: " Second server ", EndsAt: end}})
	if err != nil {
		t.Fatal(err)
	}
	if got := made.Client.Secrets[0]; got.Label != "Second server" || !got.EndsAt.Equal(end) {
		t.Errorf("%+v", got)
	}
}
