package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func switchedChecks() []check {
	return []check{
		{"what is changed and switched off at once is both or neither", changeAndSwitch},
		{"the last administrator who is changed and disabled at once stays as they are", changeAndDisableLast},
	}
}

func changeAndSwitch(w *World) {
	w.admin()
	user, client, resource, up := w.admin(), w.Client(), w.Resource("one"), w.Upstream("up")
	user.Username, client.Name, resource.Name, up.Name = "Other", "Other", "Other", "Other"
	for _, one := range []struct {
		patch func(disabled bool) error
		is    func() (name string, disabled bool, err error)
	}{
		{func(off bool) error { return w.Store.PatchUser(w.Ctx(), w.Act(), user, nil, &off) },
			func() (string, bool, error) {
				u, err := w.Store.FindUser(w.Ctx(), user.ID)
				return u.Username, u.Disabled, err
			}},
		{func(off bool) error { return w.Store.PatchClient(w.Ctx(), w.Act(), client, &off) },
			func() (string, bool, error) {
				c, err := w.Store.FindClient(w.Ctx(), client.ID)
				return c.Name, c.Disabled, err
			}},
		{func(off bool) error { return w.Store.PatchResource(w.Ctx(), w.Act(), resource, &off) },
			func() (string, bool, error) {
				r, err := w.Store.FindResource(w.Ctx(), resource.ID)
				return r.Name, r.Disabled, err
			}},
		{func(off bool) error {
			return w.Store.UpdateUpstream(w.Ctx(), w.Act(), up, storage.UpstreamEnds{Disabled: &off})
		},
			func() (string, bool, error) {
				u, err := w.Store.FindUpstream(w.Ctx(), up.ID)
				return u.Name, u.Disabled, err
			}},
	} {
		w.Must(one.patch(true))
		w.Refused(one.patch(false), fault.Conflict, storage.ReasonChanged) // it is not as it was read
		name, disabled, err := one.is()
		w.Must(err)
		w.Equal([]any{"Other", true}, []any{name, disabled})
	}
}

func changeAndDisableLast(w *World) {
	user := w.admin()
	changed := user
	changed.Username = "Other"
	w.Refused(w.Store.PatchUser(w.Ctx(), w.Act(), changed, nil, new(true)), fault.Conflict, storage.ReasonLastAdmin)
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(user, got)
}
