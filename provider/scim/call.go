package scim

import (
	"crypto/sha256"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// TokenPrefix is what the tokens of connections begin with.
const TokenPrefix = "scim_"

// call is one request of a company, and what is to be noted of it.
type call struct {
	connection storage.SCIMConnection
	tokenID    string
	act        storage.Act
	at         string // the connection's address
	status     int
	detail     string
}

// operation serves a call.
type operation func(w http.ResponseWriter, r *http.Request, c *call) error

// on lets calls through that carry a token of the connection in their path.
func (s *Server) on(do operation) httpio.Endpoint {
	return httpio.Endpoint{Handler: httpio.Handle(WriteError, func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		c, err := s.caller(r)
		if err != nil {
			return err
		}
		if _, err = s.with.Limits.Allow(r.Context(), ratelimit.SCIM, c.connection.ID); err == nil {
			err = do(w, r, c)
		}
		s.note(r, c, err)
		return err
	})}
}

// caller finds out whose token it is. To whom the connection in the path is not
// theirs it must not exist.
func (s *Server) caller(r *http.Request) (*call, error) {
	id, err := httpio.PathID(r, connectionVariable)
	if err != nil {
		return nil, err
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || !strings.HasPrefix(token, TokenPrefix) {
		return nil, fault.New(fault.Unauthenticated, "missing_token", "Send the connection's token as a bearer token.")
	}
	now := s.with.Ambient.Now()
	hash := sha256.Sum256([]byte(token))
	connection, tokenID, err := s.with.Store.FindSCIMCaller(r.Context(), hash[:], now)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Unauthenticated, "invalid_token",
			"The token is none, has ended, or its connection is disabled.").Because(err)
	}
	if err != nil {
		return nil, err
	}
	if connection.ID != id {
		return nil, absent("connection")
	}
	return &call{
		connection: connection, tokenID: tokenID, status: http.StatusOK,
		act: acts.Of(r.Context(), now, storage.Actor{Kind: storage.ActorConnection, ID: connection.ID}),
		at:  s.with.BaseURL + Prefix + "/" + connection.ID,
	}, nil
}

// note keeps what was asked, and what became of it.
func (s *Server) note(r *http.Request, c *call, err error) {
	if err != nil {
		f := fault.From(err)
		c.status, c.detail = httpio.Status(f.Kind), f.Detail
	}
	path := httpio.WithQuery(strings.TrimPrefix(r.URL.EscapedPath(), Prefix+"/"+c.connection.ID), r.URL.RawQuery)
	s.recorder.add(storage.SCIMCall{
		ConnectionID: c.connection.ID, At: c.act.At, Method: r.Method, Path: path, Status: c.status, Detail: c.detail,
		RequestID: c.act.RequestID,
	}, c.tokenID)
}

func absent(what string) error { return fault.Newf(fault.NotFound, "", "There is no such %s.", what) }
