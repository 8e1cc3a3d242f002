package demo

import (
	"context"

	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Sent sends versions of files: *transmittal.Rules.
type Sent interface {
	Send(ctx context.Context, change storage.Change, projectID string,
		draft transmittal.Draft) (storage.Transmittal, error)
}

// Documents brings files into twins: *twins.Handler.
type Documents interface {
	For(ctx context.Context, who storage.Caller, uid string, least storage.TwinAccess) (storage.TwinPlace, error)
	Bring(ctx context.Context, change storage.Change, place storage.TwinPlace, projectID, itemID, label,
		policy string) (d storage.TwinDocument, there bool, err error)
}

// sendPapers has the editor send what lies in their folder, once.
func (o Options) sendPapers(ctx context.Context, change storage.Change) error {
	if _, _, _, err := o.Store.FindTransmittal(ctx, TowerID, 1); !fault.Is(err, fault.NotFound) {
		return err
	}
	found, err := o.Store.ListContents(ctx, TowerID, ID(SharedFolder), storage.ContentsQuery{NoFolders: true},
		storage.DataPage{})
	if err != nil {
		return err
	}
	draft := transmittal.Draft{Title: "Handover of the ground floor", To: []string{ProjAdmin, HubAdmin},
		Message: "Plan and list as agreed.\nPlease tell me if anything is missing."}
	for _, i := range found.Items {
		if i.Item.Name == plan || i.Item.Name == "Handover list.txt" {
			draft.Versions = append(draft.Versions, storage.VersionRef{ItemID: i.Item.ID, Number: i.Item.Tip})
		}
	}
	change.Caller.UserID = Editor
	_, err = o.Sent.Send(ctx, change, TowerID, draft)
	return err
}

const plan = "Ground floor.pdf"

// showPapers has a twin have the plan.
func (o Options) showPapers(ctx context.Context, change storage.Change) error {
	there, _, err := o.Store.ListFacilities(ctx, HubID, storage.PageRequest{Limit: 1})
	if err != nil {
		return err
	}
	change.Caller.UserID = HubAdmin
	if len(there) == 0 {
		twin, err := o.Twins.Create(ctx, change, facilities.NewTwin{HubID: HubID, Name: towerName})
		if err != nil {
			return err
		}
		there = []storage.Facility{twin}
	}
	found, err := o.Store.ListContents(ctx, TowerID, ID(SharedFolder),
		storage.ContentsQuery{NoFolders: true, Named: plan}, storage.DataPage{Limit: 1})
	if err != nil || len(found.Items) == 0 {
		return err
	}
	place, err := o.Papers.For(ctx, change.Caller, there[0].ID, storage.TwinReadWrite)
	if err == nil { // the same version again is the same document
		_, _, err = o.Papers.Bring(ctx, change, place, TowerID, found.Items[0].Item.ID, "Plan", "auto")
	}
	return err
}
