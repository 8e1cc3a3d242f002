package webhooks

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

// Names of events, as existing receivers know them.
const (
	eventVersionAdded    = "dm.version.added"
	eventVersionModified = "dm.version.modified"
	eventVersionDeleted  = "dm.version.deleted"
	eventVersionMoved    = "dm.version.moved"
	eventVersionMovedOut = "dm.version.moved.out"
	eventReserved        = "dm.lineage.reserved"
	eventUnreserved      = "dm.lineage.unreserved"
	eventLineageUpdated  = "dm.lineage.updated"
	eventFolderAdded     = "dm.folder.added"
	eventFolderModified  = "dm.folder.modified"
	eventFolderDeleted   = "dm.folder.deleted"
	eventFolderPurged    = "dm.folder.purged"
	eventFolderMoved     = "dm.folder.moved"
	eventFolderMovedOut  = "dm.folder.moved.out"
)

// Events are the names that a webhook may ask for.
func Events() []string {
	return []string{
		eventVersionAdded, eventVersionModified, eventVersionDeleted, eventVersionMoved, eventVersionMovedOut,
		eventReserved, eventUnreserved, eventLineageUpdated,
		eventFolderAdded, eventFolderModified, eventFolderDeleted, eventFolderPurged, eventFolderMoved, eventFolderMovedOut,
	}
}

// nameOf returns what a change is called, empty when nobody is told of it. What
// is restored is there again like something new.
func nameOf(kind string) string {
	return map[string]string{
		storage.EventItemCreated: eventVersionAdded, storage.EventVersionAdded: eventVersionAdded,
		storage.EventItemRestored: eventVersionAdded,
		storage.EventVersionNamed: eventVersionModified, storage.EventVersionState: eventVersionModified,
		storage.EventItemHidden:   eventVersionDeleted,
		storage.EventItemMoved:    eventVersionMoved,
		storage.EventItemReserved: eventReserved, storage.EventItemReleased: eventUnreserved,
		storage.EventItemRenamed: eventLineageUpdated, storage.EventItemUpdated: eventLineageUpdated,
		storage.EventFolderCreated: eventFolderAdded, storage.EventFolderRestored: eventFolderAdded,
		storage.EventFolderRenamed: eventFolderModified, storage.EventFolderUpdated: eventFolderModified,
		storage.EventFolderHidden: eventFolderDeleted, storage.EventFolderPurged: eventFolderPurged,
		storage.EventFolderMoved: eventFolderMoved,
	}[kind]
}

// outOf returns the name for those who watch what something was moved out of.
func outOf(name string) string {
	if name == eventFolderMoved || name == eventVersionMoved {
		return name + ".out"
	}
	return ""
}

// notice is what is sent.
type notice struct {
	Version     string        `json:"version"`
	ResourceURN string        `json:"resourceUrn"`
	Hook        noticeHook    `json:"hook"`
	Payload     noticePayload `json:"payload"`
}

type noticeHook struct {
	HookID      string            `json:"hookId"`
	Event       string            `json:"event"`
	System      string            `json:"system"`
	CallbackURL string            `json:"callbackUrl"`
	Scope       map[string]string `json:"scope"`
}

// noticePayload says what has happened, as the feed does.
type noticePayload struct {
	ID              string    `json:"id"` // of the change: the same in every delivery of it
	Kind            string    `json:"kind"`
	Time            time.Time `json:"time"`
	Hub             string    `json:"hub"`
	Project         string    `json:"project"`
	LineageURN      string    `json:"lineageUrn,omitempty"`
	Number          int       `json:"version,omitempty"` // of the version
	Name            string    `json:"name,omitempty"`
	ParentFolderURN string    `json:"parentFolderUrn,omitempty"`
	SourceFolderURN string    `json:"sourceFolderUrn,omitempty"` // that it was moved out of
	ModifiedBy      string    `json:"modifiedBy,omitempty"`      // id of a user
}

// eventData is what of a change's data a notice says.
type eventData struct {
	Name    string `json:"name"`
	Number  int    `json:"number"`
	Deletes bool   `json:"deletes"`
	From    string `json:"from"`
	To      string `json:"to"`
}

func dataOf(e storage.Event) eventData {
	var data eventData
	_ = json.Unmarshal([]byte(e.Data), &data) // what doesn't fit is another kind's
	return data
}

// write returns the body that tells the webhook of the change under the name.
func write(space urn.Space, hook storage.Webhook, e storage.Event, name string) (string, error) {
	data := dataOf(e)
	n := notice{
		Version: "1.0",
		Hook:    noticeHook{HookID: hook.ID, Event: name, System: "data", CallbackURL: hook.URL, Scope: scopeOf(space, hook)},
		Payload: noticePayload{
			ID: strconv.FormatInt(e.Position, 10), Kind: e.Kind, Time: e.Act.At, Hub: e.HubID, Project: e.ProjectID,
			Name: data.Name, ModifiedBy: e.Caller.UserID,
		},
	}
	if strings.HasSuffix(e.Kind, ".renamed") {
		n.Payload.Name = data.To
	}
	if e.FolderID != "" {
		n.Payload.ParentFolderURN = space.Folder(e.FolderID)
	}
	if outOf(nameOf(e.Kind)) != "" {
		n.Payload.SourceFolderURN = space.Folder(data.From)
	}
	n.ResourceURN = space.Folder(e.Subject)
	if !strings.HasPrefix(e.Kind, "folder.") {
		n.ResourceURN, n.Payload.LineageURN = space.Item(e.Subject), space.Item(e.Subject)
		if e.Kind == storage.EventItemCreated {
			data.Number = 1
		}
		if data.Number > 0 {
			n.ResourceURN, n.Payload.Number = space.Version(e.Subject, data.Number), data.Number
		}
	}
	body, err := json.Marshal(n)
	return string(body), err
}

func scopeOf(space urn.Space, hook storage.Webhook) map[string]string {
	if hook.FolderID != "" {
		return map[string]string{"folder": space.Folder(hook.FolderID)}
	}
	return map[string]string{"project": hook.ProjectID}
}
