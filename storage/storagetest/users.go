package storagetest

import (
	"context"
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func userChecks() []check {
	return []check{
		{"CreateUser adds a user that FindUser returns with every field", createdUserIsFound},
		{"CreateUser refuses a taken address or user name, ignoring case, and names which", takenNamesAreRefused},
		{"CreateUser lets any number of users have no user name", manyWithoutUsername},
		{"CreateUser refuses a taken id without a reason", takenUserIDIsRefused},
		{"FindUser and FindUserByLogin return disabled users too", disabledUserIsFound},
		{"FindUserByLogin returns the password hash, empty when there is none", loginReturnsHash},
		{"an absent user is NotFound to every method", absentUser},
		{"UpdateUser replaces address, name and profile and sets UpdatedAt", updateUser},
		{"UpdateUser changes Admin when asked to, and says so in the audit trail", updateUserAdmin},
		{"UpdateUser changes nobody who was changed since they were read", updateUserReadBefore},
		{"UpdateUser leaves Admin, Disabled, TwoFactor and the other times as they are", updateUserLeavesTheRest},
		{"UpdateUser refuses another user's address or name, and changes nothing", updateUserConflicts},
		{"UpdateUser lets a user keep and respell their own names", updateUserRespells},
		{"SetUserDisabled revokes every grant and ends every session of that user only", disableUser},
		{"SetUserDisabled repeated changes nothing", disableUserTwice},
		{"enabling a user brings nothing back", enableUser},
		{"DeleteUser removes the user with sessions, consents, grants and codes", deleteUser},
		{"CountAdmins counts enabled administrators", countAdmins},
		{"the last enabled administrator stays unless the act is forced", lastAdmin},
	}
}

func createdUserIsFound(w *World) {
	user := storage.User{
		ID: w.Source.PersonID(), Email: "Ann@Example.test", EmailVerified: true, Username: "Ann", Admin: true, Disabled: true,
		Profile: storage.Profile{
			Name: "Ann A", GivenName: "Ann", FamilyName: "A", ProfileURL: "https://p", PictureURL: "https://i", Locale: "en-US",
			CountryCode: "US", PhoneNumber: "+1", PhoneNumberVerified: true,
			Address:  storage.Address{StreetAddress: "s", Locality: "l", Region: "r", PostalCode: "p", Country: "c"},
			JobTitle: "j", Industry: "i", IndustryCode: "ic", AboutMe: "a", Language: "en", Company: "co", EIDMGUID: "e",
			OptIn: true, LDAPDomain: "d", Thumbnails: map[string]string{"sizeX20": "https://t"},
		},
		CreatedAt: w.Now(), UpdatedAt: w.Now().Add(time.Second), LastSignInAt: w.Now().Add(time.Minute),
	}
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), user, "hash"))
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(user, got)
	w.Audited(user.ID, "user.created")
}

func takenNamesAreRefused(w *World) {
	first := w.User()
	for name, c := range map[string]struct {
		change func(*storage.User)
		reason string
	}{
		"address": {func(u *storage.User) { u.Email = "  " + first.ID + "@EXAMPLE.TEST" }, storage.ReasonEmailTaken},
		"name":    {func(u *storage.User) { u.Username = "U-" + first.ID }, storage.ReasonUsernameTaken},
		"both":    {func(u *storage.User) { u.Email, u.Username = first.Email, first.Username }, storage.ReasonEmailTaken},
	} {
		other := storage.User{ID: w.Source.PersonID(), Email: name + "@other.test", CreatedAt: w.Now(), UpdatedAt: w.Now()}
		c.change(&other)
		w.Refused(w.Store.CreateUser(w.Ctx(), w.Act(), other, ""), fault.Conflict, c.reason)
		_, err := w.Store.FindUser(w.Ctx(), other.ID)
		w.Refused(err, fault.NotFound, "")
	}
}

func manyWithoutUsername(w *World) {
	for i := range 3 {
		w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), storage.User{
			ID: fmt.Sprint("U", i), Email: fmt.Sprint(i, "@example.test"), CreatedAt: w.Now(), UpdatedAt: w.Now(),
		}, ""))
	}
}

func takenUserIDIsRefused(w *World) {
	first := w.User()
	first.Email, first.Username = "other@example.test", "other"
	err := w.Store.CreateUser(w.Ctx(), w.Act(), first, "")
	w.Refused(err, fault.Conflict, "")
	if reason := fault.From(err).Reason; reason != "" {
		w.Errorf("reason is %q", reason)
	}
}

func disabledUserIsFound(w *World) {
	user := w.User()
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	user.Disabled = true
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(user, got)
	got, _, err = w.Store.FindUserByLogin(w.Ctx(), user.Email)
	w.Must(err)
	w.Equal(user, got)
}

func loginReturnsHash(w *World) {
	user := w.User()
	got, hash, err := w.Store.FindUserByLogin(w.Ctx(), user.Username)
	w.Must(err)
	w.Equal(user, got)
	w.Equal("hash of "+user.ID, hash)
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(),
		storage.User{ID: "A", Email: "a@example.test", CreatedAt: w.Now(), UpdatedAt: w.Now()}, ""))
	_, hash, err = w.Store.FindUserByLogin(w.Ctx(), "a@example.test")
	w.Must(err)
	w.Equal("", hash)
}

func absentUser(w *World) {
	w.User()
	ctx, act := w.Ctx(), w.Act()
	_, findErr := w.Store.FindUser(ctx, "NOBODY")
	_, _, loginErr := w.Store.FindUserByLogin(ctx, "nobody")
	_, _, emptyErr := w.Store.FindUserByLogin(ctx, "")
	_, hashErr := w.Store.FindPasswordHash(ctx, "NOBODY")
	for name, err := range map[string]error{
		"FindUser": findErr, "FindUserByLogin": loginErr, "FindUserByLogin of nothing": emptyErr, "FindPasswordHash": hashErr,
		"UpdateUser":      w.Store.UpdateUser(ctx, act, storage.User{ID: "NOBODY", Email: "n@example.test"}, new(true)),
		"SetPassword":     w.Store.SetPassword(ctx, act, "NOBODY", "h", ""),
		"SetUserDisabled": w.Store.SetUserDisabled(ctx, act, "NOBODY", true),
		"DeleteUser":      w.Store.DeleteUser(ctx, act, "NOBODY"),
		"StartSession":    w.Store.StartSession(ctx, act, storage.LoginSession{ID: "s", UserID: "NOBODY"}, storage.Proof{}),
	} {
		if !fault.Is(err, fault.NotFound) {
			w.Errorf("%s: %v, want not found", name, err)
		}
	}
}

func updateUser(w *World) {
	user := w.User()
	w.Clock.Advance(time.Hour)
	user.Email, user.EmailVerified, user.Username = "new@example.test", true, "new"
	user.Profile = storage.Profile{Name: "New", OptIn: true}
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
	user.UpdatedAt = w.Now()
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(user, got)
	w.Audited(user.ID, "user.updated", "user.created")
}

func updateUserAdmin(w *World) {
	user := w.User()
	w.admin()
	for _, admin := range []bool{true, true, false} {
		w.Equal(admin, put(w, w.Act(), user, &admin).Admin)
	}
	w.Audited(user.ID, "user.updated", "user.demoted", "user.updated", "user.updated", "user.promoted", "user.created")
}

func updateUserLeavesTheRest(w *World) {
	user := w.User()
	changed := user
	changed.Admin, changed.Disabled, changed.TwoFactor = true, true, true
	changed.CreatedAt, changed.LastSignInAt = w.Now().Add(time.Hour), w.Now().Add(time.Hour)
	w.Clock.Advance(time.Second)
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), changed, nil))
	user.UpdatedAt = w.Now()
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(user, got)
	hash, err := w.Store.FindPasswordHash(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal("hash of "+user.ID, hash)
}

func updateUserReadBefore(w *World) {
	before := w.User()
	for _, change := range []func(){
		func() { put(w, w.Act(), before, nil) }, // at the same time
		func() { w.Must(w.Store.SetPortrait(w.Ctx(), w.Act(), before.ID, storage.Portrait{Hash: "h"})) },
	} {
		change()
		w.Clock.Advance(time.Second)
		admin := true
		w.Refused(w.Store.UpdateUser(w.Ctx(), w.Act(), before, &admin), fault.Conflict, storage.ReasonChanged)
		got, err := w.Store.FindUser(w.Ctx(), before.ID)
		w.Must(err)
		w.Equal(false, got.Admin)
		before = got
	}
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), before, nil))
}

func updateUserConflicts(w *World) {
	first, second := w.User(), w.User()
	for reason, change := range map[string]func(*storage.User){
		storage.ReasonEmailTaken:    func(u *storage.User) { u.Email = first.Email },
		storage.ReasonUsernameTaken: func(u *storage.User) { u.Username = "U-" + first.ID },
	} {
		changed := second
		changed.Profile.Name = "Changed"
		change(&changed)
		w.Refused(w.Store.UpdateUser(w.Ctx(), w.Act(), changed, nil), fault.Conflict, reason)
	}
	got, err := w.Store.FindUser(w.Ctx(), second.ID)
	w.Must(err)
	w.Equal(second, got)
}

func updateUserRespells(w *World) {
	user := w.User()
	user.Email = user.ID + "@EXAMPLE.test"
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(user.Email, got.Email)
}

func disableUser(w *World) {
	user, other, client := w.User(), w.User(), w.Client()
	grant, session := w.Grant(user.ID, client.ID), w.Session(user.ID)
	otherGrant, otherSession := w.Grant(other.ID, client.ID), w.Session(other.ID)
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	w.Equal("revoked", w.grantState(grant.ID))
	w.Equal("live", w.grantState(otherGrant.ID))
	w.Equal("ended", w.sessionState(session))
	w.Equal("live", w.sessionState(otherSession))
}

func disableUserTwice(w *World) {
	user := w.User()
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, false))
	w.Audited(user.ID, "user.created")
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	w.Audited(user.ID, "user.disabled", "user.created")
}

func enableUser(w *World) {
	user, client := w.User(), w.Client()
	grant, session := w.Grant(user.ID, client.ID), w.Session(user.ID)
	code := w.Code(user.ID, client.ID)
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, false))
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(false, got.Disabled)
	w.Equal("revoked", w.grantState(grant.ID))
	w.Equal("ended", w.sessionState(session))
	w.Refused(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, w.grantOf(code)), fault.Gone, storage.ReasonRevoked)
}

func deleteUser(w *World) {
	user, client := w.User(), w.Client()
	grant, session, code := w.Grant(user.ID, client.ID), w.Session(user.ID), w.Code(user.ID, client.ID)
	request := w.Request(client.ID)
	request.Allowed, request.DecidedBy, request.DecidedAt = true, session.ID, w.Now()
	w.Must(w.Store.DecideLoginRequest(w.Ctx(), w.Act(), request, user.ID, []string{"openid"}))
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), user.ID))
	_, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindCode(w.Ctx(), code.Hash)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
	w.Refused(err, fault.NotFound, "")
	w.Equal("absent", w.grantState(grant.ID))
	w.Equal("ended", w.sessionState(session))
	events, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{Subject: user.ID, Kind: "user.deleted"},
		storage.PageRequest{})
	w.Must(err)
	w.Equal(1, len(events))
}

func countAdmins(w *World) {
	disabled := w.admin()
	w.admin()
	w.User()
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), disabled.ID, true))
	n, err := w.Store.CountAdmins(w.Ctx())
	w.Must(err)
	w.Equal(1, n)
}

// admin adds an enabled administrator.
func (w *World) admin() storage.User {
	w.Helper()
	return put(w, w.Act(), w.User(), new(true))
}

// put makes the user what is given, whatever was changed since it was read.
func put(w *World, act storage.Act, user storage.User, admin *bool) storage.User {
	w.Helper()
	before, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	user.UpdatedAt = before.UpdatedAt
	w.Must(w.Store.UpdateUser(w.Ctx(), act, user, admin))
	after, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	return after
}

// departures are the acts that take an administrator away.
func departures() map[string]func(ctx context.Context, store storage.Identity, act storage.Act,
	user storage.User) error {
	return map[string]func(context.Context, storage.Identity, storage.Act, storage.User) error{
		"demoted": func(ctx context.Context, store storage.Identity, act storage.Act, user storage.User) error {
			return store.UpdateUser(ctx, act, user, new(false))
		},
		"disabled": func(ctx context.Context, store storage.Identity, act storage.Act, user storage.User) error {
			return store.SetUserDisabled(ctx, act, user.ID, true)
		},
		"deleted": func(ctx context.Context, store storage.Identity, act storage.Act, user storage.User) error {
			return store.DeleteUser(ctx, act, user.ID)
		},
	}
}

func lastAdmin(w *World) {
	forced := w.Act()
	forced.Force = true
	for name, leave := range departures() {
		w.noAdmins()
		ordinary, disabled, last := w.User(), w.admin(), w.admin()
		w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), disabled.ID, true))
		w.Refused(leave(w.Ctx(), w.Store, w.Act(), last), fault.Conflict, storage.ReasonLastAdmin)
		got, err := w.Store.FindUser(w.Ctx(), last.ID)
		w.Must(err)
		if !got.Admin || got.Disabled {
			w.Errorf("%s and refused: %+v", name, got)
		}
		w.Must(leave(w.Ctx(), w.Store, w.Act(), ordinary))
		w.Must(leave(w.Ctx(), w.Store, w.Act(), disabled))
		w.Must(leave(w.Ctx(), w.Store, forced, last))
	}
}

// noAdmins demotes everybody.
func (w *World) noAdmins() {
	w.Helper()
	forced := w.Act()
	forced.Force = true
	users, err := w.Store.ListUsers(w.Ctx(), storage.UserFilter{}, storage.PageRequest{})
	w.Must(err)
	for _, user := range users.Rows {
		w.Must(w.Store.UpdateUser(w.Ctx(), forced, user, new(false)))
	}
}
