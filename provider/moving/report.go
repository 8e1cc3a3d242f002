package moving

import "github.com/portico-id/portico/internal/fault"

// maxTold is how many lines of a kind a report tells of; it counts all.
const maxTold = 100

// Report is what an import did, or would do.
type Report struct {
	Imported bool  `json:"imported"`
	Groups   Count `json:"groups"`
	Users    Count `json:"users"`
	Clients  Count `json:"clients"`
	Wrong    int   `json:"wrong"`   // lines that are wrong or clash, and so are left out
	Changed  int   `json:"changed"` // entries that are here already, and otherwise

	Faults  []Fault  `json:"faults"`  // the first 100 of what is wrong
	Differs []Differ `json:"differs"` // the first 100 of what is otherwise here
	Notes   []Note   `json:"notes"`   // the first 100 of what is to be done by hand
}

// Count tells of the entries of a kind.
type Count struct {
	New    int `json:"new"`
	Same   int `json:"same"`   // here already, as the document says
	Differ int `json:"differ"` // here already, and otherwise: these stay as they are
	Wrong  int `json:"wrong"`
}

// Fault is what is wrong with a line.
type Fault struct {
	Line   int    `json:"line"`
	Entry  string `json:"entry,omitempty"` // whom or what it is about
	Field  string `json:"field,omitempty"`
	Detail string `json:"detail"`
}

// Differ is an entry that is here already, and otherwise.
type Differ struct {
	Line   int      `json:"line"`
	Entry  string   `json:"entry"`
	Fields []string `json:"fields"`
}

// Note is something for people to do.
type Note struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

func newReport() *Report {
	return &Report{Faults: []Fault{}, Differs: []Differ{}, Notes: []Note{}}
}

func (r *Report) wrong(line int, entry string, count *Count, err error) {
	r.Wrong++
	if count != nil {
		count.Wrong++
	}
	for _, f := range fault.All(err) {
		if len(r.Faults) < maxTold {
			r.Faults = append(r.Faults, Fault{line, entry, f.Source, f.Detail})
		}
	}
}

// known tells of an entry that is here already.
func (r *Report) known(line int, entry string, count *Count, fields []string) {
	if len(fields) == 0 {
		count.Same++
		return
	}
	count.Differ++
	r.Changed++
	if len(r.Differs) < maxTold {
		r.Differs = append(r.Differs, Differ{line, entry, fields})
	}
}

func (r *Report) note(line int, text string) {
	if len(r.Notes) < maxTold {
		r.Notes = append(r.Notes, Note{line, text})
	}
}
