package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func logoChecks() []check {
	return []check{
		{"SetClientLogo gives a logo or replaces it, and the same again changes nothing", setLogo},
		{"a logo that unmarks takes the operator's mark away, also one that is being given", unmarkingLogo},
		{"DeleteClientLogo takes the logo away, and is NotFound again", deleteLogo},
		{"FindLogo finds a picture as long as somebody has it", findLogo},
		{"a logo goes with its client", logoGoes},
	}
}

func (w *World) logo(clientID string) string {
	w.Helper()
	hash, err := w.Store.FindClientLogo(w.Ctx(), clientID)
	w.Must(err)
	return hash
}

func setLogo(w *World) {
	client := w.Client()
	w.Equal("", w.logo(client.ID))
	for _, hash := range []string{"h1", "h1", "h2"} {
		w.Must(w.Store.SetClientLogo(w.Ctx(), w.Act(), client.ID, storage.ClientLogo{Hash: hash, Picture: []byte(hash)}))
		w.Equal(hash, w.logo(client.ID))
	}
	w.Audited(client.ID, "client.logo_set", "client.logo_set", "client.created")
	w.Refused(w.Store.SetClientLogo(w.Ctx(), w.Act(), "nobody", storage.ClientLogo{Hash: "h", Picture: []byte{1}}),
		fault.NotFound, "")
	w.Equal("", w.logo("nobody"))
}

func unmarkingLogo(w *World) {
	client := w.Client()
	logo := storage.ClientLogo{Hash: "seen", Picture: []byte{1}}
	marked := func() storage.Client {
		now, err := w.Store.FindClient(w.Ctx(), client.ID)
		w.Must(err)
		now.Vouched = true
		return now
	}
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), marked()))
	w.Must(w.Store.SetClientLogo(w.Ctx(), w.Act(), client.ID, logo))
	being := marked()
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), being))
	logo.Hash, logo.Unmarks = "another", true
	w.Must(w.Store.SetClientLogo(w.Ctx(), w.Act(), client.ID, logo))
	now, err := w.Store.FindClient(w.Ctx(), client.ID)
	w.Must(err)
	w.Equal(false, now.Vouched)
	being = marked()
	logo.Hash = "a third"
	w.Must(w.Store.SetClientLogo(w.Ctx(), w.Act(), client.ID, logo))
	w.Refused(w.Store.UpdateClient(w.Ctx(), w.Act(), being), fault.Conflict, storage.ReasonChanged)
}

func deleteLogo(w *World) {
	client := w.Client()
	w.Must(w.Store.SetClientLogo(w.Ctx(), w.Act(), client.ID, storage.ClientLogo{Hash: "h", Picture: []byte{1}}))
	w.Must(w.Store.DeleteClientLogo(w.Ctx(), w.Act(), client.ID))
	w.Equal("", w.logo(client.ID))
	w.Refused(w.Store.DeleteClientLogo(w.Ctx(), w.Act(), client.ID), fault.NotFound, "")
	w.Audited(client.ID, "client.logo_deleted", "client.logo_set", "client.created")
}

func findLogo(w *World) {
	first, second := w.Client(), w.Client()
	for _, client := range []storage.Client{first, second} {
		w.Must(w.Store.SetClientLogo(w.Ctx(), w.Act(), client.ID, storage.ClientLogo{Hash: "h", Picture: []byte{1, 0, 2}}))
	}
	w.Must(w.Store.DeleteClientLogo(w.Ctx(), w.Act(), first.ID))
	picture, err := w.Store.FindLogo(w.Ctx(), "h")
	w.Must(err)
	w.Equal([]byte{1, 0, 2}, picture)
	w.Must(w.Store.DeleteClientLogo(w.Ctx(), w.Act(), second.ID))
	_, err = w.Store.FindLogo(w.Ctx(), "h")
	w.Refused(err, fault.NotFound, "")
}

func logoGoes(w *World) {
	client := w.Client()
	w.Must(w.Store.SetClientLogo(w.Ctx(), w.Act(), client.ID, storage.ClientLogo{Hash: "h", Picture: []byte{1}}))
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), client.ID))
	w.Equal("", w.logo(client.ID))
	_, err := w.Store.FindLogo(w.Ctx(), "h")
	w.Refused(err, fault.NotFound, "")
}
