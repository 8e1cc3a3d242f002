package pdf

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"
)

// indirect is an object with a number, as it stands in the file.
type indirect struct {
	number int
	value  any
	stream int64 // where the bytes of a stream begin; 0: it is none
}

// window is how much is read at first for an object.
const window = 4 << 10

// at reads the object that begins at the offset: "12 0 obj …".
func (d *document) at(offset int64) (indirect, error) {
	for n := int64(window); ; n *= 4 {
		in, err := d.read(offset, n)
		if err != nil {
			return indirect{}, err
		}
		p := &parser{in: in, end: int64(len(in)) < n || offset+n >= d.size}
		found, err := p.indirect()
		if over := d.weigh(p); over != nil {
			return indirect{}, over
		}
		if errors.Is(err, errShort) && n < maxObject {
			continue
		}
		if errors.Is(err, errShort) {
			return indirect{}, tooComplex()
		}
		if found.stream > 0 {
			found.stream += offset
		}
		return found, err
	}
}

func (p *parser) indirect() (indirect, error) {
	var head [3]string
	for i := range head {
		token, err := p.plainToken()
		if err != nil {
			return indirect{}, err
		}
		head[i] = token
	}
	number, ok := whole(numberOf(head[0]))
	if _, also := whole(numberOf(head[1])); !ok || !also || head[2] != "obj" {
		return indirect{}, damaged()
	}
	value, err := p.object(0)
	if err != nil {
		return indirect{}, err
	}
	found := indirect{number: number, value: value}
	if _, isDict := value.(dict); !isDict {
		return found, nil
	}
	next, err := p.plainToken()
	if err != nil || next != "stream" {
		return found, err
	}
	if len(p.in)-p.at < 2 {
		return found, p.short()
	}
	if p.in[p.at] == '\r' {
		p.at++
	}
	found.stream = int64(p.at + 1)
	return found, nil
}

func numberOf(token string) any {
	p := &parser{in: []byte(token), end: true}
	value, err := p.object(0)
	if err != nil {
		return nil
	}
	return value
}

// inflate returns the decoded bytes of a stream. Only what cross-references and
// object streams use is known: no filter, or one FlateDecode, with PNG's
// predictors.
func (d *document) inflate(o indirect) ([]byte, error) {
	of, _ := o.value.(dict)
	length, err := d.resolve(of["Length"])
	if err != nil {
		return nil, err
	}
	n, ok := whole(length)
	if !ok || o.stream == 0 {
		return nil, damaged()
	}
	if o.stream+int64(n) > d.size {
		return nil, truncated()
	}
	filter, parameters := single(of["Filter"]), single(of["DecodeParms"])
	if filter == nil {
		if n > maxStream {
			return nil, tooComplex()
		}
		return d.read(o.stream, int64(n))
	}
	if filter != name("FlateDecode") {
		return nil, damaged()
	}
	decoded, err := d.flate(o.stream, int64(n))
	if err != nil {
		return nil, err
	}
	settings, _ := parameters.(dict)
	return unpredict(decoded, settings)
}

// single is the one entry of an array, or what is no array itself.
func single(v any) any {
	if all, ok := v.(array); ok && len(all) == 1 {
		return all[0]
	}
	return v
}

func (d *document) flate(offset, n int64) ([]byte, error) {
	packed := io.NewSectionReader(readerAt{d}, offset, n)
	unpacked, err := zlib.NewReader(packed)
	if err != nil {
		return nil, ours(err)
	}
	most := min(maxStream, maxInflated-d.inflated)
	var out bytes.Buffer
	got, err := io.Copy(&out, io.LimitReader(unpacked, most+1))
	if d.inflated += got; got > most {
		return nil, tooComplex()
	}
	return out.Bytes(), ours(err)
}

// ours turns what the decoder says into damage, and lets our own errors pass.
func ours(err error) error {
	if err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return damaged()
}

// readerAt lets the decoder read within the budget of time.
type readerAt struct{ d *document }

func (r readerAt) ReadAt(p []byte, offset int64) (int, error) {
	in, err := r.d.read(offset, int64(len(p)))
	if err != nil {
		return 0, err
	}
	n := copy(p, in)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// unpredict takes PNG's predictors back (ISO 32000-2, 7.4.4.4).
func unpredict(in []byte, settings dict) ([]byte, error) {
	predictor, _ := whole(settings["Predictor"])
	if predictor < 2 {
		return in, nil
	}
	columns, given := whole(settings["Columns"])
	if !given {
		columns = 1
	}
	if predictor < 10 || columns < 1 || columns > 1<<16 || len(in)%(columns+1) != 0 {
		return nil, damaged()
	}
	out := make([]byte, 0, len(in))
	above := make([]byte, columns)
	for ; len(in) > 0; in = in[columns+1:] {
		row := bytes.Clone(in[1 : columns+1])
		if !unfilter(in[0], row, above) {
			return nil, damaged()
		}
		out = append(out, row...)
		above = row
	}
	return out, nil
}

// unfilter takes the filter of one row back; pixels are bytes.
func unfilter(filter byte, row, above []byte) bool {
	for i := range row {
		var left, corner byte
		if i > 0 {
			left, corner = row[i-1], above[i-1]
		}
		switch filter {
		case 0:
		case 1:
			row[i] += left
		case 2:
			row[i] += above[i]
		case 3:
			row[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			row[i] += paeth(left, above[i], corner)
		default:
			return false
		}
	}
	return true
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	distance := func(x byte) int { return max(p-int(x), int(x)-p) }
	switch {
	case distance(a) <= distance(b) && distance(a) <= distance(c):
		return a
	case distance(b) <= distance(c):
		return b
	}
	return c
}
