package twins

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// WriteError writes a failure as a problem (decision W5). It implements
// httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	httpio.SetBearerFailure(w.Header(), r, f)
	newProblem(r, f).Write(w)
}

func newProblem(r *http.Request, f *fault.Error) httpio.Problem {
	p := httpio.NewProblem(r, f, httpio.Status(f.Kind))
	if f.Kind != fault.Internal {
		p.Source = f.Source
	}
	return p
}
