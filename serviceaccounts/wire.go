package serviceaccounts

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/storage"
)

const jsonType = "application/json"

// createBody asks for an account. What else is sent, such as firstName, is
// passed over (decision SA8).
type createBody struct {
	Name     string `json:"name"`
	ClientID string `json:"clientId"`
}

type createdBody struct {
	ServiceAccountID string `json:"serviceAccountId"`
	Email            string `json:"email"`
}

// accountBody is a service account (S1 2.10).
type accountBody struct {
	ServiceAccountID string `json:"serviceAccountId"`
	Email            string `json:"email"`
	CreatedBy        string `json:"createdBy"`
	Status           string `json:"status"`
	CreatedAt        string `json:"createdAt"`
	AccessedAt       string `json:"accessedAt"`
	ExpiresAt        string `json:"expiresAt"`
}

// patchedBody also has the expiry under the name that S1's sample spells
// (decision SA6).
type patchedBody struct {
	accountBody
	ExpiryAt string `json:"expiryAt"`
}

type listBody struct {
	ServiceAccounts []accountBody `json:"serviceAccounts"`
}

type statusBody struct {
	Status string `json:"status"`
}

type createdKeyBody struct {
	KID        string `json:"kid"`
	PrivateKey string `json:"privateKey"`
}

// keyBody is a key (S1 2.11), neither half of which is shown.
type keyBody struct {
	KID        string `json:"kid"`
	Status     string `json:"status"`
	CreatedAt  string `json:"createdAt"`
	AccessedAt string `json:"accessedAt"`
	keyTerm
}

// keyTerm is ours: what the key is for and when it ends, where somebody said so.
type keyTerm struct {
	Label  string     `json:"label,omitempty"`
	EndsAt *time.Time `json:"endsAt,omitempty"`
}

func (k keyTerm) term() term.Term {
	wanted := term.Term{Label: k.Label}
	if k.EndsAt != nil {
		wanted.EndsAt = *k.EndsAt
	}
	return wanted
}

type keysBody struct {
	Keys []keyBody `json:"keys"`
}

func newAccountBody(a storage.ServiceAccount) accountBody {
	return accountBody{
		ServiceAccountID: a.ID, Email: a.Email, CreatedBy: a.CreatedBy, Status: string(a.Status),
		CreatedAt: TimeText(a.CreatedAt), AccessedAt: TimeText(a.AccessedAt), ExpiresAt: TimeText(a.ExpiresAt),
	}
}

func newPatchedBody(a storage.ServiceAccount) patchedBody {
	return patchedBody{accountBody: newAccountBody(a), ExpiryAt: TimeText(a.ExpiresAt)}
}

func newListBody(accounts []storage.ServiceAccount) listBody {
	body := listBody{ServiceAccounts: []accountBody{}} // never null
	for _, a := range accounts {
		body.ServiceAccounts = append(body.ServiceAccounts, newAccountBody(a))
	}
	return body
}

func newKeysBody(keys []storage.ServiceAccountKey) keysBody {
	body := keysBody{Keys: []keyBody{}}
	for _, k := range keys {
		body.Keys = append(body.Keys, keyBody{
			KID: k.KID, Status: string(k.Status), CreatedAt: TimeText(k.CreatedAt), AccessedAt: TimeText(k.AccessedAt),
			keyTerm: keyTerm{k.Label, adminapi.Moment(k.EndsAt)},
		})
	}
	return body
}

// TimeText writes a time as S1 2.10 does, always with nine digits; the empty
// string for never (decision SA5).
func TimeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05.000000000 +0000 UTC")
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	httpio.WriteJSON(w, status, jsonType, body)
}

// noStore keeps private keys and states of keys out of every cache.
func noStore(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }
