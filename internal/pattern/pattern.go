// Package pattern compiles a regular expression when it is first asked for: a
// command, and a server that starts, need few of all that there are.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern returns the expression, compiled.
type Pattern func() *regexp.Regexp

// Of returns what compiles the expression at its first call. One that is wrong
// panics there.
func Of(expression string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
