package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func nameChecks() []treeCheck {
	return []treeCheck{{"ListNames returns the names of users and service accounts that have one, and what who is gone is called", listNames}}
}

func listNames(w *Tree) {
	full, byName, nameless, robot, gone := w.User(), w.User(), w.User(), w.ServiceAccount(), w.User()
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), gone.ID))
	full.Profile = storage.Profile{Name: "Full Name"}
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), full, nil))
	nameless.Username = ""
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), nameless, nil))
	names, err := w.Data.ListNames(w.Ctx(), []string{full.ID, byName.ID, nameless.ID, robot.ID, "NOBODY", "",
		gone.ID, w.Source.ClientID()})
	w.Must(err)
	w.Equal(map[string]string{
		full.ID: "Full Name", byName.ID: byName.Username, robot.ID: "robot", gone.ID: storage.FormerMember,
	}, names)
	names, err = w.Data.ListNames(w.Ctx(), nil)
	w.Must(err)
	w.Equal(0, len(names))
	_, err = w.Data.ListNames(w.Ctx(), make([]string, 1001))
	w.Refused(err, fault.Invalid, "")
}
