package factors

import (
	"strconv"
	"strings"

	"rsc.io/qr"

	"github.com/portico-id/portico/templates"
)

// quiet is how wide the light edge of a QR code is, in its squares.
const quiet = 4

// picture draws a text as a QR code.
func picture(text string) (templates.QR, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return templates.QR{}, err
	}
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				path.WriteString("M" + strconv.Itoa(x+quiet) + " " + strconv.Itoa(y+quiet) + "h1v1h-1z")
			}
		}
	}
	return templates.QR{Size: code.Size + 2*quiet, Path: path.String()}, nil
}
