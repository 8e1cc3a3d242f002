package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/provider/portrait"
	"github.com/portico-id/portico/storage"
)

// A portrait is drawn anew before it is kept, in every size that is told of: what
// is served was made here, whatever else the file held.

// FieldPortrait is the file of a portrait, as source of faults.
const FieldPortrait = "portrait"

const maxPortraitFile = 5 << 20 // bytes of the file

// SetPortrait gives the user the picture in the file, PNG or JPEG: the square in
// its middle. Invalid (picture.Reason) when it is none, with FieldPortrait as the
// source.
func (p *People) SetPortrait(ctx context.Context, act storage.Act, userID string, file []byte) error {
	if len(file) == 0 {
		return fault.New(fault.Invalid, picture.Reason, "Choose a file first.").At(FieldPortrait)
	}
	read, err := p.pictures.Read(ctx, file, picture.Photograph(), portrait.Largest())
	if err != nil {
		return fault.From(err).At(FieldPortrait)
	}
	drawn := storage.Portrait{}
	sum := sha256.New()
	for _, side := range portrait.Sides() {
		jpeg, err := read.SquareJPEG(side)
		if err != nil {
			return err
		}
		_, _ = sum.Write(jpeg)
		drawn.Sizes = append(drawn.Sizes, storage.PortraitSize{Side: side, Picture: jpeg})
	}
	_, _ = sum.Write([]byte(userID)) // two who have one picture are not known by its address to be two
	drawn.Hash = hex.EncodeToString(sum.Sum(nil)[:16])
	return p.store.SetPortrait(ctx, act, userID, drawn)
}

// DeletePortrait takes the user's picture away. NotFound when there is none.
func (p *People) DeletePortrait(ctx context.Context, act storage.Act, userID string) error {
	return p.store.DeletePortrait(ctx, act, userID)
}

// Portrait returns the picture of the portrait with the hash, in the size that
// the end of its path names. NotFound.
func (p *People) Portrait(ctx context.Context, hash, end string) ([]byte, error) {
	found, err := p.store.FindPortrait(ctx, hash, portrait.Side(end))
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "portrait_not_found", "There is no such picture.").Because(err)
	}
	return found, err
}
