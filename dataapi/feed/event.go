package feed

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
)

// Types of actors.
const (
	actorUser   = "user"
	actorApp    = "app"
	actorSystem = "system" // whoever runs the server, or the server itself
)

// feed shows events.
func (h *Handler) feed(ctx context.Context, found foundChanges) (jsonapi.Document, error) {
	users := make([]string, len(found.events))
	for i, e := range found.events {
		users[i] = e.Caller.UserID
	}
	shown, err := h.tell.Show(ctx, nil, users...)
	if err != nil {
		return jsonapi.Document{}, err
	}
	resources := make([]jsonapi.Resource, len(found.events))
	for i, e := range found.events {
		resources[i] = showEvent(shown, e, found.folders)
	}
	return jsonapi.Document{Data: resources}, nil
}

// event shows what happened to what, by whom and when.
func showEvent(s shape.Shower, e storage.Event, folders map[string]bool) jsonapi.Resource {
	subject := subjectIn(s.Shape, e, folders[e.Subject])
	return jsonapi.Resource{
		Type: typeEvents, ID: strconv.FormatInt(e.Position, 10),
		Attributes: jsonapi.Written(func(w *jsonapi.Writer) {
			w.Text("kind", e.Kind)
			w.Object("subject", func(w *jsonapi.Writer) {
				w.Text("type", subject.Type)
				w.Text("id", subject.ID)
			})
			w.Object("actor", func(w *jsonapi.Writer) { writeActor(w, e, s) })
			w.Time("time", e.Act.At)
		}),
	}
}

// writeActor names the user by whose rights it was done, else the app.
func writeActor(w *jsonapi.Writer, e storage.Event, s shape.Shower) {
	switch {
	case e.Caller.UserID != "":
		w.Text("type", actorUser)
		w.Text("id", e.Caller.UserID)
		w.Optional("name", s.Names[e.Caller.UserID])
	case e.Caller.ClientID != "":
		w.Text("type", actorApp) // which one is not for everybody
	default:
		w.Text("type", actorSystem)
	}
}

// subject names what an event is about, which is a folder where it could be an
// item as well.
func subjectIn(s shape.Shape, e storage.Event, isFolder bool) jsonapi.Identifier {
	family, _, _ := strings.Cut(e.Kind, ".")
	data := dataOf(e)
	end := storage.End{ItemID: e.Subject}
	switch family {
	case "project":
		return jsonapi.Identifier{Type: shape.TypeProjects, ID: e.ProjectID}
	case "transmittal":
		return jsonapi.Identifier{Type: typeTransmittals, ID: e.Subject}
	case "folder":
		end = storage.End{FolderID: e.Subject}
	case "version":
		end.Version = data.Number
	case "link":
		end.Version = data.Version
	case "ref":
		_, _ = fmt.Sscanf(data.From, "version "+e.Subject+" %d", &end.Version) // else it is none of a version
	}
	if isFolder {
		end = storage.End{FolderID: e.Subject}
	}
	return s.Identifier(end)
}
