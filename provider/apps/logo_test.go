package apps

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/picture"
)

// drawn is a picture of the size in one colour.
func drawn(width, height int, c color.Color) image.Image {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.Set(x, y, c)
		}
	}
	return picture
}

// noise is a picture that nothing makes small.
func noise(side int) image.Image {
	picture := image.NewNRGBA(image.Rect(0, 0, side, side))
	source := rand.New(rand.NewPCG(1, 2))
	for i := range picture.Pix {
		picture.Pix[i] = byte(source.Uint32())
	}
	return picture
}

func pngOf(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func jpegOf(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Rule: PORTAL-16
func TestALogoIsDrawnAnewAsASmallSquare(t *testing.T) {
	red := color.NRGBA{200, 0, 0, 255}
	for name, c := range map[string]struct {
		file []byte
		side int
	}{
		"a PNG":                     {pngOf(t, drawn(300, 300, red)), 96},
		"a JPEG":                    {jpegOf(t, drawn(300, 300, red)), 96},
		"a wide one":                {pngOf(t, drawn(2048, 10, red)), 96},
		"one pixel":                 {pngOf(t, drawn(1, 1, red)), 96},
		"noise, which stays large":  {pngOf(t, noise(96)), 32},
		"one with a program behind": {append(pngOf(t, drawn(9, 9, red)), "<script>alert(1)</script>"...), 96},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := New(Options{}).drawLogo(t.Context(), c.file)
			if err != nil {
				t.Fatal(err)
			}
			size, format, err := image.DecodeConfig(bytes.NewReader(out))
			if err != nil || format != "png" || size.Width != c.side || size.Height != c.side {
				t.Errorf("%s of %d × %d, %v; want a PNG of %d", format, size.Width, size.Height, err, c.side)
			}
			if len(out) > maxLogoStored || bytes.Contains(out, []byte("<script")) {
				t.Errorf("%d bytes are kept", len(out))
			}
		})
	}
}

// Rule: PORTAL-16
func TestALogoKeepsItsShapeAndColours(t *testing.T) {
	out, err := New(Options{}).drawLogo(t.Context(), pngOf(t, drawn(300, 100, color.NRGBA{200, 0, 0, 255})))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, alpha := picture.At(48, 10).RGBA(); alpha != 0 {
		t.Error("above a wide logo nothing is seen through")
	}
	if r, g, b, alpha := picture.At(48, 48).RGBA(); r>>8 != 200 || g != 0 || b != 0 || alpha>>8 != 255 {
		t.Errorf("its middle is %d %d %d %d", r>>8, g>>8, b>>8, alpha>>8)
	}
}

// Rule: PORTAL-16
func TestWhatCannotBeALogoIsRefusedWithTheReason(t *testing.T) {
	var moving bytes.Buffer
	if err := gif.Encode(&moving, drawn(3, 3, color.Black), nil); err != nil {
		t.Fatal(err)
	}
	whole := pngOf(t, noise(64))
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"nothing":           {nil, "Choose a file"},
		"a page":            {[]byte("<html><script>alert(1)</script>"), "not a PNG or JPEG"},
		"an SVG":            {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "not a PNG or JPEG"},
		"a GIF":             {moving.Bytes(), "not a PNG or JPEG"},
		"too many pixels":   {pngOf(t, image.NewGray(image.Rect(0, 0, 2049, 1))), "2049 × 1"},
		"half a picture":    {whole[:len(whole)/2], "broken"},
		"only the head":     {whole[:8], "not a PNG or JPEG"},
		"a huge one's head": {hugeHead(t), "40000 × 40000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{}).drawLogo(t.Context(), c.file)
			f := fault.From(err)
			if f == nil || f.Kind != fault.Invalid || f.Reason != picture.Reason || f.Source != FieldLogoFile ||
				!strings.Contains(f.Detail, c.says) {
				t.Errorf("%v, want something with %q", err, c.says)
			}
		})
	}
}

// hugeHead begins like a PNG that would take gigabytes once it is unpacked.
func hugeHead(t *testing.T) []byte {
	t.Helper()
	head := pngOf(t, drawn(1, 1, color.Black))[:33] // signature and IHDR
	binary.BigEndian.PutUint32(head[16:], 40_000)
	binary.BigEndian.PutUint32(head[20:], 40_000)
	binary.BigEndian.PutUint32(head[29:], crc32.ChecksumIEEE(head[12:29]))
	return head
}
