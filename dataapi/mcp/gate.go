package mcp

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
)

// maxBody is how many bytes a request may have.
const maxBody = 1 << 20

// gate lets requests through whose token is for the server, and carries what the tool
// takes that they call: an assistant learns from a challenge what more to ask for.
func gate(who *bearer.Authenticator, metadata string, next http.Handler) http.Handler {
	return httpio.Handle(writeError, func(w http.ResponseWriter, r *http.Request) error {
		httpio.From(r.Context()).ResourceMetadata = metadata
		caller, err := who.Authenticate(r)
		if err != nil {
			return err
		}
		tool, err := called(w, r)
		if err != nil {
			return err
		}
		if err := caller.Need(needed(tool)...); err != nil {
			return err
		}
		next.ServeHTTP(w, r.WithContext(bearer.With(r.Context(), caller)))
		return nil
	})
}

// needed are the scopes that a tool takes.
func needed(tool string) []string {
	if tool == toolSearch {
		return []string{scope.DataRead, scope.DataSearch}
	}
	return []string{scope.DataRead}
}

// called returns the tool that a request calls, if it calls one, and leaves the body to
// be read again. Several messages in one request are refused whatever revision of the
// protocol it speaks: each call would count as one request, and none be judged.
func called(w http.ResponseWriter, r *http.Request) (string, error) {
	if r.Method != http.MethodPost {
		return "", nil // the protocol refuses it: without sessions there is nothing to listen to, or to end
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return "", fault.New(fault.TooLarge, bearer.ReasonInvalidRequest, "The request is larger than 1 MiB.")
	}
	if err != nil {
		return "", fault.New(fault.Invalid, bearer.ReasonInvalidRequest, "The request did not arrive whole.").Because(err)
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return "", fault.New(fault.Invalid, bearer.ReasonInvalidRequest, "Send one message at a time.")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var call struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if err := httpio.DecodeJSON(body, &call); err != nil { // nobody reads it otherwise than it was judged
		return "", err
	}
	if call.Method != "tools/call" {
		return "", nil
	}
	return call.Params.Name, nil
}

// writeError answers who may not. A challenge without a token says with which scopes to
// begin (RFC 6750, 3): those of all tools, for there are clients that cannot ask for more
// once they can refresh what they have.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	httpio.SetBearerFailure(w.Header(), r, f)
	if f.Reason == bearer.ReasonMissingToken {
		httpio.Challenge(w.Header(), r, `scope="`+scope.Format(needed(toolSearch))+`"`)
	}
	httpio.NewProblem(r, f, httpio.Status(f.Kind)).Write(w)
}
