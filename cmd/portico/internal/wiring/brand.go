package wiring

import (
	"context"
	"os"

	"github.com/portico-id/portico/cmd/portico/internal/config"
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

// UseLogo draws the picture that the settings name, if they do.
func (p *Parts) UseLogo(ctx context.Context) error {
	file := p.Config.Brand.Logo
	if file == "" {
		return nil
	}
	picture, err := os.ReadFile(file) // #nosec G304 -- the operator's
	if err == nil {
		err = p.Branding().UseLogo(ctx, picture)
	}
	if err != nil {
		return config.Blame("PORTICO_BRAND_LOGO", err)
	}
	return nil
}
