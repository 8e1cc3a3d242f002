package apps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/storage"
)

// A logo is drawn anew before it is kept: what is served as a picture was made
// here, whatever else the file held, and is small enough for every page. The
// address that a client may have registered (RFC 7591, logo_uri) is never
// loaded: its host would learn who signs in where.

const (
	maxLogoFile   = 256 << 10 // bytes of the file
	maxLogoStored = 8 << 10   // bytes of what is kept, a quarter of a page
)

// logoSides are the widths and heights, in pixels, at which a logo is kept: the
// first at which it is small enough. It is shown at 48.
func logoSides() []int { return []int{96, 64, 48, 32} }

// SetLogo gives the client the picture in the file, PNG or JPEG, as its logo, and takes
// the operator's mark away, which was given for another.
// Invalid (picture.Reason) when it is none, with FieldLogoFile as the source.
func (a *Apps) SetLogo(ctx context.Context, act storage.Act, clientID string, file []byte) error {
	drawn, err := a.drawLogo(ctx, file)
	if err != nil {
		return err
	}
	return a.keepLogo(ctx, act, clientID, drawn, true)
}

// GiveLogo is SetLogo by who could give the mark, which stays.
func (a *Apps) GiveLogo(ctx context.Context, act storage.Act, clientID string, file []byte) error {
	drawn, err := a.drawLogo(ctx, file)
	if err != nil {
		return err
	}
	return a.keepLogo(ctx, act, clientID, drawn, false)
}

func (a *Apps) keepLogo(ctx context.Context, act storage.Act, clientID string, drawn []byte, unmarks bool) error {
	sum := sha256.Sum256(drawn)
	logo := storage.ClientLogo{Hash: hex.EncodeToString(sum[:16]), Picture: drawn, Unmarks: unmarks}
	return named(a.store.SetClientLogo(ctx, act, clientID, logo), clientID)
}

// DeleteLogo takes the client's logo away. NotFound.
func (a *Apps) DeleteLogo(ctx context.Context, act storage.Act, clientID string) error {
	return a.store.DeleteClientLogo(ctx, act, clientID)
}

// drawLogo returns the picture in the file as a small square PNG: the first of
// logoSides that fits in maxLogoStored.
func (a *Apps) drawLogo(ctx context.Context, file []byte) ([]byte, error) {
	if len(file) == 0 {
		return nil, fault.New(fault.Invalid, picture.Reason, "Choose a file first.").At(FieldLogoFile)
	}
	read, err := a.pictures.Read(ctx, file, picture.Logo(), logoSides()[0])
	if err != nil {
		return nil, fault.From(err).At(FieldLogoFile)
	}
	for _, side := range logoSides() {
		logo, err := read.SquarePNG(side)
		if err != nil || len(logo) <= maxLogoStored {
			return logo, err
		}
	}
	return nil, errors.New("no size of the logo fits")
}
