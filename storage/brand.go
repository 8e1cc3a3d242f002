package storage

import "context"

// Brand is whose server it is, as administrators said on its pages. What is empty
// is as the settings have it.
type Brand struct {
	Name       string
	SupportURL string
	TermsURL   string
	PrivacyURL string
	ImprintURL string
	Color      string // of links and buttons on light pages, as in #2a4d8f
	ColorDark  string // likewise on dark ones
	LogoHash   string // names the picture; empty: none
	Logo       []byte // PNG
}

// BrandStore keeps the brand.
type BrandStore interface {
	// FindBrand returns the brand; the zero one as long as nobody said anything.
	FindBrand(ctx context.Context) (Brand, error)

	// SetBrand makes the brand what change says of it as it is, which nobody changes
	// meanwhile, and returns it. What change returns.
	SetBrand(ctx context.Context, act Act, change func(*Brand) error) (Brand, error)
}
