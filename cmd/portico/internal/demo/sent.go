package demo

import (
	"context"

	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/dataapi/transmittal"
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
		policy string) (storage.TwinDocument, error)
}

// showPapers has the editor send what lies in their folder, and a twin have its plan.
func (o Options) showPapers(ctx context.Context, change storage.Change) error {
	found, err := o.Store.ListContents(ctx, TowerID, ID(SharedFolder), storage.ContentsQuery{NoFolders: true},
		storage.DataPage{})
	if err != nil {
		return err
	}
	draft := transmittal.Draft{Title: "Handover of the ground floor", To: []string{ProjAdmin, HubAdmin},
		Message: "Plan and list as agreed.\nPlease tell me if anything is missing."}
	plan := ""
	for _, i := range found.Items {
		switch i.Item.Name {
		case "Ground floor.pdf":
			plan = i.Item.ID
		case "Handover list.txt":
		default:
			continue
		}
		draft.Versions = append(draft.Versions, storage.VersionRef{ItemID: i.Item.ID, Number: i.Item.Tip})
	}
	change.Caller.UserID = Editor
	if _, err := o.Sent.Send(ctx, change, TowerID, draft); err != nil {
		return err
	}
	change.Caller.UserID = HubAdmin
	twin, err := o.Twins.Create(ctx, change, facilities.NewTwin{HubID: HubID, Name: towerName})
	if err != nil {
		return err
	}
	place, err := o.Papers.For(ctx, change.Caller, twin.ID, storage.TwinReadWrite)
	if err == nil {
		_, err = o.Papers.Bring(ctx, change, place, TowerID, plan, "Plan", "auto")
	}
	return err
}
