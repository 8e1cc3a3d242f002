package picture

import (
	"bytes"
	"compress/zlib"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

func packed(t testing.TB, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func mustRefuse(t *testing.T, err error, says string) {
	t.Helper()
	if f := fault.From(err); f == nil || f.Kind != fault.Invalid || f.Reason != Reason ||
		!strings.Contains(f.Detail, says) {
		t.Errorf("%v, want a refusal that says %q", err, says)
	}
}

// Rule: PICTURE-1
func TestWhatAsksForTooMuchIsRefusedBeforeItIsDecoded(t *testing.T) {
	for name, c := range map[string]struct {
		file   []byte
		limits Limits
		says   string
	}{
		"wide":                              {flat(t, image.NewGray(image.Rect(0, 0, 2049, 1))), Logo(), "2049 × 1"},
		"many scans in 20 kB":               {progressive(2048, 1200, 0), Logo(), "1200 scans"},
		"one scan too many":                 {progressive(64, 33, 0), Logo(), "33 scans"},
		"RGB after all, called JFIF":        {done(adobe(4000)), Photograph(), "memory"},
		"large coefficients":                {done(head(markerSOF2, 2048, 2048, 1, 1)), Logo(), "memory"},
		"sixteen bits, interlaced":          {withIHDR(2048, 16, 1), Logo(), "memory"},
		"more than 24 million":              {withIHDR(5000, 8, 0), Photograph(), "24 million"},
		"more than 8 million in passes":     {withIHDR(3000, 8, 1), Photograph(), "8 million"},
		"8 million with many coefficients":  {done(head(markerSOF2, 2828, 2828, 1, 1)), Photograph(), "memory"},
		"24 million in a progressive JPEG":  {done(head(markerSOF2, 4800, 4800, 2, 2)), Photograph(), "8 million"},
		"sixteen bits of 24 million pixels": {withIHDR(4800, 16, 0), Photograph(), "memory"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewReader().Read(t.Context(), c.file, c.limits, 96)
			mustRefuse(t, err, c.says)
		})
	}
}

// done ends a JPEG.
func done(file []byte) []byte { return append(file, 0xff, markerEOI) }

// adobe is as much of a JPEG as its size needs, which two segments call JFIF and
// something else, and a third one RGB.
func adobe(side int) []byte {
	file := head(markerSOF0, side, side, 1, 1)
	return slices.Concat(file[:2], segment(markerAPP0, []byte("JFIF\x00")...), segment(markerAPP0, []byte("Exif\x00")...),
		segment(markerAPP14, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")...), file[2:])
}

// withIHDR is as much of a square PNG as its size needs.
func withIHDR(side int, depth, interlace byte) []byte {
	header := []byte{0, 0, byte(side >> 8), byte(side), 0, 0, byte(side >> 8), byte(side), depth, 6, 0, 0, interlace}
	return append([]byte(signaturePNG), chunk("IHDR", header...)...)
}

// Rule: PICTURE-1
func TestWhatStaysWithinTheLimitsIsRead(t *testing.T) {
	for name, file := range map[string][]byte{
		"a PNG as large as may be":        flat(t, image.NewGray(square(2048))),
		"one with transparency":           flat(t, translucent(2048)),
		"one of sixteen bits a channel":   flat(t, deep(2048)),
		"an interlaced one":               interlaced(t, 2048),
		"a JPEG":                          flatJPEG(t, image.NewYCbCr(square(2048), image.YCbCrSubsampleRatio420)),
		"a progressive one with 32 scans": progressive(2048, 32, 0),
		"a grey one":                      flatJPEG(t, image.NewGray(square(333))),
		"one with fill bytes before markers": bytes.Replace(flatJPEG(t, image.NewGray(square(9))), []byte{0xff, 0xdb},
			[]byte{0xff, 0xff, 0xff, 0xdb}, 1),
	} {
		t.Run(name, func(t *testing.T) {
			picture, err := NewReader().Read(t.Context(), file, Logo(), 96)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := picture.SquarePNG(96); err != nil || !bytes.HasPrefix(out, []byte(signaturePNG)) {
				t.Errorf("%d bytes, %v", len(out), err)
			}
		})
	}
}

// Rule: PICTURE-1
func TestWhatIsNoWholePictureIsRefused(t *testing.T) {
	whole := flatJPEG(t, image.NewGray(square(64)))
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"nothing":                {nil, "not a PNG or JPEG"},
		"a page":                 {[]byte("<html>"), "not a PNG or JPEG"},
		"only a PNG's signature": {[]byte(signaturePNG), "not a PNG or JPEG"},
		"half a JPEG":            {whole[:len(whole)/2], "broken"},
		"one without scans":      {done(head(markerSOF0, 8, 8, 1, 1)), "broken"},
		"one with two frames": {append(head(markerSOF0, 8, 8, 1, 1),
			segment(markerSOF2, 8, 8, 0, 8, 0, 1, 1, 0x11, 0)...), "broken"},
		"one with bytes in between":       {append([]byte{0xff, markerSOI, 7}, whole[2:]...), "broken"},
		"one without height":              {done(head(markerSOF0, 8, 0, 1, 1)), "broken"},
		"a baseline one that comes twice": {sequential(64, 2), "broken"},
		"one with empty units":            {done(head(markerSOF0, 8, 8, 0, 0)), "broken"},
		"one whose frame is too short": {append([]byte{0xff, markerSOI}, segment(markerSOF0, 8, 0, 8, 0, 8, 3)...),
			"broken"},
		"one with a byte between scans":  {between(7), "broken"},
		"one with a zero between scans":  {between(0xff, 0), "broken"},
		"one with a restart in between":  {between(0xff, markerRST0), "broken"},
		"one with an unknown marker":     {between(0xff, 0x01, 0, 2), "broken"},
		"one whose second start is late": {between(0xff, markerSOI), "broken"},
		"one that ends within a segment": {between(0xff, markerCOM, 0xff, 0xff), "broken"},
		"a PNG without width":            {withIHDR(0, 8, 0), "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewReader().Read(t.Context(), c.file, Logo(), 96)
			mustRefuse(t, err, c.says)
		})
	}
}

// between is a progressive JPEG with far more scans than may be, and these bytes
// before the second, behind a comment: a decoder passes over most of them, so
// whoever stops at them has counted one scan.
func between(stray ...byte) []byte {
	file := progressive(2048, 1200, 0)
	first := bytes.Index(file, []byte{0xff, markerSOS}) + 2
	second := first + bytes.Index(file[first:], []byte{0xff, markerSOS})
	return slices.Concat(file[:second], segment(markerCOM, 1, 2), stray, file[second:])
}

// fuse is a context that ends after it was asked so many times.
type fuse struct {
	context.Context
	left int
}

func (f *fuse) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

// Rule: PICTURE-2
func TestReadingEndsWithTheRequest(t *testing.T) {
	file := progressive(1024, 32, 0)
	for _, pieces := range []int{0, 1, 5, len(file) / piece, len(file)/piece + 10} {
		ctx := &fuse{t.Context(), pieces}
		_, err := NewReader().Read(ctx, file, Logo(), 96)
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("after %d pieces: %v", pieces, err)
		}
	}
	if _, err := NewReader().Read(&fuse{t.Context(), 1000}, file, Logo(), 96); err != nil {
		t.Errorf("one that lasts: %v", err)
	}
}

// Rule: PICTURE-2
func TestALargePictureWaitsForItsTurnAsLongAsTheRequestLasts(t *testing.T) {
	reader := NewReader()
	if !reader.turns.TryAcquire(turns - megabyte) {
		t.Fatal("the first has no turn")
	}
	small := flat(t, image.NewGray(square(64)))
	if _, err := reader.Read(t.Context(), small, Logo(), 96); err != nil {
		t.Errorf("a small one beside a large one: %v", err)
	}
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error)
	large := flat(t, translucent(1024))
	go func() {
		_, err := reader.Read(ctx, large, Logo(), 96)
		done <- err
	}()
	leave()
	if err := <-done; !fault.Is(err, fault.Unavailable) {
		t.Errorf("who left: %v", err)
	}
	go func() {
		_, err := reader.Read(t.Context(), large, Logo(), 96)
		done <- err
	}()
	reader.turns.Release(turns - megabyte)
	if err := <-done; err != nil {
		t.Errorf("who waited: %v", err)
	}
}

// Rule: PICTURE-3
func TestWhatComesOutWasDrawnHereAndKeepsItsShapeAndColours(t *testing.T) {
	red := image.NewNRGBA(image.Rect(0, 0, 1000, 500))
	for i := 0; i < len(red.Pix); i += 4 {
		copy(red.Pix[i:], []byte{200, 0, 0, 255})
	}
	picture, err := NewReader().Read(t.Context(), append(flat(t, red), "<script>"...), Photograph(), 50)
	if err != nil {
		t.Fatal(err)
	}
	if picture.reduced.Rect.Dx() < 100 || picture.reduced.Rect.Dx() > 200 {
		t.Errorf("%d pixels of 1000 were kept", picture.reduced.Rect.Dx())
	}
	out, err := picture.JPEG(50)
	if err != nil || bytes.Contains(out, []byte("<script>")) {
		t.Fatalf("%d bytes, %v", len(out), err)
	}
	drawn, err := jpeg.Decode(bytes.NewReader(out))
	if err != nil || drawn.Bounds().Max != image.Pt(50, 25) {
		t.Fatalf("%v, %v", drawn.Bounds(), err)
	}
	if r, g, _, _ := drawn.At(25, 12).RGBA(); r>>8 < 190 || g>>8 > 10 {
		t.Errorf("its middle is %d, %d", r>>8, g>>8)
	}
	out, err = picture.SquarePNG(50)
	if err != nil {
		t.Fatal(err)
	}
	logo, err := png.Decode(bytes.NewReader(out))
	if err != nil || logo.At(25, 2) != (color.NRGBA{}) || logo.At(25, 25) != (color.NRGBA{200, 0, 0, 255}) {
		t.Errorf("%v %v, %v", logo.At(25, 2), logo.At(25, 25), err)
	}
}

// Rule: PICTURE-3
func TestAReducedPictureIsTheMeanOfEachSquare(t *testing.T) {
	board := image.NewGray(image.Rect(3, 5, 3+801, 5+401)) // not at the origin, and no multiple
	for i := range board.Pix {
		board.Pix[i] = byte(i % board.Stride % 2 * 200)
	}
	out, err := reduce(t.Context(), board, 100)
	if err != nil || out.Rect.Max != image.Pt(201, 101) {
		t.Fatalf("%v, %v", out.Rect, err)
	}
	if out.RGBAAt(7, 7) != (color.RGBA{100, 100, 100, 255}) || out.RGBAAt(200, 100) != (color.RGBA{0, 0, 0, 255}) {
		t.Errorf("%v in the middle, %v in the corner", out.RGBAAt(7, 7), out.RGBAAt(200, 100))
	}
}

// FuzzInspect holds what is said of a file against what its decoder does: no
// file makes it panic or promise another size.
//
// Rule: PICTURE-1
func FuzzInspect(f *testing.F) {
	f.Add(progressive(64, 3, 2))
	f.Add(sequential(64, 1))
	f.Add(flat(f, translucent(9)))
	f.Add(interlaced(f, 9))
	f.Add(flatJPEG(f, image.NewGray(square(9))))
	tight := Limits{Side: 256, Pixels: 1 << 16, Gradual: 1 << 16, Scans: 4, Memory: megabyte, maxCoeff: megabyte}
	f.Fuzz(func(t *testing.T, file []byte) {
		work, err := inspect(file)
		if err != nil || tight.allow(work) != nil {
			return
		}
		whole, err := read(t.Context(), file, work, 16)
		if err == nil && (whole.width != work.width || whole.height != work.height) {
			t.Errorf("%d × %d pixels, and %d × %d were promised", whole.width, whole.height, work.width, work.height)
		}
	})
}

// Rule: HOME-9
func TestASquareIsTheMiddleOfThePicture(t *testing.T) {
	for name, size := range map[string]image.Point{"wide": {90, 30}, "high": {30, 90},
		"square": {30, 30}, "one pixel": {1, 1}} {
		whole := image.NewNRGBA(image.Rectangle{Max: size})
		for x := range size.X {
			for y := range size.Y {
				middle := abs(2*x-size.X) <= min(size.X, size.Y) && abs(2*y-size.Y) <= min(size.X, size.Y)
				whole.Set(x, y, map[bool]color.Color{true: color.NRGBA{200, 0, 0, 255}, false: color.NRGBA{0, 0, 200, 255}}[middle])
			}
		}
		read, err := NewReader().Read(t.Context(), flat(t, whole), Photograph(), 20)
		if err != nil {
			t.Fatal(err)
		}
		file, err := read.SquareJPEG(20)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := jpeg.Decode(bytes.NewReader(file))
		if err != nil || drawn.Bounds() != image.Rect(0, 0, 20, 20) {
			t.Fatalf("%s: %v, %v", name, drawn.Bounds(), err)
		}
		for _, at := range []image.Point{{2, 2}, {17, 2}, {10, 10}, {2, 17}} {
			if r, _, b, _ := drawn.At(at.X, at.Y).RGBA(); r>>8 < 180 || b>>8 > 40 {
				t.Errorf("%s: %v is %d, %d", name, at, r>>8, b>>8)
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }
