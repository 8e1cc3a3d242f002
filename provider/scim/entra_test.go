package scim_test

import (
	"net/url"
	"slices"
	"testing"
)

// What Microsoft Entra sends, in its order, as its documentation writes it.
//
// Rule: SCIM-14
func TestWhatEntraSends(t *testing.T) {
	onBothEngines(t, func(w *world) {
		probe := w.do(200, "GET", "/Users?filter=userName+eq+%223f2c4f4e-5b1a-4f0e-9d6c-d5c7c3f1a001%22", "")
		w.equal(0.0, probe["totalResults"])
		w.equal([]any{}, probe["Resources"])

		made := w.do(201, "POST", "/Users", `{
			"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User",
				"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
			"externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef", "userName": "Test_User_ab6490ee@works.test",
			"active": true, "displayName": "lennay",
			"emails": [{"primary": true, "type": "work", "value": "Test_User_fd0ea19b@works.test"}],
			"meta": {"resourceType": "User"}, "name": {"formatted": "givenName familyName", "familyName": "familyName",
				"givenName": "givenName"}, "roles": [],
			"addresses": [{"type": "work", "country": "GB", "formatted": "1 High Street"}],
			"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "R&D", "manager": "m-1"}}`)
		id := made["id"].(string)
		w.equal("lennay", made["displayName"])
		w.equal("Test_User_fd0ea19b@works.test", w.found(id).Email)

		byName := w.do(200, "GET", "/Users?filter="+url.QueryEscape(`userName eq "test_user_AB6490EE@works.test"`), "")
		w.equal(1.0, byName["totalResults"])
		byExternal := w.do(200, "GET",
			"/Users?filter="+url.QueryEscape(`externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"`), "")
		w.equal(id, byExternal["Resources"].([]any)[0].(object)["id"])

		changed := w.do(200, "PATCH", "/Users/"+id, patch(`
			{"op":"Replace","path":"emails[type eq \"work\"].value","value":"updatedEmail@works.test"},
			{"op":"Replace","path":"name.familyName","value":"updatedFamilyName"},
			{"op":"Add","path":"phoneNumbers[type eq \"mobile\"].value","value":"+44 20 7946 0000"},
			{"op":"Replace","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department","value":"Ops"},
			{"op":"Add","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager","value":"m-2"}`))
		w.equal("updatedFamilyName", changed["name"].(object)["familyName"])
		extra := changed["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"].(object)
		w.equal("Ops", extra["department"])
		w.equal("m-2", extra["manager"].(object)["value"])
		w.equal("updatedEmail@works.test", w.found(id).Email)
		w.equal("+44 20 7946 0000", w.found(id).Profile.PhoneNumber)

		// Without aadOptscim062020 in its address it writes False for false.
		off := w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"Replace","path":"active","value":"False"}`))
		w.equal(false, off["active"])
		on := w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"Replace","value":{"active":"True",
			"name.givenName":"G","emails[type eq \"work\"].value":"second@works.test",
			"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber":"7"}}`))
		w.equal(true, on["active"])
		w.equal("second@works.test", w.found(id).Email)

		group := w.do(201, "POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group",
			"http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
			"externalId":"8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159","displayName":"Readers","meta":{"resourceType":"Group"}}`)
		team := group["id"].(string)
		list := w.do(200, "GET", "/Groups?excludedAttributes=members&filter="+url.QueryEscape(`displayName eq "Readers"`), "")
		w.equal(1.0, list["totalResults"])
		w.do(204, "PATCH", "/Groups/"+team, patch(`{"op":"Add","path":"members","value":[{"value":"`+id+`"}]}`))
		membership := "/Groups?excludedAttributes=members&filter=" +
			url.QueryEscape(`id eq "`+team+`" and members eq "`+id+`"`)
		w.equal(1.0, w.do(200, "GET", membership, "")["totalResults"])
		w.do(204, "PATCH", "/Groups/"+team, patch(`{"op":"Replace","path":"displayName","value":"Writers"}`))
		w.do(204, "PATCH", "/Groups/"+team, patch(`{"op":"Remove","path":"members","value":[{"value":"`+id+`"}]}`))
		w.equal(0.0, w.do(200, "GET", membership, "")["totalResults"])
		w.do(204, "PATCH", "/Groups/"+team, patch(`{"op":"Add","path":"members","value":[{"value":"`+id+`"}]}`))
		w.do(204, "PATCH", "/Groups/"+team, patch(`{"op":"Remove","path":"members[value eq \"`+id+`\"]"}`))
		w.equal([]string{}, w.members(team))
		w.do(204, "DELETE", "/Groups/"+team, "")
		w.do(404, "GET", "/Groups/"+team, "")

		w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"Replace","path":"active","value":"False"}`))
		w.do(204, "DELETE", "/Users/"+id, "")
		w.do(404, "GET", "/Users/"+id, "")
	})
}

// What Okta sends: it looks for people by pages of two, asks before each PUT of the
// whole, switches off by PATCH without a path, never deletes, and brings back by PUT.
//
// Rule: SCIM-15
func TestWhatOktaSends(t *testing.T) {
	onBothEngines(t, func(w *world) {
		first := w.do(200, "GET", "/Users?startIndex=1&count=2", "")
		w.equal([]any{0.0, 1.0, 0.0}, []any{first["totalResults"], first["startIndex"], first["itemsPerPage"]})
		w.equal(0.0, w.do(200, "GET", "/Users?filter=userName%20eq%20%22test.user%40works.test%22&startIndex=1&count=100",
			"")["totalResults"])
		body := `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"test.user@works.test",
			"name":{"givenName":"Test","familyName":"User"},"emails":[{"primary":true,"value":"test.user@works.test",
			"type":"work"}],"displayName":"Test User","locale":"en-US","externalId":"00ujl29u0le5T6Aj10h7","groups":[],
			"password":"1mz050nq","active":%s}`
		told := w.do(201, "POST", "/Users", replaced(body, "true"))
		id := told["id"].(string)
		if _, leaked := told["password"]; leaked {
			t.Error("the password comes back")
		}
		w.equal("en-US", w.found(id).Profile.Locale)
		w.do(200, "GET", "/Users/"+id, "")
		w.do(200, "PUT", "/Users/"+id, replaced(body, "true"))
		w.do(409, "POST", "/Users", replaced(body, "true"))

		off := w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"replace","value":{"active":false}}`))
		w.equal(false, off["active"])
		w.do(200, "GET", "/Users/"+id, "")
		w.equal(true, w.do(200, "PUT", "/Users/"+id, replaced(body, "true"))["active"])
		w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"replace","value":{"active":false}}`))
		back := w.do(201, "POST", "/Users", replaced(body, "true"))
		w.equal([]any{id, true}, []any{back["id"], back["active"]})

		group := w.do(201, "POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],
			"displayName":"Test SCIMv2","members":[]}`)["id"].(string)
		w.do(200, "GET", "/Groups?startIndex=1&count=100", "")
		w.do(204, "PATCH", "/Groups/"+group, patch(`{"op":"replace","value":{"id":"`+group+`","displayName":"Renamed"}}`))
		w.do(204, "PATCH", "/Groups/"+group, patch(`{"op":"remove","path":"members[value eq \"`+id+`\"]"},
			{"op":"add","path":"members","value":[{"value":"`+id+`","display":"test.user@works.test"}]}`))
		w.equal([]string{id}, w.members(group))
		named := w.do(200, "GET", "/Users/"+id, "")["groups"].([]any)[0].(object)
		w.equal("Renamed", named["display"])
		other := w.user("other")
		w.do(204, "PATCH", "/Groups/"+group, patch(`{"op":"replace","path":"members","value":[{"value":"`+other+`"}]}`))
		w.equal([]string{other}, w.members(group))
		w.do(200, "PUT", "/Groups/"+group, `{"displayName":"Renamed","members":[{"value":"`+other+`"},{"value":"`+id+`"}]}`)
		both := w.members(group)
		slices.Sort(both)
		if len(both) != 2 {
			t.Errorf("after PUT: %v", both)
		}
		w.do(204, "DELETE", "/Groups/"+group, "")
	})
}
