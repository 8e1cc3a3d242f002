package serviceaccounts

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Names of the variables in the templates of the paths.
const (
	accountVariable = "serviceAccountId"
	keyVariable     = "keyId"
)

// BasePath is where the operations of S1 4.2 are.
const BasePath = "/authentication/v2/service-accounts"

// handlers serve the operations, one method each.
type handlers struct {
	accounts *Accounts
	who      *bearer.Authenticator
}

// Area is the nine operations of S1 4.2.
func (a *Accounts) Area(who *bearer.Authenticator) httpio.Area {
	h := handlers{a, who}
	const read, write = scope.ServiceAccountRead, scope.ServiceAccountWrite
	const readKeys, writeKeys = scope.ServiceAccountKeyRead, scope.ServiceAccountKeyWrite
	const account, key = "/{serviceAccountId}", "/{serviceAccountId}/keys/{keyId}"
	return httpio.Area{Prefix: BasePath, WriteError: WriteError, Routes: []httpio.Route{
		httpio.At("").Get(h.guard(read, h.list)).Post(h.guard(write, h.create)),
		httpio.At(account).Get(h.guard(read, h.show)).Patch(h.guard(write, h.patch)).Delete(h.guard(write, h.delete)),
		httpio.At(account + "/keys").Get(h.guard(readKeys, h.listKeys)).Post(h.guard(writeKeys, h.createKey)),
		httpio.At(key).Patch(h.guard(writeKeys, h.patchKey)).Delete(h.guard(writeKeys, h.deleteKey)),
	}}
}

// operation is what is done for a visit.
type operation func(w http.ResponseWriter, r *http.Request, v visit) error

// guard lets two-legged tokens with the scope through. That a token is
// three-legged is said before a missing scope is (S1 7.1).
func (h handlers) guard(scope string, do operation) httpio.Endpoint {
	proven, twoLegged := h.who.Require(WriteError), bearer.TwoLeggedOnly(WriteError)
	return httpio.Endpoint{Scope: scope, Handler: proven(twoLegged(httpio.Handle(WriteError,
		func(w http.ResponseWriter, r *http.Request) error {
			caller, _ := bearer.From(r.Context())
			if err := caller.Need(scope); err != nil {
				return err
			}
			noStore(w)
			v, err := h.visit(r, caller)
			if err != nil {
				return err
			}
			return do(w, r, v)
		})))}
}

// visit is one request: who asks, and for which account.
type visit struct {
	act storage.Act
	by  Asker
	ref Ref
}

func (h handlers) visit(r *http.Request, caller bearer.Caller) (visit, error) {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return visit{}, err
	}
	client, err := h.accounts.store.FindClient(r.Context(), caller.ClientID)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.Unauthenticated, bearer.ReasonInvalidToken, "The token's client is gone.").Because(err)
	}
	return visit{
		act: acts.Of(r.Context(), h.accounts.ambient.Now(), storage.Actor{Kind: storage.ActorClient, ID: caller.ClientID}),
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

// create serves POST /authentication/v2/service-accounts.
func (h handlers) create(w http.ResponseWriter, r *http.Request, v visit) error {
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
}

// list serves GET /authentication/v2/service-accounts.
func (h handlers) list(w http.ResponseWriter, r *http.Request, v visit) error {
	accounts, err := h.accounts.List(r.Context(), v.by, v.ref.ClientID)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, newListBody(accounts))
	return nil
}

// show serves GET /authentication/v2/service-accounts/{serviceAccountId}.
func (h handlers) show(w http.ResponseWriter, r *http.Request, v visit) error {
	account, err := h.accounts.Find(r.Context(), v.by, v.ref)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, newAccountBody(account))
	return nil
}

// patch serves PATCH /authentication/v2/service-accounts/{serviceAccountId}.
func (h handlers) patch(w http.ResponseWriter, r *http.Request, v visit) error {
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
}

// delete serves DELETE /authentication/v2/service-accounts/{serviceAccountId}.
func (h handlers) delete(w http.ResponseWriter, r *http.Request, v visit) error {
	if err := h.accounts.Delete(r.Context(), v.act, v.by, v.ref); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// createKey serves POST …/{serviceAccountId}/keys. It reads no body but JSON:
// existing clients send an empty form.
func (h handlers) createKey(w http.ResponseWriter, r *http.Request, v visit) error {
	var body keyTerm
	if httpio.IsJSON(r.Header.Get("Content-Type")) {
		if err := httpio.ReadOptionalJSON(w, r, &body); err != nil {
			return err
		}
	}
	key, err := h.accounts.CreateKey(r.Context(), v.act, v.by, v.ref, body.term())
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, createdKeyBody{key.KID, key.Private.Reveal()})
	return nil
}

// listKeys serves GET …/{serviceAccountId}/keys.
func (h handlers) listKeys(w http.ResponseWriter, r *http.Request, v visit) error {
	keys, err := h.accounts.ListKeys(r.Context(), v.act, v.by, v.ref)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, newKeysBody(keys))
	return nil
}

// patchKey serves PATCH …/{serviceAccountId}/keys/{keyId}.
func (h handlers) patchKey(w http.ResponseWriter, r *http.Request, v visit) error {
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
}

// deleteKey serves DELETE …/{serviceAccountId}/keys/{keyId}.
func (h handlers) deleteKey(w http.ResponseWriter, r *http.Request, v visit) error {
	if err := h.accounts.DeleteKey(r.Context(), v.act, v.by, v.ref, pathID(r, keyVariable)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
