package commands

import "io"

// output is standard output that remembers whether all was written there: a list, an archive or
// a secret that is shown once may go to a disk that is full. A closed pipe ends the process by
// itself, for whoever reads has read enough.
type output struct {
	to     io.Writer
	failed error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.to.Write(text)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}
