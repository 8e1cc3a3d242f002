package scim_test

import "testing"

// Rule: SCIM-7
func TestAPartOfMembersLeavesTheOthersAndTheirWholeNameTellsThem(t *testing.T) {
	onBothEngines(t, func(w *world) {
		g := w.group("team", w.user("anna"))
		for query, parts := range map[string][]bool{
			"excludedAttributes=members.display":                             {true, false},
			"attributes=urn:ietf:params:scim:schemas:core:2.0:Group:members": {true, true},
		} {
			told := w.do(200, "GET", "/Groups/"+g+"?"+query, "")
			members, _ := told["members"].([]any)
			if len(members) != 1 {
				w.Fatalf("%s: %v", query, told)
			}
			one := members[0].(object)
			w.equal(parts, []bool{one["value"] != nil, one["display"] != nil})
		}
		w.equal(nil, w.do(200, "GET", "/Groups/"+g+"?excludedAttributes=members", "")["members"])
	})
}
