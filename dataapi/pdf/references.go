package pdf

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// entry says where an object is.
type entry struct {
	kind   byte  // 0: unknown; see below
	offset int64 // in the file; or the number of the object stream that it is in
}

const (
	free     = 1
	inFile   = 2
	inStream = 3
)

// readReferences reads the cross-references, the newest first: a document that
// was changed has several sections, each leading to the one before.
func (d *document) readReferences(start int64) error {
	met := map[int64]bool{}
	for queue := []int64{start}; len(queue) > 0; {
		offset := queue[0]
		queue = queue[1:]
		if met[offset] {
			continue
		}
		if met[offset] = true; len(met) > maxSections {
			return tooComplex()
		}
		trailer, err := d.section(offset)
		if err != nil {
			return err
		}
		if trailer["Encrypt"] != nil {
			return encrypted()
		}
		if d.trailer == nil {
			d.trailer = trailer
		}
		for _, further := range []name{"XRefStm", "Prev"} {
			if at, ok := whole(trailer[further]); ok {
				queue = append(queue, int64(at))
			}
		}
	}
	return nil
}

// section reads the section at the offset and returns its trailer. Offsets
// should count from the header; some programs count from the beginning.
func (d *document) section(offset int64) (dict, error) {
	for _, at := range []int64{offset + d.base, offset} {
		if at >= d.size {
			continue
		}
		in, err := d.read(at, 64)
		if err != nil {
			return nil, err
		}
		space := len(in) - len(bytes.TrimLeft(in, "\r\n\t "))
		if bytes.HasPrefix(in[space:], []byte("xref")) {
			return d.table(at + int64(space) + 4)
		}
		if found, err := d.at(at); err == nil && found.stream > 0 {
			return d.crossStream(found)
		}
	}
	if offset >= d.size {
		return nil, truncated()
	}
	return nil, damaged()
}

// table reads a section of lines (ISO 32000-2, 7.5.4).
func (d *document) table(offset int64) (dict, error) {
	lines := &tokens{in: bufio.NewReader(io.NewSectionReader(readerAt{d}, offset, d.size-offset)), at: offset}
	for {
		first, err := lines.next()
		if err != nil {
			return nil, err
		}
		if first == "trailer" {
			return d.dictAt(lines.at)
		}
		start, bad := strconv.Atoi(first)
		count, alsoBad := lines.number()
		if bad != nil || alsoBad != nil || start < 0 || count < 0 || start+count > maxObjects {
			return nil, badTable(alsoBad)
		}
		for i := range count {
			if err := d.line(lines, start+i); err != nil {
				return nil, err
			}
		}
	}
}

func (d *document) line(lines *tokens, number int) error {
	offset, err := lines.number()
	if err != nil {
		return badTable(err)
	}
	if _, err := lines.number(); err != nil {
		return badTable(err)
	}
	kind, err := lines.next()
	switch {
	case err != nil:
		return err
	case kind == "n":
		return d.enter(number, entry{kind: inFile, offset: int64(offset)})
	case kind == "f":
		return d.enter(number, entry{kind: free})
	}
	return damaged()
}

func badTable(err error) error {
	if err != nil {
		return err
	}
	return damaged()
}

// enter keeps what the newest section says of an object.
func (d *document) enter(number int, e entry) error {
	if number >= maxObjects {
		return tooComplex()
	}
	if number >= len(d.entries) {
		d.entries = append(d.entries, make([]entry, number+1-len(d.entries))...)
	}
	if d.entries[number].kind != 0 {
		return nil
	}
	if e.kind == inFile && e.offset >= d.size {
		return truncated()
	}
	d.entries[number] = e
	return nil
}

// dictAt reads the trailer behind a table.
func (d *document) dictAt(offset int64) (dict, error) {
	in, err := d.read(offset, maxObject/16)
	if err != nil {
		return nil, err
	}
	value, err := (&parser{in: in, end: true}).object(0)
	if err != nil {
		return nil, err
	}
	found, ok := value.(dict)
	if !ok {
		return nil, damaged()
	}
	return found, nil
}

// crossStream reads a section that is a stream (ISO 32000-2, 7.5.8).
func (d *document) crossStream(o indirect) (dict, error) {
	of, _ := o.value.(dict)
	if of["Type"] != name("XRef") {
		return nil, damaged()
	}
	if of["Encrypt"] != nil {
		return nil, encrypted()
	}
	var widths [3]int
	all, _ := of["W"].(array)
	for i := range widths {
		if i >= len(all) {
			return nil, damaged()
		}
		n, ok := whole(all[i])
		if !ok || n > 8 {
			return nil, damaged()
		}
		widths[i] = n
	}
	in, err := d.inflate(o)
	if err != nil {
		return nil, err
	}
	ranges, _ := of["Index"].(array)
	if ranges == nil {
		ranges = array{0.0, of["Size"]}
	}
	return of, d.rows(in, widths, ranges)
}

func (d *document) rows(in []byte, widths [3]int, ranges array) error {
	width := widths[0] + widths[1] + widths[2]
	for ; len(ranges) > 1; ranges = ranges[2:] {
		start, ok := whole(ranges[0])
		count, also := whole(ranges[1])
		if !ok || !also || width == 0 {
			return damaged()
		}
		for i := 0; i < count && len(in) >= width; i++ {
			if err := d.enter(start+i, rowEntry(in[:width], widths)); err != nil {
				return err
			}
			in = in[width:]
		}
	}
	return nil
}

func rowEntry(row []byte, widths [3]int) entry {
	var fields [3]int64
	for i, width := range widths {
		for _, c := range row[:width] {
			fields[i] = fields[i]<<8 | int64(c)
		}
		row = row[width:]
	}
	if widths[0] == 0 {
		fields[0] = 1
	}
	switch fields[0] {
	case 1:
		return entry{kind: inFile, offset: max(0, fields[1])}
	case 2:
		return entry{kind: inStream, offset: max(0, fields[1])}
	}
	return entry{kind: free}
}

// tokens reads words one after the other.
type tokens struct {
	in *bufio.Reader
	at int64 // how far it has come
}

func (t *tokens) next() (string, error) {
	var token []byte
	for {
		c, err := t.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return "", truncated()
		}
		if err != nil {
			return "", err
		}
		switch {
		case c == '<' && len(token) > 0:
			return string(token), t.in.UnreadByte()
		case !isSpace(c):
			token = append(token, c)
		case len(token) > 0:
			t.at++
			return string(token), nil
		}
		if t.at++; len(token) > 32 {
			return "", damaged()
		}
	}
}

func (t *tokens) number() (int, error) {
	token, err := t.next()
	if err != nil {
		return 0, err
	}
	n, bad := strconv.Atoi(token)
	if bad != nil || n < 0 {
		return 0, damaged()
	}
	return n, nil
}
