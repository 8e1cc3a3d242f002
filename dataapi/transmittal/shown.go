package transmittal

import (
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/storage"
)

// listJSON is a transmittal in a list.
type listJSON struct {
	Number   int       `json:"number"`
	Title    string    `json:"title"`
	Message  string    `json:"message"`
	SentAt   time.Time `json:"sent_at"`
	SentBy   string    `json:"sent_by"`
	Versions int       `json:"versions"`
	To       int       `json:"to"`
	Size     int64     `json:"size"`
}

func inList(t storage.Transmittal) listJSON {
	return listJSON{t.Number, t.Title, t.Message, t.SentAt, t.SentBy, t.Versions, t.To, t.Size}
}

// wholeJSON is a transmittal with what is in it, and for whom it is.
type wholeJSON struct {
	Number   int           `json:"number"`
	Title    string        `json:"title"`
	Message  string        `json:"message"`
	SentAt   time.Time     `json:"sent_at"`
	SentBy   string        `json:"sent_by"`
	Size     int64         `json:"size"`
	Versions []versionJSON `json:"versions"`
	To       []personJSON  `json:"to"`
}

type versionJSON struct {
	Version     string `json:"version"`
	Name        string `json:"name"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	State       string `json:"state"`
	Suitability string `json:"suitability"`
	Revision    string `json:"revision"`
	Now         Fate   `json:"now"`
	Takes       bool   `json:"can_download"`
}

type personJSON struct {
	UserID  string     `json:"user_id"`
	Group   string     `json:"group"`
	Fetched int        `json:"fetched"`
	LastAt  *time.Time `json:"last_at"`
}

type fetchJSON struct {
	UserID  string    `json:"user_id"`
	Version string    `json:"version"`
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
}

func (a *API) whole(s Seen) wholeJSON {
	said := wholeJSON{Number: s.Number, Title: s.Title, Message: s.Message, SentAt: s.SentAt, SentBy: s.SentBy,
		Size: s.Size, Versions: make([]versionJSON, len(s.Lines)), To: make([]personJSON, len(s.To))}
	for i, v := range s.Lines {
		said.Versions[i] = versionJSON{a.urn.Version(v.ItemID, v.VersionRef.Number), v.Name, v.Size, v.SHA256, v.State,
			v.Suitability, v.Revision, v.Now, v.Takes}
	}
	for i, p := range s.To {
		said.To[i] = personJSON{p.UserID, p.Group, p.Fetched, adminapi.Moment(p.LastAt)}
	}
	return said
}
