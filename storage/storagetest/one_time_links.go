package storagetest

import (
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func linkChecks() []check {
	return []check{
		{"a link is found until its end, for its own purpose only", findLink},
		{"a later link of the same purpose and user voids the earlier one", laterLink},
		{"SetPasswordByLink sets the password once and ends sessions and grants", passwordByLink},
		{"a password link is void for a disabled user, after a password and after a change of address", voidLinks},
		{"a password link that was mailed verifies the address, if it is still the user's", mailedLink},
		{"ConfirmAddress changes the address when both links were used, or the only one", confirmAddress},
		{"links for a change of address are void after a password, another change and for a disabled user", voidAddressLinks},
		{"of fifty that confirm an address at once one wins", raceConfirm},
		{"of fifty that use one password link one wins", raceLink},
		{"SetUp makes the first administrator once", setUp},
		{"SetUp is void once an administrator exists", setUpLate},
		{"SetUp that fails on a taken address leaves the link", setUpTaken},
		{"of fifty that set the server up one wins", raceSetUp},
	}
}

// link adds a link for half an hour.
func (w *World) link(purpose storage.LinkPurpose, userID string) []byte {
	w.Helper()
	hash := w.Source.Bytes(32)
	w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), storage.OneTimeLink{
		Hash: hash, Purpose: purpose, UserID: userID, ExpiresAt: w.Now().Add(30 * time.Minute),
	}))
	return hash
}

func (w *World) hasLink(hash []byte, purpose storage.LinkPurpose) bool {
	w.Helper()
	_, err := w.Store.FindOneTimeLink(w.Ctx(), hash, purpose, w.Now())
	if fault.Is(err, fault.NotFound) {
		return false
	}
	w.Must(err)
	return true
}

func findLink(w *World) {
	user := w.User()
	hash := w.link(storage.LinkPassword, user.ID)
	got, err := w.Store.FindOneTimeLink(w.Ctx(), hash, storage.LinkPassword, w.Now())
	w.Must(err)
	w.Equal(storage.OneTimeLink{Hash: hash, Purpose: storage.LinkPassword, UserID: user.ID,
		ExpiresAt: w.Now().Add(30 * time.Minute)}, got)
	if w.hasLink(hash, storage.LinkSetUp) {
		w.Error("it is good for another purpose")
	}
	w.Clock.Advance(30 * time.Minute)
	if w.hasLink(hash, storage.LinkPassword) {
		w.Error("it outlives its end")
	}
	_, err = w.Store.SetPasswordByLink(w.Ctx(), w.Act(), hash, "new")
	w.Refused(err, fault.Gone, storage.ReasonSpent)
	w.Refused(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), storage.OneTimeLink{
		Hash: []byte("x"), Purpose: storage.LinkPassword, UserID: "NOBODY", ExpiresAt: w.Now().Add(time.Hour),
	}), fault.NotFound, "")
}

func laterLink(w *World) {
	user, other := w.User(), w.User()
	first, others, setUp := w.link(storage.LinkPassword, user.ID), w.link(storage.LinkPassword, other.ID),
		w.link(storage.LinkSetUp, "")
	second := w.link(storage.LinkPassword, user.ID)
	if w.hasLink(first, storage.LinkPassword) || !w.hasLink(second, storage.LinkPassword) {
		w.Error("the later one does not stand alone")
	}
	if !w.hasLink(others, storage.LinkPassword) || !w.hasLink(setUp, storage.LinkSetUp) {
		w.Error("another's went")
	}
	again := w.link(storage.LinkSetUp, "")
	if w.hasLink(setUp, storage.LinkSetUp) || !w.hasLink(again, storage.LinkSetUp) {
		w.Error("two links to set up")
	}
}

func passwordByLink(w *World) {
	user := w.User()
	session, grant := w.Session(user.ID), w.Grant(user.ID, w.Client().ID)
	hash := w.link(storage.LinkPassword, user.ID)
	id, err := w.Store.SetPasswordByLink(w.Ctx(), w.Act(), hash, "new")
	w.Must(err)
	stored, err := w.Store.FindPasswordHash(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal([]string{user.ID, "new", "ended", "revoked"},
		[]string{id, stored, w.sessionState(session), w.grantState(grant.ID)})
	_, err = w.Store.SetPasswordByLink(w.Ctx(), w.Act(), hash, "again")
	w.Refused(err, fault.Gone, storage.ReasonSpent)
}

func voidLinks(w *World) {
	disabled, changed, moved := w.User(), w.User(), w.User()
	for name, c := range map[string]struct {
		user storage.User
		act  func(storage.User) error
	}{
		"disabled": {disabled, func(u storage.User) error {
			return w.Store.SetUserDisabled(w.Ctx(), w.Act(), u.ID, true)
		}},
		"new password": {changed, func(u storage.User) error {
			return w.Store.SetPassword(w.Ctx(), w.Act(), u.ID, "h", "")
		}},
		"new address": {moved, func(u storage.User) error {
			u.Email = "elsewhere@example.test"
			put(w, w.Act(), u, nil)
			return nil
		}},
	} {
		hash := w.link(storage.LinkPassword, c.user.ID)
		c.user.Profile.Name = "Other"
		w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), c.user, nil))
		if !w.hasLink(hash, storage.LinkPassword) {
			w.Errorf("%s: it went with a change of name", name)
		}
		w.Must(c.act(c.user))
		_, err := w.Store.SetPasswordByLink(w.Ctx(), w.Act(), hash, "new")
		w.Refused(err, fault.Gone, storage.ReasonSpent)
	}
}

// addressed is a link that is about an address.
func (w *World) addressed(purpose storage.LinkPurpose, userID, email string) storage.OneTimeLink {
	return storage.OneTimeLink{Hash: w.Source.Bytes(32), Purpose: purpose, UserID: userID,
		ExpiresAt: w.Now().Add(30 * time.Minute), Email: email}
}

func mailedLink(w *World) {
	for email, verified := range map[string]bool{"": false, "other@example.test": false, "same": true} {
		user := w.User()
		if email == "same" {
			email = strings.ToUpper(user.Email)
		}
		link := w.addressed(storage.LinkPassword, user.ID, email)
		w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), link))
		_, err := w.Store.SetPasswordByLink(w.Ctx(), w.Act(), link.Hash, "new")
		w.Must(err)
		got, err := w.Store.FindUser(w.Ctx(), user.ID)
		w.Must(err)
		w.Equal(verified, got.EmailVerified)
	}
}

// moves makes the links of a change of address.
func (w *World) moves(userID, email string) (fresh, old storage.OneTimeLink) {
	w.Helper()
	fresh, old = w.addressed(storage.LinkAddressNew, userID, email), w.addressed(storage.LinkAddressOld, userID, email)
	w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), fresh, old))
	return fresh, old
}

func confirmAddress(w *World) {
	for i, first := range []string{"new", "old", "only"} {
		user := w.User()
		email := "New" + first + "@example.test"
		fresh, old := w.moves(user.ID, email)
		links := []storage.OneTimeLink{fresh, old}
		if first == "old" {
			links = []storage.OneTimeLink{old, fresh}
		}
		if first == "only" {
			user = w.User()
			links = []storage.OneTimeLink{w.addressed(storage.LinkAddressNew, user.ID, "Only@example.test")}
			email = "Only@example.test"
			w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), links[0]))
		}
		reset := w.link(storage.LinkPassword, user.ID)
		for n, link := range links {
			last := n == len(links)-1
			act := w.mailed("told@example.test")
			done, err := w.Store.ConfirmAddress(w.Ctx(), act, link.Hash)
			w.Must(err)
			w.Equal(last, done)
			_, err = w.Store.ConfirmAddress(w.Ctx(), w.Act(), link.Hash)
			w.Refused(err, fault.Gone, storage.ReasonSpent)
			w.Equal(!last, w.hasLink(reset, storage.LinkPassword))
		}
		got, err := w.Store.FindUser(w.Ctx(), user.ID)
		w.Must(err)
		w.Equal([]any{email, true}, []any{got.Email, got.EmailVerified})
		w.Equal(i+1, len(w.mails()))
	}
	one, other := w.User(), w.User()
	link := w.addressed(storage.LinkAddressNew, one.ID, other.Email)
	w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), link))
	_, err := w.Store.ConfirmAddress(w.Ctx(), w.Act(), link.Hash)
	w.Refused(err, fault.Conflict, storage.ReasonEmailTaken)
	w.moves(one.ID, "never@example.test") // and what is left of that, once it is over
	w.Clock.Advance(time.Hour)
	link = w.addressed(storage.LinkAddressNew, one.ID, "alone@example.test")
	w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), link))
	done, err := w.Store.ConfirmAddress(w.Ctx(), w.Act(), link.Hash)
	w.Must(err)
	w.Equal(true, done)
}

func voidAddressLinks(w *World) {
	for name, void := range map[string]func(storage.User){
		"password": func(u storage.User) { w.Must(w.Store.SetPassword(w.Ctx(), w.Act(), u.ID, "h", "")) },
		"disabled": func(u storage.User) { w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), u.ID, true)) },
		"another":  func(u storage.User) { w.moves(u.ID, "another@example.test") },
		"another, from an address that counts as proven no more": func(u storage.User) {
			w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), w.addressed(storage.LinkAddressNew, u.ID, "own@example.test")))
		},
		"changed": func(u storage.User) {
			u.Email = "changed@example.test"
			w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), u, nil))
		},
		"late": func(storage.User) { w.Clock.Advance(30 * time.Minute) },
	} {
		user := w.User()
		fresh, old := w.moves(user.ID, "new@example.test")
		void(user)
		for _, link := range []storage.OneTimeLink{fresh, old} {
			if _, err := w.Store.ConfirmAddress(w.Ctx(), w.Act(), link.Hash); !fault.HasReason(err, storage.ReasonSpent) {
				w.Errorf("%s: %v", name, err)
			}
		}
	}
}

func raceConfirm(w *World) {
	link := w.addressed(storage.LinkAddressNew, w.User().ID, "new@example.test")
	w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), link))
	w.oneWins(w.race(racers, func(store storage.Identity, _ int) error {
		_, err := store.ConfirmAddress(w.Ctx(), w.Act(), link.Hash)
		return err
	}), fault.Gone, storage.ReasonSpent)
}

func raceLink(w *World) {
	hash := w.link(storage.LinkPassword, w.User().ID)
	w.oneWins(w.race(racers, func(store storage.Identity, _ int) error {
		_, err := store.SetPasswordByLink(w.Ctx(), w.Act(), hash, "new")
		return err
	}), fault.Gone, storage.ReasonSpent)
}

func (w *World) first(name string) storage.User {
	return storage.User{
		ID: w.Source.PersonID(), Email: name + "@example.test", Admin: true, CreatedAt: w.Now(), UpdatedAt: w.Now(),
	}
}

func setUp(w *World) {
	hash := w.link(storage.LinkSetUp, "")
	user := w.first("admin")
	w.Must(w.Store.SetUp(w.Ctx(), w.Act(), hash, user, "h"))
	got, stored, err := w.Store.FindUserByLogin(w.Ctx(), user.Email)
	w.Must(err)
	w.Equal(user, got)
	w.Equal("h", stored)
	w.Audited(user.ID, "server.set_up")
	w.Refused(w.Store.SetUp(w.Ctx(), w.Act(), hash, w.first("other"), "h"), fault.Gone, storage.ReasonSpent)
}

func setUpLate(w *World) {
	hash := w.link(storage.LinkSetUp, "")
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), w.first("admin"), "h"))
	w.Refused(w.Store.SetUp(w.Ctx(), w.Act(), hash, w.first("other"), "h"), fault.Gone, storage.ReasonSpent)
}

func setUpTaken(w *World) {
	hash, user := w.link(storage.LinkSetUp, ""), w.User()
	taken := w.first("x")
	taken.Email = user.Email
	w.Refused(w.Store.SetUp(w.Ctx(), w.Act(), hash, taken, "h"), fault.Conflict, storage.ReasonEmailTaken)
	w.Must(w.Store.SetUp(w.Ctx(), w.Act(), hash, w.first("admin"), "h"))
}

func raceSetUp(w *World) {
	hash := w.link(storage.LinkSetUp, "")
	users := make([]storage.User, racers)
	for i := range users {
		users[i] = w.first("admin" + w.Source.PersonID())
	}
	w.oneWins(w.race(racers, func(store storage.Identity, i int) error {
		return store.SetUp(w.Ctx(), w.Act(), hash, users[i], "h")
	}), fault.Gone, storage.ReasonSpent)
}
