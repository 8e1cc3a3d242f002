package app

import "context"

// wireBrand lets pages and mails carry the brand, as it is when they are written.
func (p *parts) wireBrand(ctx context.Context) error {
	if err := p.UseLogo(ctx); err != nil {
		return err
	}
	p.pages.Branded(p.Branding().Current)
	p.Outbox().Letters.Branded(p.Branding().Current)
	if p.Config.MailFrom == "" {
		p.Outbox().Sender = func() string { return p.Branding().Current().Name }
	}
	return nil
}
