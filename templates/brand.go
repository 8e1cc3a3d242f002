package templates

import (
	"cmp"

	"github.com/portico-id/portico/templates/texts"
)

// Brand is whose server it is, as every page says. The zero value is Portico's.
type Brand struct {
	Name       string // empty: Portico
	SupportURL string // where people find help; may be mailto:
	TermsURL   string
	PrivacyURL string
	ImprintURL string
	Color      string // of the button in mails, as in #2a4d8f; empty: ours
	StyleURL   string // of a stylesheet with the colours; empty: ours
	LogoURL    string // of a picture in the place of ours; empty: ours
}

// Links are the ways to what everybody may want to read, without those that
// nobody has set.
func (b Brand) Links() []Link {
	var links []Link
	for _, link := range []Link{
		{b.SupportURL, texts.Say("parts.brand.support")}, {b.TermsURL, texts.Say("parts.brand.terms")},
		{b.PrivacyURL, texts.Say("parts.brand.privacy")}, {b.ImprintURL, texts.Say("parts.brand.imprint")},
	} {
		if link.URL != "" {
			links = append(links, link)
		}
	}
	return links
}

// BrandLogoPath returns the path of the server's logo with the hash; empty for an
// empty one.
func BrandLogoPath(hash string) string {
	if hash == "" {
		return ""
	}
	return "/brand-logo/" + hash + ".png"
}

// Branded lets every page carry the brand, as it is when the page is written. It is
// called before the first page is.
func (p *Pages) Branded(brand func() Brand) { p.brand = brand }

// Branded is the same for letters.
func (l *Letters) Branded(brand func() Brand) { l.brand = brand }

// Always is a brand that never changes.
func Always(brand Brand) func() Brand {
	brand = brand.Named()
	return func() Brand { return brand }
}

// Named is the brand with a name: the product's where it has none.
func (b Brand) Named() Brand {
	b.Name = cmp.Or(b.Name, "Portico")
	return b
}
