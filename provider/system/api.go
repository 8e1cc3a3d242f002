package system

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/usage"
)

// Operations are what programs ask for, through the door.
func (d *Desk) Operations(door *adminapi.Door) []httpio.Route {
	return []httpio.Route{
		httpio.At("/keys").Get(door.Read(d.listKeys)),
		httpio.At("/keys/rotate").Post(door.Write(d.rotateKeys)),
		httpio.At("/backlog").Get(door.Read(d.showBacklog)),
		httpio.At("/usage").Get(door.Read(d.showUsage)),
		httpio.At("/limits").Get(door.Read(d.listLimits)),
	}
}

// keyJSON is a signing key in the API.
type keyJSON struct {
	KID        string    `json:"kid"`
	Algorithm  string    `json:"alg"`
	State      string    `json:"state"` // next, active or former
	Generation int       `json:"generation"`
	CreatedAt  time.Time `json:"created_at"`
	ActiveFrom time.Time `json:"active_from"`
}

func newKeyJSON(k Key) keyJSON {
	return keyJSON{KID: k.ID, Algorithm: k.Algorithm, State: k.State, Generation: k.Generation, CreatedAt: k.CreatedAt,
		ActiveFrom: k.ActiveFrom}
}

// listKeys serves GET /admin/v1/keys.
func (d *Desk) listKeys(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	keys, err := d.with.Parts.Keys(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(keys, "", newKeyJSON))
}

// rotateKeys serves POST /admin/v1/keys/rotate: the next key of the algorithm alg,
// RS256 unless it is given, signs. With at_once=true it does even if it was
// published a moment ago.
func (d *Desk) rotateKeys(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	atOnce, err := adminapi.Flags(query, fieldAtOnce)
	if err != nil {
		return err
	}
	if err := d.with.Parts.Rotate(r.Context(), c.Act, query.Get(fieldAlgorithm), atOnce[0]); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// usageJSON is how much of a rate limit is used up.
type usageJSON struct {
	Class string `json:"class"`
	Key   string `json:"key"`
	Used  int    `json:"used"`
	Limit int    `json:"limit"`
}

// listLimits serves GET /admin/v1/limits.
func (d *Desk) listLimits(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	items := []usageJSON{}
	for _, u := range d.with.Parts.Limits.Usage(r.Context(), mostUsed) {
		items = append(items, usageJSON{Class: string(u.Class), Key: u.Key, Used: u.Used, Limit: u.Limit})
	}
	return adminapi.OK(w, adminapi.List[usageJSON]{Items: items})
}

// showBacklog serves GET /admin/v1/backlog.
func (d *Desk) showBacklog(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	b, err := d.with.Parts.Backlog(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, NewBacklogJSON(b))
}

// showUsage serves GET /admin/v1/usage.
func (d *Desk) showUsage(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	s, err := d.with.Parts.Usage.Asked(r, "")
	if err != nil {
		return err
	}
	return adminapi.OK(w, usage.NewJSON(s))
}
