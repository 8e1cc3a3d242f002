package wiring

import (
	"github.com/portico-id/portico/provider/branding"
	"github.com/portico-id/portico/storage"
)

func (p *Parts) newBranding() *branding.Branding {
	b := p.Config.Brand
	return branding.New(branding.Options{
		Store: p.Store, Ambient: p.Ambient, Pictures: p.Pictures(),
		Settings: storage.Brand{
			Name: b.Name, SupportURL: b.SupportURL, TermsURL: b.TermsURL, PrivacyURL: b.PrivacyURL, ImprintURL: b.ImprintURL,
			Color: b.Color, ColorDark: b.ColorDark,
		},
	})
}
