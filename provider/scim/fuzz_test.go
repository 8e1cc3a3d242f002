package scim

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

// Whatever a filter and a path say, they are read or refused, and what is left of a
// document can be kept.
//
// Rule: SCIM-6
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{`userName eq "a"`, `emails[type eq "work"].value sw "a" and not (active eq False)`,
		`members[value eq "x" or value eq "y"]`, `((`, `a pr or`, `name.familyName`, enterpriseSchema + `:manager.value`} {
		f.Add(seed, `{"value":"x"}`)
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		for _, k := range []kind{userKind, groupKind} {
			if _, err := k.compile(text); err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", text, err)
			}
			var said any
			if json.Unmarshal([]byte(value), &said) != nil {
				return
			}
			doc := object{"emails": []any{object{"value": "a", "type": "work"}}, "name": object{"givenName": "g"}}
			for _, op := range []string{"add", "replace", "remove"} {
				if err := k.apply(doc, step{op: op, path: text, value: said}); err != nil && !fault.Is(err, fault.Invalid) {
					t.Errorf("%q: %v", text, err)
				}
			}
			if _, err := groupSteps(nil, step{op: "add", path: text, value: said}); err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", text, err)
			}
			if _, err := json.Marshal(doc); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// Rule: SCIM-2
func TestEveryKindOfFaultIsAnErrorOfSCIM(t *testing.T) {
	for _, kind := range fault.Kinds() {
		w := httptest.NewRecorder()
		WriteError(w, httptest.NewRequest("GET", "/", nil), fault.New(kind, "", "Detail."))
		var told errorJSON
		if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || told.Status != fmt.Sprint(w.Code) || w.Code < 400 {
			t.Errorf("%s: %d %s", kind, w.Code, w.Body)
		}
		if (w.Code == 401) != (w.Header().Get("WWW-Authenticate") != "") {
			t.Errorf("%s: the challenge is %q", kind, w.Header().Get("WWW-Authenticate"))
		}
	}
}
