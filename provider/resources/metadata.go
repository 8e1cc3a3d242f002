package resources

import (
	"net/http"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
)

// MetadataPath is where our own APIs are described, below the address of the server;
// what else the server has is described behind it (RFC 9728, 3.1).
const MetadataPath = "/.well-known/oauth-protected-resource"

// metadata describes a resource (RFC 9728, 2).
type metadata struct {
	Resource             string   `json:"resource"`
	Name                 string   `json:"resource_name,omitempty"`
	AuthorizationServers []string `json:"authorization_servers"`
	Scopes               []string `json:"scopes_supported"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	ProofAlgorithms      []string `json:"dpop_signing_alg_values_supported"`
	ProofNeeded          bool     `json:"dpop_bound_access_tokens_required,omitempty"`
}

// Routes are the descriptions of what the server itself has.
func (r *Registry) Routes() []httpio.Route {
	routes := []httpio.Route{r.describes(MetadataPath, r.with.Issuer)}
	for _, one := range r.with.BuiltIn {
		if path, below := strings.CutPrefix(one.Identifier, r.with.Issuer); below {
			routes = append(routes, r.describes(MetadataPath+path, one.Identifier))
		}
	}
	return routes
}

func (r *Registry) describes(path, identifier string) httpio.Route {
	return httpio.At(path).For(httpio.AnySite).Get(httpio.Open(
		writeError, func(w http.ResponseWriter, request *http.Request) error {
			one, _, err := r.Find(request.Context(), identifier)
			if err != nil {
				return err
			}
			said := metadata{
				Resource: identifier, AuthorizationServers: []string{r.with.Issuer}, BearerMethods: []string{"header"},
				Scopes:          slices.DeleteFunc(slices.Clone(one.Scopes), scope.Identity),
				ProofAlgorithms: strings.Fields(httpio.ProofAlgorithms), ProofNeeded: one.ProofNeeded,
			}
			if !one.Ours {
				said.Name = one.Name
			}
			w.Header().Set("Cache-Control", "public, max-age=60")
			httpio.WriteJSON(w, http.StatusOK, "application/json", said)
			return nil
		}))
}

func writeError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	w.Header().Set("Cache-Control", "no-store")
	httpio.SetRetryAfter(w.Header(), f.RetryAfter)
	httpio.NewProblem(r, f, httpio.Status(f.Kind)).Write(w)
}
