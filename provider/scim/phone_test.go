package scim_test

import (
	"testing"
)

// What was verified of somebody was the number before, not the one that their company
// says now.
//
// Rule: SCIM-13
func TestANumberThatACompanyChangesIsNotVerifiedAnyMore(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		says := func(operation string) bool {
			w.do(200, "PATCH", "/Users/"+id, patch(operation))
			return w.found(id).Profile.PhoneNumberVerified
		}
		says(`{"op":"replace","path":"phoneNumbers","value":[{"value":"+49 30 1","type":"work"}]}`)
		user := w.found(id)
		user.Profile.PhoneNumberVerified = true
		w.must(w.store.UpdateUser(w.Context(), w.act(), user, nil))
		if !says(`{"op":"replace","path":"title","value":"Boss"}`) {
			t.Error("another change takes the proof away")
		}
		if says(`{"op":"replace","path":"phoneNumbers[type eq \"work\"].value","value":"+49 30 2"}`) {
			t.Error("a number that nobody verified counts as verified")
		}
	})
}

// Entra takes the number out of the value, whose type stays.
//
// Rule: SCIM-14
func TestAValueThatWasEmptiedHidesNoOther(t *testing.T) {
	onBothEngines(t, func(w *world) {
		id := w.user("anna")
		w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"Add","path":"phoneNumbers[type eq \"work\"].value","value":"+49 30 1"},
			{"op":"Add","path":"phoneNumbers[type eq \"mobile\"].value","value":"+49 170 2"}`))
		before := w.found(id).Profile.PhoneNumber
		w.do(200, "PATCH", "/Users/"+id, patch(`{"op":"Remove","path":"phoneNumbers[type eq \"work\"].value"}`))
		if after := w.found(id).Profile.PhoneNumber; before != "+49 30 1" || after != "+49 170 2" {
			t.Errorf("the number %q became %q", before, after)
		}
	})
}
