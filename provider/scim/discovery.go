package scim

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// object is a JSON object.
type object = map[string]any

// config serves /ServiceProviderConfig.
func (s *Server) config(w http.ResponseWriter, _ *http.Request, c *call) error {
	no := object{"supported": false}
	return answer(w, http.StatusOK, object{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"},
		"patch":   object{"supported": true}, "etag": object{"supported": true},
		"filter": object{"supported": true, "maxResults": storage.MaxPage},
		"bulk":   object{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"sort":   no, "changePassword": no,
		"authenticationSchemes": []object{{"type": "oauthbearertoken", "name": "Bearer token", "primary": true,
			"description": "The token that an administrator made for the connection.",
			"specUri":     "https://www.rfc-editor.org/info/rfc6750"}},
		"meta": object{"resourceType": "ServiceProviderConfig", "location": c.at + "/ServiceProviderConfig"},
	})
}

func (k kind) resourceType(c *call) object {
	about := object{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ResourceType"}, "id": k.name, "name": k.name,
		"endpoint": k.endpoint, "schema": k.schema,
		"meta": object{"resourceType": "ResourceType", "location": c.at + "/ResourceTypes/" + k.name},
	}
	if k.extension != "" {
		about["schemaExtensions"] = []object{{"schema": k.extension, "required": false}}
	}
	return about
}

func resourceTypesOf(c *call) []object {
	return []object{userKind.resourceType(c), groupKind.resourceType(c)}
}

func (s *Server) resourceTypes(w http.ResponseWriter, _ *http.Request, c *call) error {
	return answerAll(w, resourceTypesOf(c))
}

func (s *Server) resourceType(w http.ResponseWriter, r *http.Request, c *call) error {
	return answerOne(w, r, resourceTypesOf(c))
}

func schemasOf(c *call) []object {
	var all []object
	for _, about := range []struct {
		id, name   string
		attributes []attribute
	}{{userSchema, "User", userAttributes()}, {groupSchema, "Group", groupAttributes()},
		{enterpriseSchema, "EnterpriseUser", enterpriseAttributes()}} {
		all = append(all, object{
			"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:Schema"}, "id": about.id, "name": about.name,
			"description": about.name, "attributes": about.attributes,
			"meta": object{"resourceType": "Schema", "location": c.at + "/Schemas/" + about.id},
		})
	}
	return all
}

func (s *Server) schemas(w http.ResponseWriter, _ *http.Request, c *call) error {
	return answerAll(w, schemasOf(c))
}

func (s *Server) schema(w http.ResponseWriter, r *http.Request, c *call) error {
	return answerOne(w, r, schemasOf(c))
}

func answer(w http.ResponseWriter, status int, body any) error {
	httpio.WriteJSON(w, status, mediaType, body)
	return nil
}

// answerAll answers with a list that has one page.
func answerAll(w http.ResponseWriter, all []object) error {
	return answer(w, http.StatusOK, list{Schemas: []string{listSchema}, Total: len(all), Start: 1, Count: len(all),
		Resources: all})
}

func answerOne(w http.ResponseWriter, r *http.Request, all []object) error {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return err
	}
	for _, one := range all {
		if strings.EqualFold(one["id"].(string), id) {
			return answer(w, http.StatusOK, one)
		}
	}
	return absent("resource")
}
