package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// logBook keeps what a server logs, one JSON object a line.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
	line chan struct{} // closed and replaced at every write
}

func newLogBook() *logBook { return &logBook{line: make(chan struct{})} }

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.line)
	l.line = make(chan struct{})
	return l.text.Write(p)
}

// read returns the log so far, and a channel that closes when there is more.
func (l *logBook) read() (string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String(), l.line
}

// logLine is what tests read of a line.
type logLine struct {
	Level, Msg, URL, Address, Route, Method, Fault string
	Status                                         int
}

// lines returns the lines that are JSON, and everything else as it is.
func (l *logBook) lines() (lines []logLine, rest string) {
	text, _ := l.read()
	for raw := range strings.Lines(text) {
		var line logLine
		if json.Unmarshal([]byte(raw), &line) != nil {
			rest += raw
			continue
		}
		lines = append(lines, line)
	}
	return lines, rest
}

// unexplained returns what somebody asked for, was refused, and the log does not say why.
func (l *logBook) unexplained() (routes []string) {
	lines, _ := l.lines()
	for _, line := range lines {
		asset := line.Route == "/assets/{name}" // it is not there: what else
		if line.Method == http.MethodGet && line.Status >= 400 && line.Fault == "" && !asset {
			routes = append(routes, line.Route)
		}
	}
	return routes
}

// trouble returns every line about a failure of the server's own.
func (l *logBook) trouble() string {
	var found strings.Builder
	text, _ := l.read()
	for raw := range strings.Lines(text) {
		var line logLine
		_ = json.Unmarshal([]byte(raw), &line)
		if line.Level != "INFO" && line.Level != "WARN" || line.Status >= 500 {
			found.WriteString(raw)
		}
	}
	return found.String()
}
