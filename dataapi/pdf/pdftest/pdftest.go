// Package pdftest makes PDF documents for tests: a real one, plain ones of any
// number of pages, and broken ones of many sorts.
//
// It is for tests alone. Start at Manual and Plain.
package pdftest

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
)

//go:embed manual.pdf
var manual []byte

// Manual returns a document of three pages that a browser printed.
func Manual() []byte { return bytes.Clone(manual) }

// Plain returns a document with that many pages. The text makes its bytes
// others than those of another text.
func Plain(pages int, text string) []byte { return build(pages, text, "") }

// Encrypted returns a document that says that it is encrypted.
func Encrypted() []byte { return build(1, "secret", "/Encrypt << /Filter /Standard /V 1 >>") }

// Truncated returns the first half of a document.
func Truncated() []byte { return Manual()[:len(manual)/2] }

// HTML returns a page of the web.
func HTML() []byte {
	return []byte("<!doctype html><html><body><script>alert(1)</script></body></html>\n")
}

// Pageless returns a document whose tree of pages is empty.
func Pageless() []byte { return build(0, "", "") }

// Hollow returns a document whose cross-references lead nowhere.
func Hollow() []byte {
	return bytes.Replace(build(1, "hollow", ""), []byte("1 0 obj"), []byte("9 0 obj"), 1)
}

// Circle returns a document whose tree of pages is its own branch.
func Circle() []byte {
	return assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [2 0 R] >>"}, "")
}

// Bomb returns a small document whose objects come to more than any may.
func Bomb() []byte { return streamed(bytes.Repeat([]byte{' '}, 20<<20)) }

// Streamed returns a document of one page whose objects are in an object stream,
// found by a cross-reference stream.
func Streamed() []byte { return streamed(nil) }

// Far returns one whose object stream takes several readings: it has noise in it.
func Far() []byte {
	noise := make([]byte, 300<<10)
	for i, state := 0, uint32(1); i < len(noise); i++ {
		state = state*1664525 + 1013904223
		noise[i] = byte(state >> 24)
	}
	return streamed(noise)
}

func build(pages int, text, trailer string) []byte {
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 3+2*i)
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", pages, kids.String()),
	}
	for i := range pages {
		content := fmt.Sprintf("BT /F1 24 Tf 72 700 Td (%s, page %d) Tj ET",
			strings.NewReplacer("(", "", ")", "", `\`, "").Replace(text), i+1)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R >>", 4+2*i),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	return assemble(objects, trailer)
}

// assemble writes objects 1, 2, 3 … with a table of cross-references.
func assemble(objects []string, trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return b.Bytes()
}

// streamed puts catalog, tree and page into object stream 4, behind padding.
func streamed(padding []byte) []byte {
	inside := []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		"<< /Type /Page /Parent 2 0 R >>"}
	var head, body strings.Builder
	for i, object := range inside {
		fmt.Fprintf(&head, "%d %d ", i+1, body.Len())
		body.WriteString(object + " ")
	}
	packed := deflate(append([]byte(head.String()+body.String()), padding...))
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	at := b.Len()
	fmt.Fprintf(&b, "4 0 obj\n<< /Type /ObjStm /N 3 /First %d /Filter /FlateDecode /Length %d >>\nstream\n",
		head.Len(), len(packed))
	b.Write(packed)
	b.WriteString("\nendstream\nendobj\n")
	start := b.Len()
	rows := row(0, 0, 0)
	for i := range inside {
		rows = append(rows, row(2, 4, byte(i))...)
	}
	rows = append(append(rows, row(1, at, 0)...), row(1, start, 0)...)
	packed = deflate(rows)
	fmt.Fprintf(&b, "5 0 obj\n<< /Type /XRef /Size 6 /W [1 4 1] /Root 1 0 R /Filter /FlateDecode /Length %d >>\nstream\n",
		len(packed))
	b.Write(packed)
	fmt.Fprintf(&b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

func row(kind byte, at int, index byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(at)), index)
}

func deflate(in []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(in) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}
