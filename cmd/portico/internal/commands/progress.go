package commands

import (
	"fmt"
	"strings"
)

const barWidth = 40

// progress is a bar on the terminal.
type progress struct {
	env   *Env
	total int64
	shown bool
	show  func(int64) string // of a figure; nil: as a number

	percent int64 // of the bar so far
	drawn   bool
}

// bar returns a bar that is shown when standard error is a terminal.
func (e *Env) bar(total int64, show func(int64) string) *progress {
	return &progress{env: e, total: total, shown: e.stderrIsTerminal(), show: show}
}

// step draws the bar anew when it has grown.
func (p *progress) step(done int64) {
	percent := int64(100)
	if p.total > 0 {
		percent = min(100, done*100/p.total)
	}
	if !p.shown || percent == p.percent && p.drawn {
		return
	}
	p.percent, p.drawn = percent, true
	width := int(percent * barWidth / 100)
	_, _ = fmt.Fprintf(p.env.Stderr, "\r[%s%s] %s of %s\x1b[K",
		strings.Repeat("#", width), strings.Repeat(" ", barWidth-width), p.figure(done), p.figure(p.total))
}

func (p *progress) figure(n int64) string {
	if p.show == nil {
		return fmt.Sprint(n)
	}
	return p.show(n)
}

// clear takes the bar away, for a line in its place; the next step draws it
// again.
func (p *progress) clear() {
	if p.drawn {
		p.drawn = false
		_, _ = fmt.Fprint(p.env.Stderr, "\r\x1b[K")
	}
}

// end leaves the bar where it is.
func (p *progress) end() {
	if p.drawn {
		p.drawn = false
		_, _ = fmt.Fprintln(p.env.Stderr)
	}
}

// inBytes shows a number of bytes to a person.
func inBytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	size := float64(n) / 1000
	for _, unit := range []string{"kB", "MB", "GB"} {
		if size < 999.95 {
			return fmt.Sprintf("%.1f %s", size, unit)
		}
		size /= 1000
	}
	return fmt.Sprintf("%.1f TB", size)
}
