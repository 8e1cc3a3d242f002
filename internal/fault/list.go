package fault

import (
	"errors"
	"strings"
)

// List is everything that is wrong with one form or document, so that a person
// corrects it in one go. Each entry names its field as Source. The first one
// decides the kind of the whole.
type List []*Error

// Add puts err, as From sees it, at the end; nil and an empty List add
// nothing, a List adds its entries.
func (l *List) Add(err error) {
	*l = append(*l, All(err)...)
}

// Err returns the list as an error, nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Error returns the entries, separated by "; ", for the log.
func (l List) Error() string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the entries.
func (l List) Unwrap() []error {
	all := make([]error, len(l))
	for i, e := range l {
		all[i] = e
	}
	return all
}

// All returns every fault of err: the entries of a List, or the one fault From
// finds; none for nil.
func All(err error) []*Error {
	list := List(nil)
	if errors.As(err, &list) {
		return list
	}
	if e := From(err); e != nil {
		return []*Error{e}
	}
	return nil
}
