package pdftest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Hostile returns documents that were made to do harm to whoever reads them, by
// what they try. None of them can be opened.
func Hostile() map[string][]byte {
	return map[string][]byte{
		"a stream with a number below zero": newRaw().end(map[int]int64{1: -7}),
		"an offset behind all numbers":      farOffset(),
		"a length in the stream itself":     ownLength(),
		"pages without number":              manyKids(),
		"objects without end in streams":    longObjects(),
		"an object stream of many":          manyPacked(),
	}
}

// raw is a document that says of itself whatever it is told to.
type raw struct {
	bytes.Buffer
	offsets map[int]int64
}

func newRaw() *raw {
	d := &raw{offsets: map[int]int64{}}
	d.WriteString("%PDF-1.7\n")
	return d
}

func (d *raw) object(number int, body string) {
	d.offsets[number] = int64(d.Len())
	fmt.Fprintf(d, "%d 0 obj\n%s\nendobj\n", number, body)
}

// packed adds an object stream.
func (d *raw) packed(number, count int, head, body string) {
	in := deflate([]byte(head + body))
	d.object(number, fmt.Sprintf("<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream",
		count, len(head), len(in), in))
}

// end adds a cross-reference stream; packed has the numbers of the object
// streams that objects are in. The catalog is object 1.
func (d *raw) end(packed map[int]int64) []byte {
	const size = 100
	start := int64(d.Len())
	var rows []byte
	for i := range size {
		kind, at := byte(0), int64(0)
		if stream, ok := packed[i]; ok {
			kind, at = 2, stream
		} else if offset, ok := d.offsets[i]; ok {
			kind, at = 1, offset
		}
		rows = append(binary.BigEndian.AppendUint64(append(rows, kind), uint64(at)), 0)
	}
	d.object(size, fmt.Sprintf("<< /Type /XRef /Size %d /W [1 8 1] /Root 1 0 R /Length %d >>\nstream\n%s\nendstream",
		size, len(rows), rows))
	fmt.Fprintf(d, "startxref\n%d\n%%%%EOF\n", start)
	return d.Bytes()
}

// farOffset has an offset that is below zero once what it counts from is added.
func farOffset() []byte {
	d := newRaw()
	d.packed(4, 1, "1 9223372036854774784 "+strings.Repeat(" ", 2000), "<< /Type /Catalog >>")
	return d.end(map[int]int64{1: 4})
}

// ownLength has an object stream whose length is an object in it.
func ownLength() []byte {
	d := newRaw()
	d.object(1, "<< /Type /Catalog /Pages 10 0 R >>")
	d.object(4, "<< /Type /ObjStm /N 1 /First 5 /Length 10 0 R >>\nstream\n10 0 6\nendstream")
	return d.end(map[int]int64{10: 4})
}

// manyKids has a tree whose every branch holds a great many leaves.
func manyKids() []byte {
	d := newRaw()
	d.object(1, "<< /Type /Catalog /Pages 10 0 R >>")
	for i := 10; i < 20; i++ {
		d.object(i, fmt.Sprintf("<< /Kids [%s %d 0 R] >>", strings.Repeat("9 0 R ", 150_000), i+1))
	}
	return d.end(nil)
}

// longObjects is small, and its objects are huge.
func longObjects() []byte {
	d := newRaw()
	d.object(1, "<< /Type /Catalog /Pages 10 0 R >>")
	packed := map[int]int64{}
	for i := 10; i < 12; i++ {
		d.packed(50+i, 1, fmt.Sprintf("%d 0 ", i),
			fmt.Sprintf("<< /Kids [%s %d 0 R] >>", strings.Repeat("[]", 3_000_000), i+1))
		packed[i] = int64(50 + i)
	}
	return d.end(packed)
}

// manyPacked has an object stream with more objects than anybody puts in one.
func manyPacked() []byte {
	d := newRaw()
	d.object(1, "<< /Type /Catalog /Pages 10 0 R >>")
	var head strings.Builder
	for i := range 450_000 {
		fmt.Fprintf(&head, "%d 0 ", i)
	}
	d.packed(4, 450_000, head.String(), "<< >>")
	return d.end(map[int]int64{10: 4})
}

// Repeated returns a small document with a great many pages, which are all one and the
// same heavy object in a stream.
func Repeated() []byte {
	const pages = 60_000
	d := newRaw()
	d.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
	var kids, head strings.Builder
	rows := []byte{0, 0, 0, 0, 0}
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 5+i)
		fmt.Fprintf(&head, "%d 0 ", 5+i)
	}
	d.object(2, "<< /Type /Pages /Kids ["+kids.String()+"] >>")
	d.packed(3, pages, head.String(), "<< /Type /Page /Heavy ["+strings.Repeat("0 ", 240_000)+"] >>")
	rows = append(append(append(rows, row(1, int(d.offsets[1]), 0)[:5]...), row(1, int(d.offsets[2]), 0)[:5]...),
		row(1, int(d.offsets[3]), 0)[:5]...)
	rows = append(rows, row(0, 0, 0)[:5]...)
	for range pages {
		rows = append(rows, row(2, 3, 0)[:5]...)
	}
	start := d.Len()
	rows = deflate(rows)
	d.object(4, fmt.Sprintf("<< /Type /XRef /Size %d /W [1 4 0] /Root 1 0 R /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream",
		5+pages, len(rows), rows))
	fmt.Fprintf(d, "startxref\n%d\n%%%%EOF\n", start)
	return d.Bytes()
}
