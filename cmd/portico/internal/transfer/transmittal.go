package transfer

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// SendScope is what sending takes.
const SendScope = "data:read data:create"

// Transmittal is something that was sent.
type Transmittal struct {
	Number  int       `json:"number"`
	Title   string    `json:"title"`
	Message string    `json:"message"`
	SentAt  time.Time `json:"sent_at"`
	SentBy  string    `json:"sent_by"`
	Size    int64     `json:"size"`
}

// Listed is a Transmittal with how much there is in it, and for how many.
type Listed struct {
	Transmittal
	Versions int `json:"versions"`
	To       int `json:"to"`
}

// Sent is a Transmittal with what is in it, and for whom.
type Sent struct {
	Transmittal
	Versions []struct {
		Version     string `json:"version"`
		Name        string `json:"name"`
		Size        int64  `json:"size"`
		SHA256      string `json:"sha256"`
		State       string `json:"state"`
		Suitability string `json:"suitability"`
		Revision    string `json:"revision"`
		Now         string `json:"now"`
		CanDownload bool   `json:"can_download"`
	} `json:"versions"`
	To []struct {
		UserID  string     `json:"user_id"`
		Group   string     `json:"group"`
		Fetched int        `json:"fetched"`
		LastAt  *time.Time `json:"last_at"`
	} `json:"to"`
}

// NewTransmittal is what is to be sent.
type NewTransmittal struct {
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Versions []string `json:"versions"`
	To       []string `json:"to"`
}

func sentPath(project string, number int) string {
	path := "/files/v1/projects/" + url.PathEscape(project) + "/transmittals"
	if number == 0 {
		return path
	}
	return path + "/" + strconv.Itoa(number)
}

// Send sends versions to people of a project. It asks once: what went and had no answer
// would come to them twice.
func (c *Client) Send(ctx context.Context, project string, what NewTransmittal) (sent Listed, err error) {
	text, err := json.Marshal(what)
	if err != nil {
		return sent, err
	}
	err = c.try(ctx, http.MethodPost, sentPath(project, 0), text, &sent, []string{"Content-Type", "application/json"})
	return sent, err
}

// ListSent returns what the caller sees of what was sent, the newest first.
func (c *Client) ListSent(ctx context.Context, project string) (all []Listed, err error) {
	for after, begun := "", false; !begun || after != ""; begun = true {
		var page struct {
			Items []Listed
			Next  string
		}
		path := sentPath(project, 0) + "?" + url.Values{"after": {after}}.Encode()
		if err := c.call(ctx, http.MethodGet, path, nil, &page); err != nil {
			return nil, err
		}
		all, after = append(all, page.Items...), page.Next
	}
	return all, nil
}

// FindSent returns one of it.
func (c *Client) FindSent(ctx context.Context, project string, number int) (sent Sent, err error) {
	err = c.call(ctx, http.MethodGet, sentPath(project, number), nil, &sent)
	return sent, err
}
