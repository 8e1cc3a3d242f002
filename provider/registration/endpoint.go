package registration

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

const clientVariable = "clientId"

// endpoints are what clients call, so many times a minute.
type endpoints struct {
	*Registrar
	limits *ratelimit.Limits
}

// Routes are what clients call. Pages of any site may: what they could do with it,
// programs can without a browser.
func (r *Registrar) Routes(limits *ratelimit.Limits) []httpio.Route {
	e := endpoints{r, limits}
	open := func(fn httpio.Handler) httpio.Endpoint { return httpio.Open(writeError, fn) }
	return []httpio.Route{
		httpio.At(Path).For(httpio.AnySite).Post(open(e.register)),
		httpio.At(Path + "/{clientId}").For(httpio.AnySite).Get(open(e.own(e.show))).Put(open(e.own(e.replace))).
			Delete(open(e.own(e.delete))),
	}
}

func (e endpoints) register(w http.ResponseWriter, request *http.Request) error {
	if err := e.count(w, request); err != nil {
		return err
	}
	var said Metadata
	if err := readJSON(w, request, &said); err != nil {
		return err
	}
	told, err := e.Register(request.Context(), e.act(request, ""), bearer(request), said)
	if err != nil {
		return err
	}
	write(w, http.StatusCreated, told)
	return nil
}

// count counts the call against those of its network.
func (e endpoints) count(w http.ResponseWriter, request *http.Request) error {
	standing, err := e.limits.Allow(request.Context(), ratelimit.Register,
		ratelimit.Key("", httpio.From(request.Context()).Address))
	if standing.Limit > 0 {
		httpio.SetRateLimit(w.Header(), string(standing.Class), standing.Limit, standing.Left, standing.Reset)
	}
	return err
}

func (e endpoints) act(request *http.Request, clientID string) storage.Act {
	return acts.Of(request.Context(), e.with.Ambient.Now(), storage.Actor{Kind: storage.ActorClient, ID: clientID})
}

// readJSON reads what a client says of itself; what can't be read is wrong metadata.
func readJSON(w http.ResponseWriter, request *http.Request, said *Metadata) error {
	err := httpio.ReadJSON(w, request, said)
	if fault.Is(err, fault.Invalid) {
		return fault.New(fault.Invalid, ReasonMetadata, fault.From(err).Detail).Because(err)
	}
	return err
}

// bearer is the token of the request; empty for none.
func bearer(request *http.Request) string {
	scheme, token, _ := strings.Cut(request.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// own is an endpoint for the client that the token and the path name. Every call counts:
// each can cost as much as a registration.
func (e endpoints) own(do func(http.ResponseWriter, *http.Request, storage.Client) error) httpio.Handler {
	return func(w http.ResponseWriter, request *http.Request) error {
		id, err := httpio.PathID(request, clientVariable)
		if err != nil {
			return err
		}
		if err := e.count(w, request); err != nil {
			return err
		}
		client, err := e.Own(request.Context(), id, bearer(request))
		if err != nil {
			return err
		}
		return do(w, request, client)
	}
}

func (e endpoints) show(w http.ResponseWriter, request *http.Request, c storage.Client) error {
	write(w, http.StatusOK, e.told(c, "", bearer(request)))
	return nil
}

func (e endpoints) replace(w http.ResponseWriter, request *http.Request, c storage.Client) error {
	var said Metadata
	if err := readJSON(w, request, &said); err != nil {
		return err
	}
	changed, err := e.Replace(request.Context(), e.act(request, c.ID), c, said)
	if err != nil {
		return err
	}
	write(w, http.StatusOK, e.told(changed, "", bearer(request)))
	return nil
}

func (e endpoints) delete(w http.ResponseWriter, request *http.Request, c storage.Client) error {
	if err := e.Delete(request.Context(), e.act(request, c.ID), c); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Cache-Control", "no-store")
	httpio.WriteJSON(w, status, "application/json", body)
}

// failure is the body of RFC 7591, 3.2.2.
type failure struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

func writeError(w http.ResponseWriter, request *http.Request, err error) {
	f := fault.From(err)
	said := failure{Code: "temporarily_unavailable", Description: httpio.Description(f.Detail)}
	switch f.Kind {
	case fault.Invalid, fault.Forbidden:
		said.Code = f.Reason
	case fault.Unauthenticated:
		said.Code = ReasonToken
	case fault.NotFound, fault.MethodNotAllowed, fault.UnsupportedMedia, fault.TooLarge:
		said.Code = "invalid_request"
	case fault.Internal:
		said = failure{Code: "server_error"}
	}
	httpio.SetBearerFailure(w.Header(), request, f)
	if f.Kind == fault.Unauthenticated { // no token of the authorization server's is taken here
		w.Header().Set("WWW-Authenticate", `Bearer realm="portico", `+httpio.WrongToken(f))
	}
	if f.Reason == "missing_token" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="portico"`)
	}
	write(w, httpio.Status(f.Kind), said)
}
