package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func importChecks() []check {
	return []check{
		{"CreateUsers adds all, as CreateUser does, with their mails, or none", createUsers},
		{"FindLogins tells which addresses and names somebody has", findLogins},
		{"a file waits for who sent it, for an hour", keepImport},
	}
}

func newPerson(id, email, username string, w *World) storage.User {
	return storage.User{ID: id, Email: email, Username: username, Profile: storage.Profile{Name: "Person " + id},
		CreatedAt: w.Now(), UpdatedAt: w.Now()}
}

func createUsers(w *World) {
	act := w.Act()
	act.Mails = []storage.Mail{{UID: w.Source.UID(), Kind: "invitation", UserID: "A", To: "a@example.test", Words: "{}"}}
	a, b := newPerson("A", "a@example.test", "", w), newPerson("B", "b@example.test", "bea", w)
	w.Must(w.Store.CreateUsers(w.Ctx(), act, []storage.User{a, b}))
	for _, want := range []storage.User{a, b} {
		got, err := w.Store.FindUser(w.Ctx(), want.ID)
		w.Must(err)
		w.Equal(want, got)
		w.Audited(want.ID, "user.created")
	}
	mailed, err := w.Store.CountMails(w.Ctx(), "a@example.test", []string{"invitation"}, w.Now().Add(-time.Hour), 1<<60)
	w.Must(err)
	w.Equal(1, mailed)
	w.Equal([]string{"B"}, w.found("person b"))
	for reason, user := range map[string]storage.User{
		storage.ReasonEmailTaken:    newPerson("D", "A@example.test", "", w),
		storage.ReasonUsernameTaken: newPerson("D", "d@example.test", "BEA", w),
	} {
		w.Refused(w.Store.CreateUsers(w.Ctx(), w.Act(), []storage.User{newPerson("C", "c@example.test", "", w), user}),
			fault.Conflict, reason)
	}
	w.Refused(w.Store.CreateUsers(w.Ctx(), w.Act(),
		[]storage.User{newPerson("C", "c@example.test", "", w), newPerson("D", "C@example.test", "", w)}),
		fault.Conflict, storage.ReasonEmailTaken)
	_, err = w.Store.FindUser(w.Ctx(), "C")
	w.Refused(err, fault.NotFound, "")
}

func findLogins(w *World) {
	w.Must(w.Store.CreateUsers(w.Ctx(), w.Act(), []storage.User{newPerson("A", "a@example.test", "ann", w)}))
	got, err := w.Store.FindLogins(w.Ctx(), []string{"A@example.test", "Ann", "b@example.test", ""})
	w.Must(err)
	w.Equal(map[string]bool{"A@example.test": true, "Ann": true}, got)
}

func keepImport(w *World) {
	user, other := w.User(), w.User()
	file := storage.Import{ID: "i1", UserID: user.ID, File: []byte("email\n"), At: w.Now()}
	w.Must(w.Store.KeepImport(w.Ctx(), file))
	got, err := w.Store.FindImport(w.Ctx(), user.ID, "i1", w.Now())
	w.Must(err)
	w.Equal(file, got)
	_, err = w.Store.FindImport(w.Ctx(), other.ID, "i1", w.Now())
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindImport(w.Ctx(), user.ID, "i1", w.Now().Add(storage.KeepImports))
	w.Refused(err, fault.NotFound, "")
	for range 2 {
		w.Must(w.Store.DropImport(w.Ctx(), "i1"))
	}
	_, err = w.Store.FindImport(w.Ctx(), user.ID, "i1", w.Now())
	w.Refused(err, fault.NotFound, "")
}
