package people

import (
	"fmt"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
)

// ImportJSON is what an import of people did, or would do, in the API and on the
// command line.
type ImportJSON struct {
	Imported bool              `json:"imported"`
	New      int               `json:"new"`
	Known    []string          `json:"known"`
	Faults   []ImportFaultJSON `json:"faults"`
}

// ImportFaultJSON is what is wrong with a line of a file.
type ImportFaultJSON struct {
	Line   int    `json:"line"`
	Field  string `json:"field,omitempty"`
	Detail string `json:"detail"`
}

// NewImportJSON tells of an import.
func NewImportJSON(plan ImportPlan, imported bool) ImportJSON {
	body := ImportJSON{Imported: imported, New: len(plan.People), Known: append([]string{}, plan.Known...),
		Faults: []ImportFaultJSON{}}
	for _, f := range plan.Faults {
		body.Faults = append(body.Faults, ImportFaultJSON{f.Line, f.Fault.Source, f.Fault.Detail})
	}
	return body
}

// importUsers serves POST /admin/v1/users/import. With dry_run nothing is imported,
// and what is wrong is no failure.
func (a *API) importUsers(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	flags, err := adminapi.Flags(query, "dry_run", "invite")
	if err != nil {
		return err
	}
	file, err := httpio.ReadFile(w, r, "text/csv", MaxImport)
	if err != nil {
		return err
	}
	plan, err := a.people.ReadImport(r.Context(), c.Act, file)
	if err != nil {
		return err
	}
	if flags[0] {
		return adminapi.OK(w, NewImportJSON(plan, false))
	}
	if len(plan.Faults) > 0 {
		return plan.err()
	}
	httpio.AtLeisure(w)
	if err := a.people.CarryOut(r.Context(), c.Act, plan, flags[1], c.User.Title()); err != nil {
		return err
	}
	return adminapi.OK(w, NewImportJSON(plan, true))
}

// err is all that is wrong, with lines as the sources.
func (p ImportPlan) err() error {
	var faults fault.List
	for _, f := range p.Faults[:min(shownFaults, len(p.Faults))] {
		at := *f.Fault
		faults.Add(at.At(fmt.Sprintf("%d:%s", f.Line, f.Fault.Source)))
	}
	return faults.Err()
}
