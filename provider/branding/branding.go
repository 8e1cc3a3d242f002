// Package branding is whose server it is: the name, the links, the colours and the
// logo that pages and mails carry, as the settings have them and as administrators
// change them on their page, by /admin/v1/brand and on the command line.
//
// What somebody said there goes before the settings. Every server looks again twice
// a second, when it is asked. It writes no page and no mail: package templates does.
// Start at Branding.Set and Current; NewDesk for the page, NewAPI for the API.
package branding

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/fresh"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Options are what a Branding is made of.
type Options struct {
	Store    storage.BrandStore
	Ambient  *ambient.Source
	Settings storage.Brand // what is not said otherwise
	Pictures *picture.Reader
}

// Branding knows the brand. It is safe for concurrent use.
type Branding struct {
	with Options
	said *fresh.Value[storage.Brand]
}

// New returns a Branding.
func New(o Options) *Branding { return &Branding{o, fresh.New(o.Ambient, o.Store.FindBrand)} }

// whole returns the brand as it is now, with what the settings say.
func (b *Branding) whole() storage.Brand { return over(b.said.Get(), b.with.Settings) }

// over returns the brand, and of the settings what it leaves open.
func over(brand, settings storage.Brand) storage.Brand {
	for _, field := range textFields() {
		at := field.at(&brand)
		*at = cmp.Or(*at, *field.at(&settings))
	}
	if brand.LogoHash == "" {
		brand.LogoHash, brand.Logo = settings.LogoHash, settings.Logo
	}
	return brand
}

// Learn reads the brand, before anybody sees a page.
func (b *Branding) Learn(ctx context.Context) error { return b.said.Learn(ctx) }

// Current returns the brand as pages and mails carry it now.
func (b *Branding) Current() templates.Brand {
	w := b.whole()
	return templates.Brand{
		Name: w.Name, SupportURL: w.SupportURL, TermsURL: w.TermsURL, PrivacyURL: w.PrivacyURL, ImprintURL: w.ImprintURL,
		Color: w.Color, StyleURL: stylePath(w), LogoURL: templates.BrandLogoPath(w.LogoHash),
	}.Named()
}

// Said returns what was said here, without the settings.
func (b *Branding) Said(ctx context.Context) (storage.Brand, error) {
	return b.with.Store.FindBrand(ctx)
}

// Change says what of the brand is to be different, by the names of the fields; what
// is empty is as the settings have it from then on.
type Change map[string]string

// Set changes the brand. The error is a fault.List of all that is wrong.
func (b *Branding) Set(ctx context.Context, act storage.Act, change Change) (storage.Brand, error) {
	return b.set(ctx, act, change.apply)
}

// apply makes the brand what the change says, or tells everything that is wrong.
func (c Change) apply(brand *storage.Brand) error {
	var faults fault.List
	known := map[string]bool{}
	for _, field := range textFields() {
		known[field.name] = true
		if value, given := c[field.name]; given {
			faults.Add(field.set(brand, value))
		}
	}
	for name := range c {
		if !known[name] {
			faults.Add(fault.New(fault.Invalid, ReasonField, "There is no such field.").At(name))
		}
	}
	return faults.Err()
}

func (b *Branding) set(ctx context.Context, act storage.Act,
	change func(*storage.Brand) error) (storage.Brand, error) {
	brand, err := b.with.Store.SetBrand(ctx, act, change)
	b.said.Forget()
	return brand, err
}

// The logo stands on every page, at half its size.
const (
	logoSide    = 96
	maxLogoFile = 256 << 10
)

// Logo draws the picture in the file, PNG or JPEG, as a logo. Invalid
// (picture.Reason), with FieldLogo as the source.
func (b *Branding) Logo(ctx context.Context, file []byte) (hash string, drawn []byte, err error) {
	if len(file) == 0 {
		return "", nil, fault.New(fault.Invalid, picture.Reason, "Choose a file first.").At(FieldLogo)
	}
	read, err := b.with.Pictures.Read(ctx, file, picture.Logo(), logoSide)
	if err != nil {
		return "", nil, fault.From(err).At(FieldLogo)
	}
	if drawn, err = read.SquarePNG(logoSide); err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256(drawn)
	return hex.EncodeToString(sum[:16]), drawn, nil
}

// SetLogo gives the server the picture in the file as its logo; nil takes it away. Errors
// as Logo.
func (b *Branding) SetLogo(ctx context.Context, act storage.Act, file []byte) error {
	hash, drawn := "", []byte(nil)
	if file != nil {
		var err error
		if hash, drawn, err = b.Logo(ctx, file); err != nil {
			return err
		}
	}
	_, err := b.set(ctx, act, func(brand *storage.Brand) error {
		brand.LogoHash, brand.Logo = hash, drawn
		return nil
	})
	return err
}

// UseLogo makes the picture in the file the logo of the settings. It is called before
// the first page is written.
func (b *Branding) UseLogo(ctx context.Context, file []byte) (err error) {
	b.with.Settings.LogoHash, b.with.Settings.Logo, err = b.Logo(ctx, file)
	return err
}
