package storagetest

import "github.com/portico-id/portico/storage"

func brandChecks() []check {
	return []check{{"SetBrand keeps the brand in the place of the one before, and is audited", setBrand}}
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
		w.Must(w.Store.SetBrand(w.Ctx(), w.Act(), next))
		w.Equal(next, brand())
	}
	w.Audited("", "brand.set", "brand.set", "brand.set")
}
