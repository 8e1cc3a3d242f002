package pdf

import (
	"bytes"
	"errors"
	"strconv"
)

// The objects of a document: nil, bool, float64, name, text, array, dict and
// ref.
type (
	name  string
	text  struct{} // what it says does not matter
	array []any
	dict  map[name]any
	ref   struct{ number, generation int }
	word  string // obj, stream, R and the like
)

// errShort says that the bytes end in the middle of an object.
var errShort = errors.New("the object goes on")

// parser reads objects from bytes.
type parser struct {
	in  []byte
	at  int
	end bool // nothing follows these bytes

	weight int // of what was read, see maxWeight
}

// Memory that objects take, in units of a number: they take far more of it than
// of the file.
const (
	arrayWeight = 3
	dictWeight  = 10
)

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

// skip passes over white space and comments.
func (p *parser) skip() {
	for p.at < len(p.in) {
		switch c := p.in[p.at]; {
		case isSpace(c):
			p.at++
		case c == '%':
			line := bytes.IndexAny(p.in[p.at:], "\r\n")
			if line < 0 {
				p.at = len(p.in)
				return
			}
			p.at += line
		default:
			return
		}
	}
}

// object reads one object. Two numbers and an R are a reference.
func (p *parser) object(depth int) (any, error) {
	if p.weight++; depth > maxDepth || p.weight > maxWeight {
		return nil, tooComplex()
	}
	p.skip()
	if p.at >= len(p.in) {
		return nil, p.short()
	}
	switch c := p.in[p.at]; {
	case c == '/':
		p.at++
		token, err := p.token()
		return name(token), err
	case c == '(':
		return text{}, p.literal()
	case bytes.HasPrefix(p.in[p.at:], []byte("<<")):
		p.at += 2
		p.weight += dictWeight
		return p.dictionary(depth)
	case c == '<':
		end := bytes.IndexByte(p.in[p.at:], '>')
		if end < 0 {
			return nil, p.short()
		}
		p.at += end + 1
		return text{}, nil
	case c == '[':
		p.at++
		p.weight += arrayWeight
		return p.array(depth)
	case isDelimiter(c):
		return nil, damaged()
	}
	return p.simple()
}

// simple reads a number, a reference or a word.
func (p *parser) simple() (any, error) {
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	switch token {
	case "true", "false":
		return token == "true", nil
	case "null":
		return nil, nil
	}
	number, err := strconv.ParseFloat(token, 64)
	if err != nil {
		return word(token), nil
	}
	if found, err := p.reference(token); found != nil || err != nil {
		return found, err
	}
	return number, nil
}

// reference returns the reference that begins with the number, if one does.
func (p *parser) reference(first string) (any, error) {
	number, err := strconv.Atoi(first)
	if err != nil || number < 0 {
		return nil, nil
	}
	back := p.at
	generation, err := p.plainToken()
	if err != nil {
		return nil, err
	}
	if g, err := strconv.Atoi(generation); err == nil && g >= 0 {
		letter, err := p.plainToken()
		if err != nil {
			return nil, err
		}
		if letter == "R" {
			return ref{number, g}, nil
		}
	}
	p.at = back
	return nil, nil
}

// plainToken is the next token, empty where a delimiter follows.
func (p *parser) plainToken() (string, error) {
	p.skip()
	if p.at >= len(p.in) {
		if p.end {
			return "", nil
		}
		return "", errShort
	}
	if isDelimiter(p.in[p.at]) {
		return "", nil
	}
	return p.token()
}

// token reads up to white space or a delimiter.
func (p *parser) token() (string, error) {
	from := p.at
	for p.at < len(p.in) && !isSpace(p.in[p.at]) && !isDelimiter(p.in[p.at]) {
		p.at++
	}
	if p.at == len(p.in) && !p.end {
		return "", errShort
	}
	return string(p.in[from:p.at]), nil
}

func (p *parser) literal() error {
	open := 0
	for ; p.at < len(p.in); p.at++ {
		switch p.in[p.at] {
		case '\\':
			p.at++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				p.at++
				return nil
			}
		}
	}
	return p.short()
}

func (p *parser) array(depth int) (any, error) {
	all := array{}
	for {
		if done, err := p.closes("]"); done || err != nil {
			return all, err
		}
		value, err := p.object(depth + 1)
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
}

func (p *parser) dictionary(depth int) (any, error) {
	all := dict{}
	for {
		if done, err := p.closes(">>"); done || err != nil {
			return all, err
		}
		key, err := p.object(depth + 1)
		if err != nil {
			return nil, err
		}
		named, ok := key.(name)
		if !ok {
			return nil, damaged()
		}
		if all[named], err = p.object(depth + 1); err != nil {
			return nil, err
		}
	}
}

// closes reports whether the closing mark follows, and passes over it.
func (p *parser) closes(mark string) (bool, error) {
	p.skip()
	if len(p.in)-p.at < len(mark) {
		return false, p.short()
	}
	if !bytes.HasPrefix(p.in[p.at:], []byte(mark)) {
		return false, nil
	}
	p.at += len(mark)
	return true, nil
}

func (p *parser) short() error {
	if p.end {
		return truncated()
	}
	return errShort
}

// whole returns a value that is a whole number of at least 0.
func whole(v any) (int, bool) {
	number, ok := v.(float64)
	n := int(number)
	return n, ok && float64(n) == number && n >= 0
}
