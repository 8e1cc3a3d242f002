package storagetest

import "github.com/portico-id/portico/storage"

func brandChecks() []check {
	return []check{
		{"SetBrand keeps the brand in the place of the one before, and is audited", setBrand},
		{"of a brand that is changed at once in many ways every change counts", raceBrand},
		{"of a group that is changed at once in two ways both changes count", raceUserGroup},
	}
}

func setBrand(w *World) {
	brand := func() storage.Brand {
		kept, err := w.Store.FindBrand(w.Ctx())
		w.Must(err)
		return kept
	}
	w.Equal(storage.Brand{}, brand())
	whole := storage.Brand{
		Name: "Weber & Söhne", SupportURL: "mailto:help@example.test", TermsURL: "https://example.test/t",
		PrivacyURL: "https://example.test/p",
		ImprintURL: "https://example.test/i", Color: "#2a4d8f", ColorDark: "#93b2f5", LogoHash: "h", Logo: []byte{1, 0, 2},
	}
	for _, next := range []storage.Brand{whole, whole, {Name: "Other", Logo: []byte{}}} {
		_, err := w.Store.SetBrand(w.Ctx(), w.Act(), become(next))
		w.Must(err)
		w.Equal(next, brand())
	}
	w.Audited("", "brand.set", "brand.set", "brand.set")
}

func raceBrand(w *World) {
	one := "https://example.test/one"
	fields := func(b *storage.Brand) []*string {
		return []*string{&b.Name, &b.SupportURL, &b.TermsURL, &b.PrivacyURL, &b.ImprintURL, &b.Color, &b.ColorDark}
	}
	var want storage.Brand
	results := w.race(len(fields(&want)), func(store storage.Identity, i int) error {
		_, err := store.SetBrand(w.Ctx(), w.Act(), func(b *storage.Brand) error {
			*fields(b)[i] = one
			return nil
		})
		return err
	})
	w.Equal(map[string]int{"ok": len(results)}, each(results))
	for _, field := range fields(&want) {
		*field = one
	}
	want.Logo = []byte{}
	got, err := w.Store.FindBrand(w.Ctx())
	w.Must(err)
	w.Equal(want, got)
}

func raceUserGroup(w *World) {
	group := w.userGroup("Editors")
	results := w.race(2, func(store storage.Identity, i int) error {
		_, err := store.UpdateUserGroup(w.Ctx(), w.Act(), group.ID, func(g *storage.UserGroup) error {
			*[]*string{&g.Name, &g.Description}[i] = "Other"
			return nil
		})
		return err
	})
	w.Equal(map[string]int{"ok": 2}, each(results))
	got, err := w.Store.FindUserGroup(w.Ctx(), group.ID)
	w.Must(err)
	group.Name, group.Description = "Other", "Other"
	w.Equal(group, got)
}
