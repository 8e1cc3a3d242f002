package showing

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/picture"
)

// thumbnailSide is how many pixels a picture has in a list, which shows it at half of
// that: screens have several for one.
const thumbnailSide = 80

// thumbnail sends a picture as lists show it: small enough for a hundred of them, and made
// once. Where none can be made there is none.
func (d *Desk) thumbnail(w http.ResponseWriter, r *http.Request) error {
	s, err := d.reach(r)
	if err == nil && kindOf(s.object) != kindPicture {
		err = fault.Absent("picture")
	}
	if err == nil {
		err = d.bytes.MayLook(r.Context(), s.who(), s.object)
	}
	if err != nil {
		return err
	}
	small, err := d.store.FindThumbnail(r.Context(), s.object.Bucket, s.object.Key)
	if fault.Is(err, fault.NotFound) {
		small, err = d.makeThumbnail(r.Context(), s)
	}
	if err == nil && len(small) == 0 {
		err = fault.Absent("picture")
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, max-age=3600") // a version's bytes stay
	sendPicture(w, small)
	return nil
}

// makeThumbnail makes and keeps it, or that none can be made.
func (d *Desk) makeThumbnail(ctx context.Context, s seen) ([]byte, error) {
	small, err := d.small(ctx, s, thumbnailSide)
	if fault.HasReason(err, picture.Reason) {
		small, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return small, d.store.KeepThumbnail(ctx, s.object.Bucket, s.object.Key, small)
}
