package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// report is a run as docs/benchmarks.md has it.
type report struct {
	*results
	head    string   // when, on what, with what
	servers []string // the columns
}

// write writes what requests cost, and below it how many are answered a second and how soon.
func (r report) write(w io.Writer) {
	requests := r.requests()
	fmt.Fprintf(w, "%s\n\nIn signatures, with the spread from the tenth percentile to the ninetieth:\n\n", r.head)
	r.table(w, requests, r.cost)
	fmt.Fprint(w, "\nAnswers a second, and the median and the 99th percentile of how long they took, in milliseconds:\n\n")
	r.table(w, requests, r.pace)
	for _, beside := range []row{opensslRow, checkingRow} {
		if f := r.rows[beside]; f != nil {
			low, mid, high := spread(f.costs)
			fmt.Fprintf(w, "\n%s: %.2f (%.2f to %.2f).", strings.Trim(beside.request, "()"), mid, low, high)
		}
	}
	fmt.Fprintf(w, "\nA later start: %d ms; idle: %.1f MB.\n", r.laterStart.Milliseconds(), float64(r.idle)/1e6)
}

// requests are the kinds that were asked of the columns.
func (r report) requests() (all []string) {
	for of := range r.rows {
		if of.server != "" && !slices.Contains(all, of.request) {
			all = append(all, of.request)
		}
	}
	slices.Sort(all)
	return all
}

func (r report) table(w io.Writer, requests []string, cell func(request, server string) string) {
	fmt.Fprintf(w, "| Request | %s |\n|---|%s\n", strings.Join(r.servers, " | "), strings.Repeat("---|", len(r.servers)))
	for _, request := range requests {
		fmt.Fprintf(w, "| %s |", request)
		for _, server := range r.servers {
			fmt.Fprintf(w, " %s |", cell(request, server))
		}
		fmt.Fprintln(w)
	}
}

// cost is a cell; that of the least is bold.
func (r report) cost(request, server string) string {
	f := r.rows[row{request, server}]
	if f == nil {
		return ""
	}
	low, mid, high := spread(f.costs)
	text := fmt.Sprintf("%.2f (%.2f to %.2f)", mid, low, high)
	for _, other := range r.servers {
		if o := r.rows[row{request, other}]; o != nil && other != server {
			if _, least, _ := spread(o.costs); least < mid {
				return text
			}
		}
	}
	return "**" + text + "**"
}

func (r report) pace(request, server string) string {
	f := r.rows[row{request, server}]
	if f == nil {
		return ""
	}
	_, rate, _ := spread(f.rates)
	return fmt.Sprintf("%.0f; %.1f, %.1f", rate, ms(f.percentile(50)), ms(f.percentile(99)))
}

// The marks between which a file has a report of so many clients.
func marks(clients int) (begin, end string) {
	return fmt.Sprintf("<!-- make bench-peers, %d clients: written by it -->\n", clients),
		fmt.Sprintf("<!-- end of %d clients -->\n", clients)
}

// keep writes the report into the file, in the place of the one before.
func (r report) keep(file string, clients int) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := marks(clients)
	before, rest, found := strings.Cut(string(raw), begin)
	_, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		return fmt.Errorf("%s has no place for a report of %d clients: %s%s", file, clients, begin, end)
	}
	var text strings.Builder
	r.write(&text)
	return os.WriteFile(file, []byte(before+begin+"\n"+text.String()+"\n"+end+after), 0o600)
}

// headOf says when a run was, on what machine, with what, and of how many requests.
func headOf(p plan, versions []string) string {
	return fmt.Sprintf("%s at %s, %s, %d clients at once, %d rounds of %d; %s.", time.Now().UTC().Format(time.DateOnly),
		commit(), machine(), p.pace.clients, p.rounds, p.requests, strings.Join(versions, ", "))
}
