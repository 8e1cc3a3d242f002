package showing

import (
	"bytes"
	"context"
	"encoding/hex"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/templates"
)

const (
	// textShown is how many bytes of a text a page shows.
	textShown = 256 << 10

	// pictureMost is how large a file may be of which a small picture is made, and
	// pictureSide how many pixels that has on its longer side.
	pictureMost   = 20 << 20
	pictureSide   = 1200
	picturePixels = 40_000_000
)

// saved sends the bytes to be saved.
func (d *Desk) saved(w http.ResponseWriter, r *http.Request) error { return d.send(w, r, false) }

// shown sends the bytes to be looked at.
func (d *Desk) shown(w http.ResponseWriter, r *http.Request) error { return d.send(w, r, true) }

func (d *Desk) send(w http.ResponseWriter, r *http.Request, inline bool) error {
	s, err := d.reach(r)
	if err == nil && s.object.Key == "" {
		err = fault.Absent("file")
	}
	if err != nil {
		return err
	}
	return d.bytes.Look(w, r, s.who(), s.object, inline && kindOf(s.object) != kindNone)
}

// text returns the beginning of a text, and whether there is more.
func (d *Desk) text(ctx context.Context, s seen) (string, bool, error) {
	head, err := d.bytes.Beginning(ctx, s.who(), s.object, textShown)
	return readable(head), s.object.Size > textShown, err
}

// readable makes text of bytes, whatever they are.
func readable(head []byte) string {
	for range utf8.UTFMax - 1 { // a letter may be cut
		if last, size := utf8.DecodeLastRune(head); last != utf8.RuneError || size != 1 {
			break
		}
		head = head[:len(head)-1]
	}
	text := strings.ToValidUTF8(string(bytes.TrimPrefix(head, []byte("\ufeff"))), "\ufffd")
	return strings.ReplaceAll(text, "\x00", "\ufffd")
}

// picture sends a picture made small, or the picture itself where none can be made:
// then the browser may try.
func (d *Desk) picture(w http.ResponseWriter, r *http.Request) error {
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
	tag := `"` + hex.EncodeToString(s.object.SHA256) + `-small"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if httpio.Known(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	small, err := d.small(r.Context(), s, pictureSide)
	if fault.HasReason(err, picture.Reason) {
		w.Header().Del("ETag")
		http.Redirect(w, r, s.url+"/shown", http.StatusTemporaryRedirect)
		return nil
	}
	if err != nil {
		return err
	}
	sendPicture(w, small)
	return nil
}

func sendPicture(w http.ResponseWriter, picture []byte) {
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Content-Security-Policy", templates.PolicyPicture)
	_, _ = w.Write(picture) // who is not there any more needs no picture
}

// small makes a picture so small that its longer side has so many pixels.
func (d *Desk) small(ctx context.Context, s seen, side int) ([]byte, error) {
	if s.object.Size > pictureMost {
		return nil, fault.New(fault.Invalid, picture.Reason, "The picture is too large to be made small.")
	}
	if err := d.turns.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer d.turns.Release(1)
	file, err := d.bytes.Beginning(ctx, s.who(), s.object, pictureMost)
	if err != nil {
		return nil, err
	}
	limits := picture.Photograph()
	limits.Pixels = picturePixels
	read, err := d.pictures.Read(ctx, file, limits, side)
	if err != nil {
		return nil, err
	}
	return read.JPEG(side)
}
