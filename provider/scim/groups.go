package scim

import (
	"fmt"
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

// maxGroupName leaves room for the prefix.
const maxGroupName = 200

// createGroup serves POST /Groups.
func (s *Server) createGroup(w http.ResponseWriter, r *http.Request, c *call) error {
	_, doc, err := readGroup(w, r)
	if err != nil {
		return err
	}
	members, err := idsOf(doc["members"])
	if err != nil {
		return err
	}
	group := storage.SCIMGroup{DisplayName: textOf(doc, "displayName"), SCIMResource: storage.SCIMResource{
		ID: s.with.Ambient.UID(), ConnectionID: c.connection.ID, ExternalID: textOf(doc, "externalId"),
		CreatedAt: c.act.At, UpdatedAt: c.act.At}}
	made, err := s.with.Store.CreateSCIMGroup(r.Context(), c.act, group, members)
	if err != nil {
		return err
	}
	c.detail = fmt.Sprintf("created group %s, %d members", made.DisplayName, len(members))
	return s.answerGroup(w, r, c, http.StatusCreated, made)
}

func readGroup(w http.ResponseWriter, r *http.Request) (body, doc object, err error) {
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return nil, nil, err
	}
	if doc, err = groupKind.normal(body); err != nil {
		return nil, nil, err
	}
	return body, doc, checkGroup(textOf(doc, "displayName"), textOf(doc, "externalId"))
}

func checkGroup(name, externalID string) error {
	if textkey.Blank(name) || len([]rune(name)) > maxGroupName || len(externalID) > maxName {
		return invalid(invalidValue, "displayName is a text of 1 to %d characters, externalId of at most %d.",
			maxGroupName, maxName)
	}
	return nil
}

// replaceGroup serves PUT /Groups/ID. Who does not say members leaves them as they are.
func (s *Server) replaceGroup(w http.ResponseWriter, r *http.Request, c *call) error {
	body, doc, err := readGroup(w, r)
	if err != nil {
		return err
	}
	step := storage.SCIMGroupChange{DisplayName: new(textOf(doc, "displayName")),
		ExternalID: new(textOf(doc, "externalId"))}
	_, step.Clear = lookUp(body, "members")
	if step.Add, err = idsOf(doc["members"]); err != nil {
		return err
	}
	group, err := s.updateGroup(r, c, []storage.SCIMGroupChange{step})
	if err != nil {
		return err
	}
	return s.answerGroup(w, r, c, http.StatusOK, group)
}

// patchGroup serves PATCH /Groups/ID. A group of ten thousand is no answer.
func (s *Server) patchGroup(w http.ResponseWriter, r *http.Request, c *call) error {
	operations, err := readPatch(w, r)
	if err != nil {
		return err
	}
	var steps []storage.SCIMGroupChange
	for _, o := range operations {
		if steps, err = groupSteps(steps, o); err != nil {
			return err
		}
	}
	group, err := s.updateGroup(r, c, steps)
	if err != nil {
		return err
	}
	if r.URL.Query().Has("attributes") {
		return s.answerGroup(w, r, c, http.StatusOK, group)
	}
	w.Header().Set("ETag", version(group.Version))
	return gone(w, c, nil)
}

func (s *Server) updateGroup(r *http.Request, c *call, steps []storage.SCIMGroupChange) (storage.SCIMGroup, error) {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return storage.SCIMGroup{}, err
	}
	group, err := s.with.Store.UpdateSCIMGroup(r.Context(), c.act, c.connection.ID, id,
		func(g storage.SCIMGroup) error { return meets(r, g.Version) }, steps)
	added, removed := 0, 0
	for _, step := range steps {
		added, removed = added+len(step.Add), removed+len(step.Remove)
	}
	c.detail = fmt.Sprintf("changed group %s, members +%d −%d", group.DisplayName, added, removed)
	return group, err
}

// deleteGroup serves DELETE /Groups/ID.
func (s *Server) deleteGroup(w http.ResponseWriter, r *http.Request, c *call) error {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return err
	}
	err = s.with.Store.DeleteSCIMGroup(r.Context(), c.act, c.connection.ID, id, func(g storage.SCIMGroup) error {
		c.detail = "deleted group " + g.DisplayName
		return meets(r, g.Version)
	})
	return gone(w, c, err)
}

// showGroup serves GET /Groups/ID.
func (s *Server) showGroup(w http.ResponseWriter, r *http.Request, c *call) error {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return err
	}
	group, err := s.with.Store.FindSCIMGroup(r.Context(), c.connection.ID, id)
	if err != nil {
		return err
	}
	if httpio.Known(r, version(group.Version)) {
		w.Header().Set("ETag", version(group.Version))
		c.status = http.StatusNotModified
		w.WriteHeader(c.status)
		return nil
	}
	return s.answerGroup(w, r, c, http.StatusOK, group)
}

func (s *Server) answerGroup(w http.ResponseWriter, r *http.Request, c *call, status int, g storage.SCIMGroup) error {
	q, err := ask(r)
	if err != nil {
		return err
	}
	told, err := s.tellGroups(r.Context(), c, q, []storage.SCIMGroup{g})
	if err != nil {
		return err
	}
	return answerResource(w, c, status, groupKind, g.SCIMResource, told[0])
}

// listGroups serves GET /Groups.
func (s *Server) listGroups(w http.ResponseWriter, r *http.Request, c *call) error {
	q, err := ask(r)
	if err != nil {
		return err
	}
	return s.findGroups(w, r, c, q)
}

// searchGroups serves POST /Groups/.search.
func (s *Server) searchGroups(w http.ResponseWriter, r *http.Request, c *call) error {
	q, err := search(w, r)
	if err != nil {
		return err
	}
	return s.findGroups(w, r, c, q)
}

func (s *Server) findGroups(w http.ResponseWriter, r *http.Request, c *call, q question) error {
	filter, err := groupKind.compile(q.filter)
	if err != nil {
		return err
	}
	groups, total, err := s.with.Store.ListSCIMGroups(r.Context(), c.connection.ID, filter, q.page())
	if err != nil {
		return err
	}
	all, err := s.tellGroups(r.Context(), c, q, groups)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, list{Schemas: []string{listSchema}, Total: total, Start: q.start, Count: len(all),
		Resources: all})
}
