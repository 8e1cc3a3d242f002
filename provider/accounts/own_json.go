package accounts

import (
	"time"

	"github.com/portico-id/portico/storage"
)

// eventJSON is something that happened to the caller's account.
type eventJSON struct {
	ID       int64     `json:"id"`
	At       time.Time `json:"at"`
	Kind     string    `json:"kind"`
	By       string    `json:"by"`
	Address  string    `json:"address,omitempty"`
	ClientID string    `json:"client_id,omitempty"`
	App      string    `json:"app,omitempty"`
}

func newEventJSON(e Event) eventJSON {
	return eventJSON{ID: e.ID, At: e.At, Kind: e.Kind, By: e.By, Address: e.Address, ClientID: e.AppID, App: e.AppName}
}

// identityJSON is an account elsewhere by which the person signs in.
type identityJSON struct {
	Upstream string     `json:"upstream"`
	Issuer   string     `json:"issuer"`
	Subject  string     `json:"subject"`
	Email    string     `json:"email,omitempty"`
	LinkedAt time.Time  `json:"linked_at"`
	LastAt   *time.Time `json:"last_at,omitempty"`
	EndedAt  *time.Time `json:"ended_at,omitempty"`
}

func newIdentityJSON(i storage.UpstreamIdentity) identityJSON {
	return identityJSON{Upstream: i.UpstreamID, Issuer: i.Issuer, Subject: i.Subject, Email: i.Email, LinkedAt: i.LinkedAt,
		LastAt: orNull(i.LastAt), EndedAt: orNull(i.EndedAt)}
}

// factorJSON is what the person proves themselves with beside a password.
type factorJSON struct {
	Kind       string     `json:"kind"` // authenticator or passkey
	Name       string     `json:"name,omitempty"`
	AddedAt    time.Time  `json:"added_at"`
	LastUsedAt *time.Time `json:"last_used_at,omitempty"`
}

// ownAppJSON is an app that the person registered, or manages.
type ownAppJSON struct {
	ClientID  string    `json:"client_id"`
	Name      string    `json:"name"`
	OwnerID   string    `json:"owner_id"`
	CreatedAt time.Time `json:"created_at"`
}

func newOwnAppJSON(c storage.Client) ownAppJSON {
	return ownAppJSON{ClientID: c.ID, Name: c.Name, OwnerID: c.OwnerUserID, CreatedAt: c.CreatedAt}
}

// membershipJSON is something that the person belongs to.
type membershipJSON struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"`
}

func newMembershipJSON(m storage.Membership) membershipJSON { return membershipJSON(m) }

// addedVersionJSON is a version of a document that the person added.
type addedVersionJSON struct {
	ProjectID string    `json:"project_id"`
	ItemID    string    `json:"item_id"`
	Number    int       `json:"version"`
	Name      string    `json:"name"`
	Size      int64     `json:"size"`
	CreatedAt time.Time `json:"created_at"`
}

func newAddedVersionJSON(v storage.AddedVersion) addedVersionJSON { return addedVersionJSON(v) }

type ownTransmittalJSON struct {
	ProjectID string    `json:"project_id"`
	Number    int       `json:"number"`
	Title     string    `json:"title"`
	Message   string    `json:"message,omitempty"`
	SentAt    time.Time `json:"sent_at"`
	Sent      bool      `json:"sent"`
	Fetched   int       `json:"fetched"`
	LastAt    time.Time `json:"last_at,omitzero"`
}

func newOwnTransmittalJSON(t storage.OwnTransmittal) ownTransmittalJSON { return ownTransmittalJSON(t) }
