package scim

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// version is the entity tag of a resource (RFC 7644, 3.14).
func version(n int64) string { return `W/"` + strconv.FormatInt(n, 10) + `"` }

// meets is PreconditionFailed unless If-Match is absent or names the version, and where
// If-None-Match names it (RFC 9110, 13.1.2).
func meets(r *http.Request, n int64) error {
	absent := strings.Join(r.Header.Values("If-Match"), "") == ""
	if (absent || httpio.Lists(r, "If-Match", version(n))) && !httpio.Known(r, version(n)) {
		return nil
	}
	return fault.New(fault.PreconditionFailed, storage.ReasonVersion, "The resource has changed since.")
}

// meta is what the server knows of a resource (RFC 7643, 3.1).
func meta(k kind, c *call, of storage.SCIMResource) object {
	return object{
		"resourceType": k.name, "location": c.at + k.endpoint + "/" + of.ID, "version": version(of.Version),
		"created": of.CreatedAt.Format(time.RFC3339Nano), "lastModified": of.UpdatedAt.Format(time.RFC3339Nano),
	}
}

// tellUsers makes resources of users, with the groups that they are in.
func (s *Server) tellUsers(ctx context.Context, c *call, q question, users []storage.SCIMUser) ([]object, error) {
	groups := map[string][]object{}
	if len(users) > 0 && q.wants(userKind, "groups") {
		ids := make([]string, len(users))
		for i, u := range users {
			ids[i] = u.ID
		}
		all, err := s.with.Store.ListSCIMGroupsOf(ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, m := range all {
			groups[m.UserID] = append(groups[m.UserID], object{"value": m.GroupID, "display": m.GroupName,
				"$ref": c.at + groupKind.endpoint + "/" + m.GroupID, "type": "direct"})
		}
	}
	told := make([]object, len(users))
	for i, u := range users {
		doc, err := decode(u.Document)
		if err != nil {
			return nil, err
		}
		doc["schemas"] = []string{userSchema}
		if doc[enterpriseSchema] != nil {
			doc["schemas"] = []string{userSchema, enterpriseSchema}
		}
		doc["id"], doc["active"], doc["meta"] = u.ID, u.Active && !u.User.Disabled, meta(userKind, c, u.SCIMResource)
		if g := groups[u.ID]; g != nil {
			doc["groups"] = g
		}
		told[i] = q.project(userKind, doc)
	}
	return told, nil
}

// answerUser answers with the whole user, or what of them is wanted.
func (s *Server) answerUser(w http.ResponseWriter, r *http.Request, c *call, status int, u storage.SCIMUser) error {
	q, err := ask(r)
	if err != nil {
		return err
	}
	told, err := s.tellUsers(r.Context(), c, q, []storage.SCIMUser{u})
	if err != nil {
		return err
	}
	return answerResource(w, c, status, userKind, u.SCIMResource, told[0])
}

func answerResource(w http.ResponseWriter, c *call, status int, k kind, of storage.SCIMResource, body object) error {
	w.Header().Set("ETag", version(of.Version))
	w.Header().Set("Location", c.at+k.endpoint+"/"+of.ID)
	c.status = status
	return answer(w, status, body)
}

// maxListed is how many members a page of groups has: it ends with the group in which
// there are more.
const maxListed = 10_000

// tellGroups makes resources of groups, with their members unless nobody wants them. A
// page with very many members ends early.
func (s *Server) tellGroups(ctx context.Context, c *call, q question, groups []storage.SCIMGroup) ([]object, error) {
	members, room := map[string][]object{}, maxListed
	told := []object{}
	for _, g := range groups {
		if q.wants(groupKind, "members") {
			if room <= 0 {
				return told, nil
			}
			all, err := s.with.Store.ListSCIMMembers(ctx, []string{g.ID}, maxMembers)
			if err != nil {
				return nil, err
			}
			for _, m := range all {
				members[g.ID] = append(members[g.ID], object{"value": m.UserID, "display": m.UserName, "type": "User",
					"$ref": c.at + userKind.endpoint + "/" + m.UserID})
			}
			room -= len(all)
		}
		doc := object{"schemas": []string{groupSchema}, "id": g.ID, "displayName": g.DisplayName,
			"meta": meta(groupKind, c, g.SCIMResource)}
		if g.ExternalID != "" {
			doc["externalId"] = g.ExternalID
		}
		if m := members[g.ID]; m != nil {
			doc["members"] = m
		}
		told = append(told, q.project(groupKind, doc))
	}
	return told, nil
}

// maxMembers is how many of one group are told.
const maxMembers = 100_000
