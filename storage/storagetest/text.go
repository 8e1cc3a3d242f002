package storagetest

import (
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func textChecks() []check {
	return []check{
		{"times come back in UTC with whole microseconds, cut and not rounded", timesAreMicroseconds},
		{"the zero time means never and comes back as it", zeroTimeIsNever},
		{"times before 1970 and far ahead come back", farTimes},
		{"text of any script and emoji come back as they were written", textComesBack},
		{"names compare without regard to case and Unicode form", namesCompareFolded},
		{"empty lists come back empty and full ones in their order", listsComeBack},
	}
}

func timesAreMicroseconds(w *World) {
	zone := time.FixedZone("somewhere", 5*3600)
	user := storage.User{
		ID: "A", Email: "a@example.test",
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 999999999, zone), UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 1500, zone),
	}
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), user, ""))
	got, err := w.Store.FindUser(w.Ctx(), "A")
	w.Must(err)
	if want := time.Date(2026, 1, 1, 22, 4, 5, 999999000, time.UTC); got.CreatedAt != want {
		w.Errorf("created %v, want %v", got.CreatedAt, want)
	}
	if want := time.Date(2026, 1, 1, 22, 4, 5, 1000, time.UTC); got.UpdatedAt != want {
		w.Errorf("updated %v, want %v", got.UpdatedAt, want)
	}
}

func zeroTimeIsNever(w *World) {
	got, err := w.Store.FindUser(w.Ctx(), w.User().ID)
	w.Must(err)
	if got.LastSignInAt != (time.Time{}) {
		w.Errorf("last sign-in is %v", got.LastSignInAt)
	}
}

func farTimes(w *World) {
	user := storage.User{
		ID: "A", Email: "a@example.test",
		CreatedAt: time.Date(1912, 6, 23, 1, 2, 3, 4000, time.UTC),
		UpdatedAt: time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC),
	}
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), user, ""))
	got, err := w.Store.FindUser(w.Ctx(), "A")
	w.Must(err)
	w.Equal(user, got)
}

func textComesBack(w *World) {
	user := w.User()
	user.Profile = storage.Profile{
		Name: "Zoë 👩‍🚀 أحمد 李小龍", GivenName: "e\u0301", AboutMe: "quotes '\" back\\slash\nline\ttab <&> %_!",
		Address:    storage.Address{StreetAddress: "1 Way\n2nd floor", Country: "NL"},
		Thumbnails: map[string]string{"sizeX20": "https://example.test/20.png?a=1&b=2"},
	}
	w.Clock.Advance(time.Second)
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
	user.UpdatedAt = w.Now()
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(user, got)
}

func namesCompareFolded(w *World) {
	jose := storage.User{ID: "A", Email: "José@Example.test", Username: "Straße", CreatedAt: w.Now(), UpdatedAt: w.Now()}
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), jose, ""))
	for _, login := range []string{"JOSE\u0301@EXAMPLE.TEST", " josé@example.test ", "STRASSE", "straße"} {
		got, _, err := w.Store.FindUserByLogin(w.Ctx(), login)
		w.Must(err)
		w.Equal(jose, got)
	}
	for _, login := range []string{"jose@example.test", "strase"} {
		_, _, err := w.Store.FindUserByLogin(w.Ctx(), login)
		w.Refused(err, fault.NotFound, "")
	}
}

func listsComeBack(w *World) {
	client := w.Client()
	got, err := w.Store.FindClient(w.Ctx(), client.ID)
	w.Must(err)
	if len(got.RedirectURIs)+len(got.Scopes)+len(got.Origins) != 0 {
		w.Errorf("lists are %v", got)
	}
	client.RedirectURIs = []string{"https://b.example.test/?a=1&b=\"2\"",
		"https://a.example.test/" + strings.Repeat("x", 3000), "com.example:/cb"}
	client.Scopes = []string{"openid", "data:read:<URN>", "data:read"}
	w.Clock.Advance(time.Second)
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), client))
	client.UpdatedAt = w.Now()
	got, err = w.Store.FindClient(w.Ctx(), client.ID)
	w.Must(err)
	w.Equal(client, got)
}
