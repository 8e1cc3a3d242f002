package apps

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/jpeg" // a format that logos come in
	"image/png"

	"golang.org/x/image/draw"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// A logo is drawn anew before it is kept: what is served as a picture was made
// here, whatever else the file held, and is small enough for every page. The
// address that a client may have registered (RFC 7591, logo_uri) is never
// loaded: its host would learn who signs in where.

// ReasonLogo is the reason of the fault of a file that can't be a logo.
const ReasonLogo = "invalid_logo"

const (
	maxLogoFile   = 256 << 10 // bytes of the file
	maxLogoSide   = 2048      // pixels of it: a picture of a few bytes can be huge
	maxLogoStored = 8 << 10   // bytes of what is kept, a quarter of a page
)

// logoSides are the widths and heights, in pixels, at which a logo is kept: the
// first at which it is small enough. It is shown at 48.
func logoSides() []int { return []int{96, 64, 48, 32} }

// SetLogo gives the client the picture in the file, PNG or JPEG, as its logo.
// Invalid when it is none, with FieldLogoFile as the source.
func (a *Apps) SetLogo(ctx context.Context, act storage.Act, clientID string, file []byte) error {
	picture, err := drawLogo(file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(picture)
	logo := storage.ClientLogo{Hash: hex.EncodeToString(sum[:16]), Picture: picture}
	return named(a.store.SetClientLogo(ctx, act, clientID, logo), clientID)
}

// DeleteLogo takes the client's logo away. NotFound.
func (a *Apps) DeleteLogo(ctx context.Context, act storage.Act, clientID string) error {
	return a.store.DeleteClientLogo(ctx, act, clientID)
}

// drawLogo returns the picture in the file as a small square PNG.
func drawLogo(file []byte) ([]byte, error) {
	wrong := func(detail string, args ...any) error {
		return fault.Newf(fault.Invalid, ReasonLogo, detail, args...).At(FieldLogoFile)
	}
	if len(file) == 0 {
		return nil, wrong("Choose a file first.")
	}
	size, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || format != "png" && format != "jpeg" {
		return nil, wrong("The file is not a PNG or JPEG picture.")
	}
	if size.Width > maxLogoSide || size.Height > maxLogoSide || size.Width < 1 || size.Height < 1 {
		return nil, wrong("The picture has %d × %d pixels; at most %d × %d will do.", size.Width, size.Height, maxLogoSide, maxLogoSide)
	}
	picture, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, wrong("The picture is broken: it does not hold what a %s file must.", format)
	}
	return smallest(picture)
}

// smallest draws the picture as large as fits in maxLogoStored.
func smallest(picture image.Image) ([]byte, error) {
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	for _, side := range logoSides() {
		var out bytes.Buffer
		if err := encoder.Encode(&out, within(picture, side)); err != nil {
			return nil, fmt.Errorf("encoding a logo: %w", err)
		}
		if out.Len() <= maxLogoStored {
			return out.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("a logo of %d pixels does not fit", logoSides()[len(logoSides())-1])
}

// within draws the whole picture in the middle of a transparent square.
func within(picture image.Image, side int) image.Image {
	from := picture.Bounds()
	width, height := side, side
	if from.Dx() > from.Dy() {
		height = max(1, side*from.Dy()/from.Dx())
	} else {
		width = max(1, side*from.Dx()/from.Dy())
	}
	square := image.NewNRGBA(image.Rect(0, 0, side, side))
	corner := image.Pt((side-width)/2, (side-height)/2)
	draw.CatmullRom.Scale(square, image.Rectangle{Min: corner, Max: corner.Add(image.Pt(width, height))}, picture, from, draw.Src, nil)
	return square
}
