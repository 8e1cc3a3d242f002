package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func portraitChecks() []check {
	return []check{
		{"SetPortrait gives a portrait or replaces it, and the same again changes nothing", setPortrait},
		{"DeletePortrait takes the portrait away, and is NotFound again", deletePortrait},
		{"a portrait goes with its user", portraitGoes},
	}
}

func portrait(hash string, sides ...int) storage.Portrait {
	p := storage.Portrait{Hash: hash}
	for _, side := range sides {
		p.Sizes = append(p.Sizes, storage.PortraitSize{Side: side, Picture: []byte{byte(side), 0}})
	}
	return p
}

func (w *World) portraitOf(userID string) string {
	w.Helper()
	user, err := w.Store.FindUser(w.Ctx(), userID)
	w.Must(err)
	return user.Portrait
}

func (w *World) noPortrait(hash string, side int) {
	w.Helper()
	_, err := w.Store.FindPortrait(w.Ctx(), hash, side)
	w.Refused(err, fault.NotFound, "")
}

func setPortrait(w *World) {
	user, other := w.User(), w.User()
	w.Must(w.Store.SetPortrait(w.Ctx(), w.Act(), other.ID, portrait("h2", 20)))
	for _, p := range []storage.Portrait{portrait("h1", 20, 40), portrait("h1", 20, 40), portrait("h2", 20)} {
		w.Must(w.Store.SetPortrait(w.Ctx(), w.Act(), user.ID, p))
		w.Equal(p.Hash, w.portraitOf(user.ID))
		for _, size := range p.Sizes {
			picture, err := w.Store.FindPortrait(w.Ctx(), p.Hash, size.Side)
			w.Must(err)
			w.Equal(size.Picture, picture)
		}
	}
	w.noPortrait("h1", 20)
	w.noPortrait("h2", 40)
	w.Audited(user.ID, "user.portrait_set", "user.portrait_set", "user.created")
	w.Refused(w.Store.SetPortrait(w.Ctx(), w.Act(), "NOBODY", portrait("h", 20)), fault.NotFound, "")
}

func deletePortrait(w *World) {
	user := w.User()
	w.Must(w.Store.SetPortrait(w.Ctx(), w.Act(), user.ID, portrait("h", 20)))
	w.Must(w.Store.DeletePortrait(w.Ctx(), w.Act(), user.ID))
	w.Equal("", w.portraitOf(user.ID))
	w.noPortrait("h", 20)
	w.Refused(w.Store.DeletePortrait(w.Ctx(), w.Act(), user.ID), fault.NotFound, "")
	w.Refused(w.Store.DeletePortrait(w.Ctx(), w.Act(), "NOBODY"), fault.NotFound, "")
	w.Audited(user.ID, "user.portrait_deleted", "user.portrait_set", "user.created")
}

func portraitGoes(w *World) {
	user := w.User()
	w.Must(w.Store.SetPortrait(w.Ctx(), w.Act(), user.ID, portrait("h", 20)))
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), user.ID))
	w.noPortrait("h", 20)
}
