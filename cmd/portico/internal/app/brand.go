package app

import (
	"context"
	"os"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

// wireBrand lets pages and mails carry the brand, as it is when they are written.
func (p *parts) wireBrand(ctx context.Context) error {
	if file := p.Config.Brand.Logo; file != "" {
		picture, err := os.ReadFile(file) // #nosec G304 -- the operator's
		if err == nil {
			err = p.Branding().UseLogo(ctx, picture)
		}
		if err != nil {
			return config.Blame("PORTICO_BRAND_LOGO", err)
		}
	}
	p.pages.Branded(p.Branding().Current)
	p.Outbox().Letters.Branded(p.Branding().Current)
	if p.Config.MailFrom == "" {
		p.Outbox().Sender = func() string { return p.Branding().Current().Name }
	}
	return nil
}
