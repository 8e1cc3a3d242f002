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

// Branded lets every page carry the brand. It is called before the first page is
// written.
func (p *Pages) Branded(brand Brand) {
	p.brand = brand.Named()
}

// Named is the brand with a name: the product's where it has none.
func (b Brand) Named() Brand {
	b.Name = cmp.Or(b.Name, "Portico")
	return b
}
