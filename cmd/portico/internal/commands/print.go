package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/fault"
)

// row is one line of a table of names and values.
type row struct{ name, value string }

// jsonFlag adds --json.
func jsonFlag(command *cobra.Command) *bool {
	return command.Flags().Bool("json", false, "Print one JSON object instead of a table.")
}

// printJSON writes v as one indented JSON object.
func (e *Env) printJSON(v any) error {
	encoder := json.NewEncoder(escaping{e.Stdout})
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// printRows writes names and values, leaving out what is empty.
func (e *Env) printRows(rows []row) {
	table := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		for i, line := range strings.Split(plain(r.value), "\n") {
			if r.value == "" {
				continue
			}
			name := r.name
			if i > 0 {
				name = ""
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\n", name, line)
		}
	}
	_ = table.Flush()
}

// printTable writes a header and a line for each entry.
func (e *Env) printTable(header string, lines [][]string) {
	table := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, strings.ReplaceAll(header, " ", "\t"))
	for _, line := range lines {
		_, _ = fmt.Fprintln(table, plain(strings.Join(line, "\t")))
	}
	_ = table.Flush()
}

// note writes a line for the person at the terminal, apart from what scripts
// read.
func (e *Env) note(format string, args ...any) {
	_, _ = fmt.Fprintln(e.Stderr, plain(fmt.Sprintf(format, args...)))
}

// noted is an address to be printed, with a note where nobody knows yet how it begins.
func noted(e *Env, address string) string {
	if strings.HasPrefix(address, "/") {
		e.note("PORTICO_BASE_URL is not set, and no server has run yet: the address begins with it.")
	}
	return address
}

// plain is a text for a terminal, without what such obeys: it may be another server's,
// or a stranger's.
func plain(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// escaping writes JSON with all that a terminal obeys escaped: JSON itself leaves DEL and the
// controls behind it as they are.
type escaping struct{ to io.Writer }

func (w escaping) Write(text []byte) (int, error) {
	var out strings.Builder
	for _, c := range string(text) {
		if unicode.IsControl(c) && c > ' ' {
			_, _ = fmt.Fprintf(&out, `\u%04x`, c)
		} else {
			out.WriteRune(c)
		}
	}
	_, err := io.WriteString(w.to, out.String())
	return len(text), err
}

func (e *Env) noteAll(texts []string) {
	for _, text := range texts {
		e.note("%s", text)
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// moment is a time for a table; the zero time is "never".
func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}

// describe returns what a person should read: the details of faults without
// their machine words, anything else as it is.
func describe(err error) string {
	var lines []string
	for _, f := range fault.All(err) {
		text := f.Detail
		if text == "" {
			return err.Error()
		}
		if f.Source != "" {
			text = f.Source + ": " + text
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n  ")
}
