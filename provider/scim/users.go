package scim

import (
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// createUser serves POST /Users.
func (s *Server) createUser(w http.ResponseWriter, r *http.Request, c *call) error {
	doc, active, err := readUser(w, r)
	if err != nil {
		return err
	}
	user := storage.SCIMUser{
		SCIMResource: storage.SCIMResource{ConnectionID: c.connection.ID, CreatedAt: c.act.At, UpdatedAt: c.act.At},
		User:         storage.User{ID: s.with.Ambient.PersonID(), CreatedAt: c.act.At, UpdatedAt: c.act.At},
	}
	if user, err = s.said(user, c, doc, active); err != nil {
		return err
	}
	made, err := s.with.Store.CreateSCIMUser(r.Context(), c.act, user, vouches(c.connection, user.User.Email))
	if err != nil {
		return err
	}
	c.detail = "created " + made.UserName
	return s.answerUser(w, r, c, http.StatusCreated, made)
}

// readUser reads a whole user, and whether they are to be active: unless it says otherwise.
func readUser(w http.ResponseWriter, r *http.Request) (object, bool, error) {
	body := object{}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return nil, false, err
	}
	doc, err := userKind.normal(body)
	if err != nil {
		return nil, false, err
	}
	return doc, takeActive(doc, true), nil
}

// takeActive takes out of the document what is kept beside it.
func takeActive(doc object, otherwise bool) bool {
	active, said := doc["active"].(bool)
	delete(doc, "active")
	return active || !said && otherwise
}

// said is the user as the document says.
func (s *Server) said(user storage.SCIMUser, c *call, doc object, active bool) (storage.SCIMUser, error) {
	user.UserName, user.ExternalID, user.Active = textOf(doc, "userName"), textOf(doc, "externalId"), active
	if user.UserName == "" {
		return user, invalid(invalidValue, "userName is missing.")
	}
	if len(user.UserName) > maxName || len(user.ExternalID) > maxName {
		return user, invalid(invalidValue, "userName and externalId have at most %d bytes.", maxName)
	}
	if err := s.person(&user.User, c, doc); err != nil {
		return user, err
	}
	var err error
	user.Document, err = encode(doc)
	return user, err
}

const maxName = 320

// showUser serves GET /Users/ID.
func (s *Server) showUser(w http.ResponseWriter, r *http.Request, c *call) error {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return err
	}
	user, err := s.with.Store.FindSCIMUser(r.Context(), c.connection.ID, id)
	if err != nil {
		return err
	}
	if httpio.Known(r, version(user.Version)) {
		w.Header().Set("ETag", version(user.Version))
		c.status = http.StatusNotModified
		w.WriteHeader(c.status)
		return nil
	}
	return s.answerUser(w, r, c, http.StatusOK, user)
}

// replaceUser serves PUT /Users/ID. Who does not say active leaves it as it is.
func (s *Server) replaceUser(w http.ResponseWriter, r *http.Request, c *call) error {
	body := object{}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	return s.updateUser(w, r, c, func(user storage.SCIMUser) (object, bool, error) {
		doc, err := userKind.normal(body)
		return doc, takeActive(doc, user.Active), err
	})
}

// patchUser serves PATCH /Users/ID: all of the operations, or none.
func (s *Server) patchUser(w http.ResponseWriter, r *http.Request, c *call) error {
	steps, err := readPatch(w, r)
	if err == nil {
		err = affordable(steps)
	}
	if err != nil {
		return err
	}
	return s.updateUser(w, r, c, func(user storage.SCIMUser) (object, bool, error) {
		doc, err := decode(user.Document)
		if err != nil {
			return nil, false, err
		}
		for _, one := range steps {
			if err := userKind.apply(doc, one); err != nil {
				return nil, false, err
			}
		}
		return doc, takeActive(doc, user.Active), nil
	})
}

// updateUser changes the user whom the path names into what the document says.
func (s *Server) updateUser(w http.ResponseWriter, r *http.Request, c *call,
	change func(storage.SCIMUser) (object, bool, error)) error {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return err
	}
	before := false
	user, err := s.with.Store.UpdateSCIMUser(r.Context(), c.act, c.connection.ID, id,
		func(user storage.SCIMUser) (storage.SCIMUser, error) {
			before = user.Active
			if err := meets(r, user.Version); err != nil {
				return user, err
			}
			doc, active, err := change(user)
			if err != nil {
				return user, err
			}
			return s.said(user, c, doc, active)
		})
	if err != nil {
		return err
	}
	c.detail = toldOf(before, user)
	return s.answerUser(w, r, c, http.StatusOK, user)
}

func toldOf(before bool, after storage.SCIMUser) string {
	switch {
	case before && !after.Active:
		return "deactivated " + after.UserName
	case !before && after.Active:
		return "activated " + after.UserName
	}
	return "changed " + after.UserName
}

// deleteUser serves DELETE /Users/ID.
func (s *Server) deleteUser(w http.ResponseWriter, r *http.Request, c *call) error {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return err
	}
	name := ""
	err = s.with.Store.DeleteSCIMUser(r.Context(), c.act, c.connection.ID, id, func(u storage.SCIMUser) error {
		name = u.UserName
		return meets(r, u.Version)
	})
	if err == nil { // else it may still be under way
		c.detail = "deleted " + name
	}
	return gone(w, c, err)
}

func gone(w http.ResponseWriter, c *call, err error) error {
	if err == nil {
		c.status = http.StatusNoContent
		w.WriteHeader(c.status)
	}
	return err
}

// listUsers serves GET /Users.
func (s *Server) listUsers(w http.ResponseWriter, r *http.Request, c *call) error {
	q, err := ask(r)
	if err != nil {
		return err
	}
	return s.findUsers(w, r, c, q)
}

// searchUsers serves POST /Users/.search.
func (s *Server) searchUsers(w http.ResponseWriter, r *http.Request, c *call) error {
	q, err := search(w, r)
	if err != nil {
		return err
	}
	return s.findUsers(w, r, c, q)
}

func (s *Server) findUsers(w http.ResponseWriter, r *http.Request, c *call, q question) error {
	filter, err := userKind.compile(q.filter)
	if err != nil {
		return err
	}
	users, total, err := s.with.Store.ListSCIMUsers(r.Context(), c.connection.ID, filter, q.page())
	if err != nil {
		return err
	}
	all, err := s.tellUsers(r.Context(), c, q, users)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, list{Schemas: []string{listSchema}, Total: total, Start: q.start, Count: len(all),
		Resources: all})
}
