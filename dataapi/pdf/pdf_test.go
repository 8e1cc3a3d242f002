package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/portico-id/portico/dataapi/pdf"
	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/internal/fault"
)

func check(t *testing.T, document []byte) (pdf.Info, error) {
	t.Helper()
	return pdf.Check(t.Context(), bytes.NewReader(document), int64(len(document)))
}

// Rule: TWIN-10
func TestDocumentsThatCanBeOpenedAreAccepted(t *testing.T) {
	plain := pdftest.Plain(300, "text")
	updated := fmt.Appendf(bytes.Clone(plain),
		"xref\n0 0\ntrailer\n<< /Size 603 /Root 1 0 R /Prev %s >>\nstartxref\n%d\n%%%%EOF\n",
		plain[bytes.LastIndex(plain, []byte("startxref"))+10:bytes.LastIndex(plain, []byte("\n%%EOF"))], len(plain))
	for name, c := range map[string]struct {
		document []byte
		want     pdf.Info
	}{
		"printed by a browser":     {pdftest.Manual(), pdf.Info{Version: "1.4", Pages: 3}},
		"of many pages":            {plain, pdf.Info{Version: "1.7", Pages: 300}},
		"changed once":             {updated, pdf.Info{Version: "1.7", Pages: 300}},
		"with objects in a stream": {pdftest.Streamed(), pdf.Info{Version: "1.7", Pages: 1}},
		"with something before it": {append([]byte("HTTP/1.1 200 OK\r\n\r\n"), plain...),
			pdf.Info{Version: "1.7", Pages: 300}},
		"with a line break behind":  {append(bytes.Clone(plain), "\r\n"...), pdf.Info{Version: "1.7", Pages: 300}},
		"with some zeros behind it": {append(bytes.Clone(plain), make([]byte, 900)...), pdf.Info{Version: "1.7", Pages: 300}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := check(t, c.document); err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

// Rule: TWIN-10
func TestWhatCannotBeOpenedIsRefusedWithItsReason(t *testing.T) {
	plain := pdftest.Plain(2, "text")
	swapped := func(from, to string) []byte { return bytes.Replace(plain, []byte(from), []byte(to), 1) }
	deep := "<< /Type /Catalog /Pages 2 0 R /Deep " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + ">>"
	for name, c := range map[string]struct {
		document []byte
		reason   string
	}{
		"nothing":                {nil, pdf.ReasonNotPDF},
		"a page of the web":      {pdftest.HTML(), pdf.ReasonNotPDF},
		"an image":               {[]byte("\x89PNG\r\n\x1a\n%%EOF"), pdf.ReasonNotPDF},
		"the header alone":       {[]byte("%PDF-1.7\n"), pdf.ReasonTruncated},
		"encrypted":              {pdftest.Encrypted(), pdf.ReasonEncrypted},
		"the first half":         {pdftest.Truncated(), pdf.ReasonTruncated},
		"without a beginning":    {append([]byte("%PDF-1.7\n"), plain[600:]...), pdf.ReasonTruncated},
		"a start behind the end": {swapped("startxref\n", "startxref\n9"), pdf.ReasonTruncated},
		"without pages":          {pdftest.Pageless(), pdf.ReasonDamaged},
		"with a circle":          {pdftest.Circle(), pdf.ReasonDamaged},
		"with wrong references":  {pdftest.Hollow(), pdf.ReasonDamaged},
		"a root that is a page":  {swapped("/Root 1", "/Root 3"), pdf.ReasonDamaged},
		"a bomb of objects":      {pdftest.Bomb(), pdf.ReasonTooComplex},
		"objects within objects": {bytes.Replace(plain, []byte("<< /Type /Catalog /Pages 2 0 R >>"), []byte(deep), 1),
			pdf.ReasonDamaged},
		"more objects than any":    {swapped("xref\n0 7", "xref\n0 9999999"), pdf.ReasonDamaged},
		"a stream that has no end": {bytes.Replace(plain, []byte("/Length "), []byte("/Length 99999"), 1), pdf.ReasonDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := check(t, c.document)
			if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, c.reason) {
				t.Errorf("%+v, %v; want %s", got, err, c.reason)
			}
		})
	}
}

// Rule: TWIN-10
func TestABombIsRefusedInLittleMemory(t *testing.T) {
	bomb := pdftest.Bomb()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := check(t, bomb); !fault.HasReason(err, pdf.ReasonTooComplex) {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 40<<20 {
		t.Errorf("%d MiB", used>>20)
	}
}

var hostile = sync.OnceValue(pdftest.Hostile)

// Rule: TWIN-10
func TestAHostileDocumentIsRefusedWithinItsBudget(t *testing.T) {
	for name, document := range hostile() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if got, err := check(t, document); !fault.HasReason(err, pdf.ReasonDamaged) &&
				!fault.HasReason(err, pdf.ReasonTooComplex) {
				t.Errorf("%+v, %v", got, err)
			}
			runtime.ReadMemStats(&after)
			used := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d KiB take %d MiB", len(document)>>10, used>>20)
			if used > 80<<20 {
				t.Errorf("%d MiB", used>>20)
			}
		})
	}
}

func TestAFailureOfTheReaderIsNoVerdict(t *testing.T) {
	lost := errors.New("lost")
	_, err := pdf.Check(t.Context(), failing{lost}, 5000)
	if !errors.Is(err, lost) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pdf.Check(ctx, bytes.NewReader(pdftest.Manual()),
		int64(len(pdftest.Manual()))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Rule: TWIN-10
func TestAFailureOfTheReaderIsNoVerdictWhereverItComes(t *testing.T) {
	for name, document := range map[string][]byte{
		"a table":       pdftest.Plain(2000, strings.Repeat("text ", 20)),
		"streams":       pdftest.Far(),
		"what precedes": append(bytes.Repeat([]byte(" "), 1000), pdftest.Far()...),
	} {
		lost := errors.New("lost")
		for n := 1; ; n++ {
			r := &breaking{bytes.NewReader(document), n, lost}
			info, err := pdf.Check(t.Context(), r, int64(len(document)))
			if r.left > 0 {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			if !errors.Is(err, lost) {
				t.Errorf("%s without the block that is read as number %d: %+v, %v", name, n, info, err)
			}
		}
	}
}

// breaking fails from some block on.
type breaking struct {
	io.ReaderAt
	left int
	err  error
}

func (b *breaking) ReadAt(p []byte, offset int64) (int, error) {
	if b.left--; b.left <= 0 {
		return 0, b.err
	}
	return b.ReaderAt.ReadAt(p, offset)
}

// Rule: TWIN-10
func TestOneObjectThatIsReadWithoutEndIsTooMuch(t *testing.T) {
	document := pdftest.Repeated()
	if got, err := check(t, document); !fault.HasReason(err, pdf.ReasonTooComplex) {
		t.Errorf("%d KiB: %+v, %v", len(document)>>10, got, err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

var _ io.ReaderAt = failing{}

func FuzzCheck(f *testing.F) {
	for _, seed := range [][]byte{
		pdftest.Plain(2, "seed"), pdftest.Streamed(), pdftest.Encrypted(), pdftest.Truncated(),
		pdftest.HTML(), pdftest.Pageless(),
		pdftest.Hollow(), pdftest.Circle(),
	} {
		f.Add(seed)
	}
	for _, seed := range hostile() {
		if len(seed) < 10_000 {
			f.Add(seed)
		}
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		info, err := check(t, document)
		if err == nil && info.Pages < 1 {
			t.Errorf("%+v", info)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Error(err)
		}
	})
}
