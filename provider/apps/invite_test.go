package apps_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/storage"
)

// waiting are the invitations to the app without what tells one from the next.
func (h *house) waiting(t *testing.T, id string) (all []storage.ClientInvitation) {
	t.Helper()
	all, err := h.apps.Invitations(t.Context(), id, h.ambient.Now())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Rule: PORTAL-23
func TestAnInvitationTellsNothingOfWhoIsInvited(t *testing.T) {
	h := newHouse(t)
	h.apps = apps.New(apps.Options{Store: h.store, Ambient: h.ambient,
		Post: outbox.New(outbox.Options{Store: h.store, Ambient: h.ambient})})
	owner := apps.Inviter{UserID: "OWNER", Title: "owner@example.test"}
	h.user(t, "OWNER", "owner@example.test", true)
	h.user(t, "SOMEBODY", "somebody@example.test", true)
	h.user(t, "DISABLED", "disabled@example.test", true)
	if err := h.store.SetUserDisabled(t.Context(), h.act(), "DISABLED", true); err != nil {
		t.Fatal(err)
	}
	app := h.create(t, apps.Registration{Name: "App", Type: storage.ClientService, OwnerUserID: "OWNER"}).Client
	logins := []string{"somebody@example.test", "nobody@example.test", "disabled@example.test", "user-SOMEBODY",
		"user-NOBODY", "user-DISABLED"}
	for _, login := range logins {
		if _, err := h.apps.Invite(t.Context(), h.byDeveloper(), app, owner, " "+login+" "); err != nil {
			t.Fatalf("%s: %v", login, err)
		}
	}
	var shown []string
	for _, i := range h.waiting(t, app.ID) {
		shown = append(shown, i.Invitee)
	}
	if len(shown) != len(logins) {
		t.Errorf("invited are %v", shown)
	}
	mails, _, err := h.store.ListMails(t.Context(), "", storage.PageRequest{})
	if err != nil || len(mails) != len(logins) {
		t.Fatalf("each costs one mail, whoever it is for: %d %v", len(mails), err)
	}
	for i, m := range mails { // the newest first
		if login := logins[len(logins)-1-i]; m.To != login || m.UserID != "" {
			t.Errorf("for %s a mail to %q, about %q", login, m.To, m.UserID)
		}
	}
	if members, err := h.apps.Members(t.Context(), app.ID); err != nil || len(members) != 0 {
		t.Errorf("before anybody accepts: %v %v", members, err)
	}
	for _, login := range []string{"", "two@words@example.test", "Name <a@example.test>", "a\r\nBcc: b@example.test"} {
		_, err := h.apps.Invite(t.Context(), h.byDeveloper(), app, owner, login)
		if !fault.HasReason(err, apps.ReasonInvitee) {
			t.Errorf("%q: %v", login, err)
		}
	}
	_, err = h.apps.Invite(t.Context(), h.byDeveloper(), app, owner, "Owner@example.test")
	if !fault.HasReason(err, apps.ReasonIsOwner) {
		t.Errorf("the owner: %v", err)
	}
}

// Rule: PORTAL-24
func TestAnInvitationEndsAndCanBeDeclinedAndWithdrawn(t *testing.T) {
	h := newHouse(t)
	owner := apps.Inviter{UserID: "OWNER", Title: "owner@example.test"}
	h.user(t, "OWNER", "owner@example.test", true)
	h.user(t, "SOMEBODY", "somebody@example.test", true)
	app := h.create(t, apps.Registration{Name: "App", Type: storage.ClientService, OwnerUserID: "OWNER"}).Client
	invite := func() storage.ClientInvitation {
		if _, err := h.apps.Invite(t.Context(), h.byDeveloper(), app, owner, "somebody@example.test"); err != nil {
			t.Fatal(err)
		}
		return h.waiting(t, app.ID)[0]
	}
	first := invite()
	if diff := cmp.Diff(7*24*time.Hour, first.ExpiresAt.Sub(first.CreatedAt)); diff != "" {
		t.Error(diff)
	}
	over := func(name string, err error) {
		t.Helper()
		if !fault.HasReason(err, apps.ReasonNoInvitation) {
			t.Errorf("%s: %v", name, err)
		}
	}
	over("somebody else", h.apps.Accept(t.Context(), h.act(), first.ID, "OWNER"))
	if err := h.apps.Decline(t.Context(), h.act(), first.ID, "SOMEBODY"); err != nil {
		t.Fatal(err)
	}
	over("declined", h.apps.Accept(t.Context(), h.act(), first.ID, "SOMEBODY"))
	second := invite()
	over("of another app", h.apps.Uninvite(t.Context(), h.act(), "other", second.ID))
	if err := h.apps.Uninvite(t.Context(), h.act(), app.ID, second.ID); err != nil {
		t.Fatal(err)
	}
	over("withdrawn", h.apps.Accept(t.Context(), h.act(), second.ID, "SOMEBODY"))
	third := invite()
	late := h.act()
	late.At = third.ExpiresAt
	over("too late", h.apps.Accept(t.Context(), late, third.ID, "SOMEBODY"))
	if err := h.apps.Accept(t.Context(), h.act(), third.ID, "SOMEBODY"); err != nil {
		t.Fatal(err)
	}
	over("twice", h.apps.Accept(t.Context(), h.act(), third.ID, "SOMEBODY"))
	if _, err := h.apps.Managed(t.Context(), "SOMEBODY", app.ID); err != nil {
		t.Error(err)
	}
}
