package upstreams

import "fmt"

// cause says, for the log alone, why an answer is not accepted.
type cause string

func (c cause) Error() string { return string(c) }

func causef(format string, args ...any) error { return cause(fmt.Sprintf(format, args...)) }
