package people_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Rule: ADMIN-6
func TestAPasswordLinkWorksOnce(t *testing.T) {
	h := newHouse(t)
	user := h.create(t, people.Newcomer{Email: "person@example.test", Name: "Person"})
	void, err := h.people.PasswordLink(t.Context(), h.act(), user)
	if err != nil {
		t.Fatal(err)
	}
	link, err := h.people.PasswordLink(t.Context(), h.act(), user)
	if err != nil || link.Until.Sub(h.ambient.Now()) != people.PasswordLinkLife {
		t.Fatalf("%+v, %v", link, err)
	}
	if _, err := h.people.SetPasswordByLink(t.Context(), h.act(), void.Token, goodPassword); !fault.HasReason(err,
		people.ReasonLinkOver) {
		t.Errorf("the link before: %v", err)
	}
	if _, err := h.people.SetPasswordByLink(t.Context(), h.act(), link.Token,
		"12345678"); !fault.HasReason(err, password.ReasonWeak) {
		t.Errorf("a weak password: %v", err)
	}
	if got, err := h.people.SetPasswordByLink(t.Context(), h.act(), link.Token, goodPassword); err != nil ||
		got.ID != user.ID {
		t.Errorf("%v, %v", got.ID, err)
	}
	if _, err := h.people.SetPasswordByLink(t.Context(), h.act(), link.Token, goodPassword); !fault.HasReason(err,
		people.ReasonLinkOver) {
		t.Errorf("the second time: %v", err)
	}
	hash, err := h.store.FindPasswordHash(t.Context(), user.ID)
	if ok, _, verifyErr := h.hasher.Verify(t.Context(), hash, goodPassword); err != nil || verifyErr != nil || !ok {
		t.Errorf("the password is not set: %v, %v", err, verifyErr)
	}
}

// Rule: ADMIN-11
func TestAnInvitationMakesAUserWhoChoosesAPasswordWithinAWeek(t *testing.T) {
	h := newHouse(t)
	user, link, err := h.people.Invite(t.Context(), h.act(), " new.person@example.test ", "Admin")
	if err != nil || user.Profile.Name != "new.person" || user.EmailVerified ||
		link.Until.Sub(h.ambient.Now()) != people.InvitationLife {
		t.Fatalf("%+v, %+v, %v", user, link, err)
	}
	if _, _, err := h.people.Invite(t.Context(), h.act(), "New.Person@example.test", "Admin"); !fault.HasReason(err,
		storage.ReasonEmailTaken) {
		t.Errorf("the address again: %v", err)
	}
	if _, _, err := h.people.Invite(t.Context(), h.act(), "@", "Admin"); !fault.Is(err, fault.Invalid) {
		t.Errorf("no address: %v", err)
	}
	if got, err := h.people.SetPasswordByLink(t.Context(), h.act(), link.Token, goodPassword); err != nil ||
		got.ID != user.ID {
		t.Errorf("%v, %v", got.ID, err)
	}
}

// Rule: JOIN-2
func TestWhoSignsUpAgainHasALinkForAsLongAsTheirAccountIsKept(t *testing.T) {
	h := newHouse(t)
	user := storage.User{ID: "U", Email: "late@example.test", CreatedAt: h.ambient.Now(), UpdatedAt: h.ambient.Now(),
		EndsAt: h.ambient.Now().Add(-time.Hour)}
	if err := h.store.CreateUser(t.Context(), h.act(), user, ""); err != nil {
		t.Fatal(err)
	}
	var letter templates.Letter
	err := h.people.Writers()[templates.LetterSignUp](t.Context(), &storage.Mail{To: user.Email}, &letter)
	if kept := user.EndsAt.Add(storage.KeepSpent); err != nil || !letter.Until.Equal(kept) {
		t.Errorf("until %v, and is kept until %v: %v", letter.Until, kept, err)
	}
}

// A mailbox is nobody's to fill who says that they move to it.
//
// Rule: JOIN-5
func TestAnAddressIsMailedFiveLinksAnHourWhateverTheyAreFor(t *testing.T) {
	h := newHouse(t)
	for _, kind := range []string{templates.LetterPasswordLink, templates.LetterSignUp, templates.LetterAddressNew} {
		act, to := h.act(), kind+"@example.test"
		h.create(t, people.Newcomer{Email: to, Name: "Somebody"})
		for range 6 {
			act.Mails = append(act.Mails, storage.Mail{UID: h.ambient.UID(), Kind: kind, To: to, Words: "{}"})
		}
		if err := h.store.PostMails(t.Context(), act, "test"); err != nil {
			t.Fatal(err)
		}
		mails, _, err := h.store.ListMails(t.Context(), to, storage.PageRequest{})
		if err != nil || len(mails) != 6 {
			t.Fatalf("%d mails: %v", len(mails), err)
		}
		for i, late := range []bool{true, false} { // the newest comes first
			write := h.people.Writers()[kind]
			if write == nil {
				t.Fatalf("%s is sent as it is", kind)
			}
			err := write(t.Context(), &mails[i], &templates.Letter{})
			if fault.Is(err, fault.TooMany) != late {
				t.Errorf("%s, mail %d: %v", kind, 6-i, err)
			}
		}
	}
}

// Rule: JOIN-5
func TestWhatIsSentToAUserNameIsSentToTheAddress(t *testing.T) {
	h := newHouse(t)
	h.create(t, people.Newcomer{Email: "them@example.test", Name: "Them", Username: "them"})
	for n, to := range []string{"them", "them@example.test", "Them", "them", "them@example.test", "them",
		"them@example.test"} {
		act := h.act()
		act.Mails = []storage.Mail{{UID: h.ambient.UID(), Kind: templates.LetterAppInvitation, To: to, Words: "{}"}}
		if err := h.store.PostMails(t.Context(), act, "test"); err != nil {
			t.Fatal(err)
		}
		mails, _, err := h.store.ListMails(t.Context(), to, storage.PageRequest{})
		if err != nil || len(mails) == 0 {
			t.Fatalf("%d mails: %v", len(mails), err)
		}
		m := mails[0] // the newest
		err = h.people.Writers()[templates.LetterAppInvitation](t.Context(), &m, &templates.Letter{})
		if fault.Is(err, fault.TooMany) != (n >= 5) || err == nil && m.To != "them@example.test" {
			t.Errorf("mail %d, to %s: %v", n+1, m.To, err)
		}
	}
}

// Rule: ADMIN-6
func TestDisabledPeopleGetNoLinkAndTheirsIsVoid(t *testing.T) {
	h := newHouse(t)
	user := h.create(t, people.Newcomer{Email: "person@example.test", Name: "Person"})
	link, err := h.people.PasswordLink(t.Context(), h.act(), user)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.people.Disable(t.Context(), h.act(), user, false); err != nil {
		t.Fatal(err)
	}
	if _, err := h.people.PasswordLinkUser(t.Context(), link.Token, h.ambient.Now()); !fault.HasReason(err,
		people.ReasonLinkOver) {
		t.Errorf("the link: %v", err)
	}
	user.Disabled = true
	if _, err := h.people.PasswordLink(t.Context(), h.act(), user); !fault.Is(err, fault.Conflict) {
		t.Errorf("a new one: %v", err)
	}
}

func TestGroupsHaveReadableNamesAndPeople(t *testing.T) {
	h := newHouse(t)
	user := h.create(t, people.Newcomer{Email: "person@example.test", Name: "Person", Username: "person"})
	for _, name := range []string{"", " ", "a\nb", "\u202eevil"} {
		if _, err := h.people.CreateGroup(t.Context(), h.act(), people.NewGroup{Name: name}); !fault.Is(err,
			fault.Invalid) || fault.From(err).Source != people.FieldName {
			t.Errorf("%q: %v", name, err)
		}
	}
	group, err := h.people.CreateGroup(t.Context(), h.act(), people.NewGroup{Name: " Editors "})
	if err != nil || group.Name != "Editors" {
		t.Fatalf("%+v, %v", group, err)
	}
	if _, err := h.people.CreateGroup(t.Context(), h.act(), people.NewGroup{Name: "EDITORS"}); !fault.HasReason(err,
		storage.ReasonGroupNameTaken) {
		t.Errorf("the name again: %v", err)
	}
	for _, handle := range []string{user.ID, "PERSON@example.test", " person "} {
		if err := h.people.AddToGroup(t.Context(), h.act(), group.ID, handle); err != nil {
			t.Errorf("%q: %v", handle, err)
		}
	}
	if err := h.people.AddToGroup(t.Context(), h.act(), group.ID, "nobody"); !fault.HasReason(err, people.ReasonNoUser) ||
		fault.From(err).Source != people.FieldMember {
		t.Errorf("nobody: %v", err)
	}
	if err := h.people.AddToGroup(t.Context(), h.act(), "none", user.ID); !fault.HasReason(err, people.ReasonNoGroup) {
		t.Errorf("no group: %v", err)
	}
	groups, err := h.people.GroupsOf(t.Context(), user.ID)
	if err != nil || len(groups) != 1 || groups[0].Members != 1 {
		t.Errorf("%+v, %v", groups, err)
	}
}

// Rule: ADMIN-5
func TestTheSetUpLinkLastsAnHour(t *testing.T) {
	h := newHouse(t)
	link, needed, err := h.people.SetUpLink(t.Context(), h.act())
	if err != nil || !needed || link.Until.Sub(h.ambient.Now()) != time.Hour {
		t.Fatalf("%+v, %v, %v", link, needed, err)
	}
	newcomer := people.Newcomer{Email: "admin@example.test", Name: "Administrator", Password: goodPassword}
	late := h.act()
	late.At = link.Until
	if err := h.people.CheckSetUpLink(t.Context(), link.Token, late.At); !fault.HasReason(err, people.ReasonLinkOver) {
		t.Errorf("opened after an hour: %v", err)
	}
	if _, err := h.people.SetUp(t.Context(), late, link.Token, newcomer); !fault.HasReason(err, people.ReasonLinkOver) {
		t.Errorf("used after an hour: %v", err)
	}
	inTime := h.act()
	inTime.At = link.Until.Add(-time.Second)
	if user, err := h.people.SetUp(t.Context(), inTime, link.Token, newcomer); err != nil || !user.Admin {
		t.Errorf("used a second before: %+v, %v", user, err)
	}
}
