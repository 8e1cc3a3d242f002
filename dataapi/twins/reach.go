package twins

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Variables of the routes.
const (
	twinVariable     = "twinID"
	modelVariable    = "modelID"
	documentVariable = "documentID"
	mutationVariable = "mutation"
)

// Reasons of refusals.
const (
	reasonInvalid   = "bad_input"
	reasonMalformed = "malformed_id"
	reasonNoRight   = "no_permission"
	reasonUser      = "user_not_allowed"
)

// asked is a facility that a request is about, and on whose behalf.
type asked struct {
	who   storage.Caller
	asker bearer.Asker // who, with the token
	reads bool         // the token lets them read
	place storage.TwinPlace
}

func (a asked) id() string { return a.place.Facility.ID }

// accessName is the word for what callers may do (decision W4).
func accessName(access storage.TwinAccess) string {
	return [...]string{"None", "Read", "ReadWrite", "Manage", "Owner"}[access]
}

// reach returns the facility in the path to those who may do with it what they
// want to.
func (h *Handler) reach(r *http.Request, least storage.TwinAccess) (asked, error) {
	name, err := httpio.PathID(r, twinVariable)
	if err != nil {
		return asked{}, err
	}
	return h.enter(r, name, least)
}

// enter is reach for a facility by its URN.
func (h *Handler) enter(r *http.Request, name string, least storage.TwinAccess) (asked, error) {
	uid, ok := h.urn.TwinUID(name)
	if !ok {
		return asked{}, malformed(twinVariable, h.urn.Twin("<id>"))
	}
	a, err := h.asking(r)
	if err != nil {
		return a, err
	}
	a.place, err = h.store.FindFacility(r.Context(), a.who, uid)
	return a, judge(a.place, err, least)
}

// enterModel is enter for the facility that has a model, to change it.
func (h *Handler) enterModel(r *http.Request, name string) (a asked, modelID string, err error) {
	uid, ok := h.urn.ModelUID(name)
	if !ok {
		return a, "", malformed(modelVariable, h.urn.Model("<id>"))
	}
	if a, err = h.asking(r); err != nil {
		return a, "", err
	}
	a.place, err = h.store.FindModel(r.Context(), a.who, uid)
	return a, uid, judge(a.place, err, storage.TwinReadWrite)
}

func (h *Handler) asking(r *http.Request) (asked, error) {
	token, _ := bearer.From(r.Context())
	who, err := access.Caller(r)
	return asked{who: who, asker: bearer.NewAsker(token, who, scope.DataRead), reads: token.Has(scope.DataRead)}, err
}

// judge decides whether a facility is open to a caller. Where they have no part,
// or their app has none, it does not exist for them.
func judge(p storage.TwinPlace, err error, least storage.TwinAccess) error {
	s := p.Standing
	switch {
	case fault.Is(err, fault.NotFound):
		return fault.Absent("twin")
	case err != nil:
		return err
	case !p.Hub.Active, s.AppLevel == storage.LevelNone, s.Caller.UserID != "" && !s.Caller.OnBehalf && !s.HubMember:
		return fault.Absent("twin")
	case !s.Admitted() && s.Caller.OnBehalf:
		return fault.New(fault.Forbidden, reasonUser, "The app may not act for this user here.").At("X-User-Id")
	}
	switch access := p.Access(); {
	case access == storage.TwinNone:
		return fault.Absent("twin")
	case access < least:
		return fault.Newf(fault.Forbidden, reasonNoRight, "This takes the access %s; you have %s.",
			accessName(least), accessName(access))
	}
	return nil
}

func malformed(source, form string) error {
	return fault.New(fault.Invalid, reasonMalformed, "The id must look like "+form+".").At(source)
}

// inBody says that the id that is malformed stands in the body, not in the path.
func inBody(err error) error {
	if !fault.HasReason(err, reasonMalformed) {
		return err
	}
	names := map[string]string{twinVariable: "/twinId", modelVariable: "/modelId"}
	f := fault.From(err)
	if names[f.Source] == "" {
		return err
	}
	return f.At(names[f.Source])
}

func invalid(source, detail string) error {
	return fault.New(fault.Invalid, reasonInvalid, detail).At(source)
}

// change says who makes the request and by whose rights.
func (h *Handler) change(r *http.Request, who storage.Caller) storage.Change {
	return bearer.Change(r, h.ambient.Now(), who)
}

// pageOf reads the parameters of a list.
func pageOf(q url.Values) (storage.PageRequest, error) {
	page := storage.PageRequest{After: q.Get("after"), Limit: storage.MaxPage}
	if !q.Has("limit") {
		return page, nil
	}
	n, err := strconv.Atoi(q.Get("limit"))
	if err != nil || n < 1 || n > storage.MaxPage {
		return page, invalid("limit", "limit is a number from 1 to 200.")
	}
	page.Limit = n
	return page, nil
}

// onPage says that it is the cursor when the store does not know it.
func onPage(err error) error {
	if fault.Is(err, fault.Invalid) {
		return invalid("after", "after is not what a page of this list ended with.")
	}
	return err
}

// write sends an answer that clients ask for anew each time.
func write(w http.ResponseWriter, v any) error {
	w.Header().Set("Cache-Control", "no-store")
	httpio.WriteJSON(w, http.StatusOK, "application/json", v)
	return nil
}
