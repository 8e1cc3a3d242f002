package serviceaccounts

import (
	"errors"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Names of the variables in the templates of the paths.
const (
	accountVariable = "serviceAccountId"
	keyVariable     = "keyId"
)

// Handlers serve the operations of S1 4.2, one method each, on routes with the
// variables {serviceAccountId} and {keyId}. Each belongs behind Guard.
type Handlers struct {
	accounts *Accounts
}

// Handlers returns the operations.
func (a *Accounts) Handlers() *Handlers { return &Handlers{accounts: a} }

// Guard lets two-legged tokens with the scope through. That a token is
// three-legged is said before a missing scope is (S1 7.1).
func Guard(who *bearer.Authenticator, scope string, next http.Handler) httpio.Endpoint {
	proven, twoLegged := who.Require(WriteError), bearer.TwoLeggedOnly(WriteError)
	return httpio.Endpoint{Scope: scope, Handler: proven(twoLegged(httpio.Handle(WriteError, func(w http.ResponseWriter, r *http.Request) error {
		caller, _ := bearer.From(r.Context())
		if err := caller.Need(scope); err != nil {
			return err
		}
		next.ServeHTTP(w, r)
		return nil
	})))}
}

// visit is one request: who asks, and for which account.
type visit struct {
	act storage.Act
	by  Asker
	ref Ref
}

// operation makes a handler of what is done for a visit.
func (h *Handlers) operation(do func(w http.ResponseWriter, r *http.Request, v visit) error) http.Handler {
	return httpio.Handle(WriteError, func(w http.ResponseWriter, r *http.Request) error {
		noStore(w)
		v, err := h.visit(r)
		if err != nil {
			return err
		}
		return do(w, r, v)
	})
}

func (h *Handlers) visit(r *http.Request) (visit, error) {
	caller, ok := bearer.From(r.Context())
	if !ok {
		return visit{}, errors.New("a route of service accounts is not behind Guard")
	}
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return visit{}, err
	}
	client, err := h.accounts.store.FindClient(r.Context(), caller.ClientID)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.Unauthenticated, bearer.ReasonInvalidToken, "The token's client is gone.").Because(err)
	}
	exchange := httpio.From(r.Context())
	return visit{
		act: storage.Act{
			At: h.accounts.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorClient, ID: caller.ClientID},
			RequestID: exchange.RequestID, Address: exchange.Address,
		},
		by:  Asker{Client: client},
		ref: Ref{AccountID: pathID(r, accountVariable), ClientID: query.Get("clientId")},
	}, err
}

// pathID returns the variable, or an id that nothing has when it is malformed:
// such a thing was not found (S1 7.1 knows no other answer).
func pathID(r *http.Request, name string) string {
	id, err := httpio.PathID(r, name)
	if err != nil {
		return ""
	}
	return id
}

// Create serves POST /authentication/v2/service-accounts.
func (h *Handlers) Create() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		var body createBody
		if err := httpio.ReadJSON(w, r, &body); err != nil {
			return err
		}
		account, err := h.accounts.Create(r.Context(), v.act, v.by, Request(body))
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusCreated, createdBody{account.ID, account.Email})
		return nil
	})
}

// List serves GET /authentication/v2/service-accounts.
func (h *Handlers) List() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		accounts, err := h.accounts.List(r.Context(), v.by, v.ref.ClientID)
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, newListBody(accounts))
		return nil
	})
}

// Show serves GET /authentication/v2/service-accounts/{serviceAccountId}.
func (h *Handlers) Show() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		account, err := h.accounts.Find(r.Context(), v.by, v.ref)
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, newAccountBody(account))
		return nil
	})
}

// Patch serves PATCH /authentication/v2/service-accounts/{serviceAccountId}.
func (h *Handlers) Patch() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		var body statusBody
		if err := httpio.ReadJSON(w, r, &body); err != nil {
			return err
		}
		account, err := h.accounts.SetStatus(r.Context(), v.act, v.by, v.ref, storage.ServiceAccountStatus(body.Status))
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, newPatchedBody(account))
		return nil
	})
}

// Delete serves DELETE /authentication/v2/service-accounts/{serviceAccountId}.
func (h *Handlers) Delete() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		if err := h.accounts.Delete(r.Context(), v.act, v.by, v.ref); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// CreateKey serves POST …/{serviceAccountId}/keys. It reads no body: existing
// clients send an empty form.
func (h *Handlers) CreateKey() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		key, err := h.accounts.CreateKey(r.Context(), v.act, v.by, v.ref)
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusCreated, createdKeyBody{key.KID, key.Private.Reveal()})
		return nil
	})
}

// ListKeys serves GET …/{serviceAccountId}/keys.
func (h *Handlers) ListKeys() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		keys, err := h.accounts.ListKeys(r.Context(), v.act, v.by, v.ref)
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, newKeysBody(keys))
		return nil
	})
}

// PatchKey serves PATCH …/{serviceAccountId}/keys/{keyId}.
func (h *Handlers) PatchKey() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		var body statusBody
		if err := httpio.ReadJSON(w, r, &body); err != nil {
			return err
		}
		err := h.accounts.SetKeyStatus(r.Context(), v.act, v.by, v.ref, pathID(r, keyVariable), storage.KeyStatus(body.Status))
		if err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// DeleteKey serves DELETE …/{serviceAccountId}/keys/{keyId}.
func (h *Handlers) DeleteKey() http.Handler {
	return h.operation(func(w http.ResponseWriter, r *http.Request, v visit) error {
		if err := h.accounts.DeleteKey(r.Context(), v.act, v.by, v.ref, pathID(r, keyVariable)); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}
