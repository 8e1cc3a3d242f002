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
