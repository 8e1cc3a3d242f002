package scim

import (
	"encoding/json"
	"strings"
)

// Limits of a filter: more than any directory asks.
const (
	maxFilter = 4000 // bytes
	maxNested = 20
	maxTerms  = 100
)

// node is a part of a filter (RFC 7644, 3.4.2.2): one of and, or, not over others, or
// a comparison.
type node struct {
	op     string // and, or, not, pr, eq, ne, co, sw, ew, gt, ge, lt, le
	kids   []*node
	path   string // of a comparison; with within, a list: path[within]
	within *node  // nil: none
	sub    string // behind the bracket
	value  any    // string, float64, bool, nil
}

// parser reads a filter. It never looks back.
type parser struct {
	rest  string
	depth int
	terms int
}

func badFilter(why string) error { return invalid(invalidFilter, "The filter can't be read: %s.", why) }

func parseFilter(text string) (*node, error) {
	if len(text) > maxFilter {
		return nil, badFilter("it is too long")
	}
	p := &parser{rest: text}
	n, err := p.or()
	if err == nil && p.space() != "" {
		err = badFilter("something stands behind its end")
	}
	return n, err
}

// space passes over spaces and returns what is left.
func (p *parser) space() string {
	p.rest = strings.TrimLeft(p.rest, " \t")
	return p.rest
}

// word takes a word if it is there, whatever its case.
func (p *parser) word(word string) bool {
	rest := p.space()
	if !cutFold(&rest, word) || rest != "" && !strings.ContainsAny(rest[:1], " (\t") {
		return false
	}
	p.rest = rest
	return true
}

func (p *parser) mark(mark string) bool {
	rest, found := strings.CutPrefix(p.space(), mark)
	if found {
		p.rest = rest
	}
	return found
}

func (p *parser) or() (*node, error)  { return p.chain("or", p.and) }
func (p *parser) and() (*node, error) { return p.chain("and", p.not) }

// chain reads terms with a word between them.
func (p *parser) chain(word string, term func() (*node, error)) (*node, error) {
	first, err := term()
	if err != nil || !p.word(word) {
		return first, err
	}
	all := &node{op: word, kids: []*node{first}}
	for {
		next, err := term()
		if err != nil {
			return nil, err
		}
		all.kids = append(all.kids, next)
		if !p.word(word) {
			return all, nil
		}
	}
}

func (p *parser) not() (*node, error) {
	if p.depth++; p.depth > maxNested {
		return nil, badFilter("it is nested too deep")
	}
	defer func() { p.depth-- }()
	if p.word("not") {
		inner, err := p.not()
		return &node{op: "not", kids: []*node{inner}}, err
	}
	if !p.mark("(") {
		return p.compare()
	}
	inner, err := p.or()
	if err == nil && !p.mark(")") {
		err = badFilter("a bracket is not closed")
	}
	return inner, err
}

func (p *parser) compare() (*node, error) {
	if p.terms++; p.terms > maxTerms {
		return nil, badFilter("it has too many parts")
	}
	n := &node{path: p.path()}
	if n.path == "" {
		return nil, badFilter("an attribute is missing")
	}
	if p.mark("[") {
		inner, err := p.or()
		if err != nil {
			return nil, err
		}
		if !p.mark("]") {
			return nil, badFilter("a bracket is not closed")
		}
		n.within = inner
		if rest, dotted := strings.CutPrefix(p.rest, "."); dotted {
			p.rest = rest
			n.sub = p.path()
		} else if n.op = "pr"; !p.word("pr") {
			return n, nil // a list that has such a value
		} else {
			return n, nil
		}
	}
	return n, p.operator(n)
}

// path takes what may be a name with parts.
func (p *parser) path() string {
	rest := p.space()
	end := strings.IndexFunc(rest, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(":._-$", r)
	})
	if end < 0 {
		end = len(rest)
	}
	p.rest = rest[end:]
	return rest[:end]
}

func (p *parser) operator(n *node) error {
	n.op = strings.ToLower(p.path())
	switch n.op {
	case "pr":
		return nil
	case "eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le":
		return p.literal(n)
	}
	return badFilter("an operator is missing")
}

// literal takes a value as JSON has it; Entra writes True and False.
func (p *parser) literal(n *node) error {
	rest := p.space()
	for word, value := range map[string]any{"true": true, "false": false, "null": nil} {
		if after := rest; cutFold(&after, word) {
			p.rest, n.value = after, value
			return nil
		}
	}
	decoder := json.NewDecoder(strings.NewReader(rest))
	if err := decoder.Decode(&n.value); err != nil {
		return badFilter("a value is missing")
	}
	switch n.value.(type) {
	case string, float64:
		p.rest = rest[decoder.InputOffset():]
		return nil
	}
	return badFilter("a value is no text and no number")
}

// terms is of how many comparisons the node is made.
func (n *node) terms() int {
	if n == nil {
		return 0
	}
	all := max(0, 1-len(n.kids))
	for _, kid := range n.kids {
		all += kid.terms()
	}
	return all
}

// holds reports whether the node holds for one value of a list.
func (n *node) holds(of object) bool {
	switch n.op {
	case "and":
		return n.kids[0].holds(of) && (len(n.kids) == 1 || (&node{op: "and", kids: n.kids[1:]}).holds(of))
	case "or":
		return n.kids[0].holds(of) || len(n.kids) > 1 && (&node{op: "or", kids: n.kids[1:]}).holds(of)
	case "not":
		return !n.kids[0].holds(of)
	}
	return n.compares(of)
}

func (n *node) compares(of object) bool {
	value, there := lookUp(of, n.path)
	switch n.op {
	case "pr":
		return there
	case "ne":
		return !same(value, n.value)
	case "eq":
		return same(value, n.value)
	}
	has, isText := value.(string)
	want, wantsText := n.value.(string)
	if !isText || !wantsText {
		return false
	}
	has, want = strings.ToLower(has), strings.ToLower(want)
	switch n.op {
	case "co":
		return strings.Contains(has, want)
	case "sw":
		return strings.HasPrefix(has, want)
	case "ew":
		return strings.HasSuffix(has, want)
	}
	order := strings.Compare(has, want)
	return order > 0 && n.op == "gt" || order >= 0 && n.op == "ge" || order < 0 && n.op == "lt" ||
		order <= 0 && n.op == "le"
}

// same compares as directories do: without case, and True is true.
func same(a, b any) bool {
	text := func(v any) string {
		switch v := v.(type) {
		case string:
			return v
		case bool:
			return map[bool]string{true: "true", false: "false"}[v]
		}
		return ""
	}
	if a == nil || b == nil {
		return a == b
	}
	return strings.EqualFold(text(a), text(b))
}

func lookUp(of object, name string) (any, bool) {
	for n, v := range of {
		if strings.EqualFold(n, name) {
			return v, true
		}
	}
	return nil, false
}
