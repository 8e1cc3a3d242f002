package usage

import (
	"time"

	"github.com/portico-id/portico/storage"
)

// JSON is a series in the API.
type JSON struct {
	Period string      `json:"period"`
	Span   string      `json:"span"` // of an item: hour or day
	Items  []PointJSON `json:"items"`
}

// PointJSON is what was used in a span.
type PointJSON struct {
	Began   time.Time `json:"began"`
	SignIns int64     `json:"sign_ins"`
	People  int64     `json:"people"`
	Tokens  int64     `json:"tokens"`
	Refused int64     `json:"refused"`
	Failed  int64     `json:"failed"`
}

// NewJSON returns a series as the API has it.
func NewJSON(s Series) JSON {
	j := JSON{Period: string(s.Period), Span: string(s.Span), Items: make([]PointJSON, len(s.Points))}
	for i, p := range s.Points {
		j.Items[i] = newPointJSON(p)
	}
	return j
}

func newPointJSON(u storage.Usage) PointJSON {
	return PointJSON{Began: u.Began, SignIns: u.SignIns, People: u.People, Tokens: u.Tokens, Refused: u.Refused,
		Failed: u.Failed}
}
