package pdf

import "errors"

// resolve follows a reference; anything else is itself.
func (d *document) resolve(v any) (any, error) {
	for range 10 {
		to, ok := v.(ref)
		if !ok {
			return v, nil
		}
		if to.number >= len(d.entries) {
			return nil, nil
		}
		found, err := d.load(to.number, d.entries[to.number])
		if err != nil {
			return nil, err
		}
		v = found
	}
	return nil, damaged()
}

func (d *document) load(number int, e entry) (any, error) {
	switch e.kind {
	case inFile:
		found, err := d.numbered(number, e.offset)
		return found.value, err
	case inStream:
		return d.packed(int(e.offset), number)
	}
	return nil, nil
}

// numbered reads the object with the number, whose offset counts from the
// header or, as some programs have it, from the beginning.
func (d *document) numbered(number int, offset int64) (indirect, error) {
	for _, at := range []int64{offset + d.base, offset} {
		found, err := d.at(at)
		if err == nil && found.number == number {
			return found, nil
		}
		if err != nil && d.base == 0 {
			return indirect{}, err
		}
	}
	return indirect{}, damaged()
}

// objectStream holds objects that have no place of their own (ISO 32000-2,
// 7.5.7).
type objectStream struct {
	in      []byte
	offsets map[int]int // by number
}

// keptStreams is how many are kept at once.
const keptStreams = 2

func (d *document) packed(stream, number int) (any, error) {
	from, err := d.objectStream(stream)
	if err != nil {
		return nil, err
	}
	at, ok := from.offsets[number]
	if !ok {
		return nil, damaged()
	}
	end := min(at+maxObject, len(from.in))
	p := &parser{in: from.in[at:end], end: end == len(from.in)}
	value, err := p.object(0)
	if over := d.weigh(p); over != nil {
		return nil, over
	}
	if errors.Is(err, errShort) {
		return nil, tooComplex()
	}
	return value, err
}

func (d *document) objectStream(number int) (*objectStream, error) {
	if known := d.streams[number]; known != nil {
		return known, nil
	}
	if number >= len(d.entries) || d.entries[number].kind != inFile {
		return nil, damaged()
	}
	// Its length may not be in an object stream (ISO 32000-2, 7.5.7), which
	// would lead from stream to stream, or around.
	if d.opening {
		return nil, damaged()
	}
	d.opening = true
	defer func() { d.opening = false }()
	o, err := d.numbered(number, d.entries[number].offset)
	if err != nil {
		return nil, err
	}
	of, _ := o.value.(dict)
	count, ok := whole(of["N"])
	first, also := whole(of["First"])
	if !ok || !also || of["Type"] != name("ObjStm") || count > maxPacked {
		return nil, damaged()
	}
	in, err := d.inflate(o)
	if err != nil {
		return nil, err
	}
	if first > len(in) {
		return nil, damaged()
	}
	found := &objectStream{in: in, offsets: map[int]int{}}
	head := &parser{in: in[:first], end: true}
	for range count {
		object, _ := head.plainToken()
		offset, _ := head.plainToken()
		n, ok := whole(numberOf(object))
		at, also := whole(numberOf(offset))
		if !ok || !also {
			return nil, damaged()
		}
		if at <= len(in)-first {
			found.offsets[n] = first + at
		}
	}
	if len(d.streams) >= keptStreams {
		clear(d.streams)
	}
	d.streams[number] = found
	return found, nil
}

// node is a place in the tree of pages.
type node struct {
	at    any
	depth int
}

// countPages walks from the catalog to every page.
func (d *document) countPages() (int, error) {
	root, err := d.resolve(d.trailer["Root"])
	if err != nil {
		return 0, err
	}
	catalog, ok := root.(dict)
	if !ok || catalog["Pages"] == nil {
		return 0, damaged()
	}
	pages, met := 0, map[ref]bool{}
	for open := []node{{at: catalog["Pages"]}}; len(open) > 0; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		if to, ok := next.at.(ref); ok {
			if met[to] {
				return 0, damaged() // a page in two places, or a circle
			}
			met[to] = true
		}
		if next.depth > maxDepth {
			return 0, tooComplex()
		}
		value, err := d.resolve(next.at)
		if err != nil {
			return 0, err
		}
		of, ok := value.(dict)
		if !ok {
			return 0, damaged()
		}
		kids, err := d.resolve(of["Kids"])
		if err != nil {
			return 0, err
		}
		below, branches := kids.(array)
		if !branches {
			if err := d.page(of); err != nil {
				return 0, err
			}
			pages++
			continue
		}
		if d.nodes += len(below); d.nodes > maxNodes { // before they are kept
			return 0, tooComplex()
		}
		for _, kid := range below {
			open = append(open, node{kid, next.depth + 1})
		}
	}
	if pages == 0 {
		return 0, damaged()
	}
	return pages, nil
}

// page makes sure that what is on a page lies within the file.
func (d *document) page(of dict) error {
	if of["Type"] != name("Page") {
		return damaged()
	}
	contents := of["Contents"]
	all, several := contents.(array)
	if !several {
		all = array{contents}
	}
	for _, one := range all {
		to, ok := one.(ref)
		if !ok || to.number >= len(d.entries) || d.entries[to.number].kind != inFile {
			continue
		}
		found, err := d.numbered(to.number, d.entries[to.number].offset)
		if err != nil {
			return err
		}
		stream, _ := found.value.(dict)
		length, err := d.resolve(stream["Length"])
		if err != nil {
			return err
		}
		if n, ok := whole(length); ok && found.stream > 0 && int64(n) > d.size-found.stream {
			return truncated()
		}
	}
	return nil
}
