package branding

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/portico-id/portico/storage"
)

// style is the stylesheet of the brand's colours, which were judged when they were
// set; empty without any. A theme without one keeps ours.
func style(b storage.Brand) string {
	if b.Color == "" && b.ColorDark == "" {
		return ""
	}
	light, lightStrong, dark, darkStrong := "#2a4d8f", "#1f3b70", "#93b2f5", "#bccff8" // as portico.css has them
	if b.Color != "" {
		light, lightStrong = b.Color, "color-mix(in srgb, "+b.Color+", black 25%)"
	}
	if b.ColorDark != "" {
		dark, darkStrong = b.ColorDark, "color-mix(in srgb, "+b.ColorDark+", white 35%)"
	}
	return ":root {\n  --accent: light-dark(" + light + ", " + dark + ");\n" +
		"  --accent-strong: light-dark(" + lightStrong + ", " + darkStrong + ");\n}\n"
}

const styleFolder = "/brand/"

// stylePath names the stylesheet by its hash; empty: there is none.
func stylePath(b storage.Brand) string {
	sheet := style(b)
	if sheet == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(sheet))
	return styleFolder + hex.EncodeToString(sum[:8]) + ".css"
}
