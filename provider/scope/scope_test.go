package scope_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/scope"
)

const folderScope = "data:read:urn:portico:fs.folder:co.x1?version=2"

// Rule: SCOPE-1
func TestParseKeepsOrderAndDropsRepetitions(t *testing.T) {
	got, err := scope.Parse("openid  data:read openid data:read: email")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"openid", "data:read", "data:read:", "email"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rules: AUTH-17, SCOPE-1
func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("x", scope.MaxLength)
	names := make([]string, scope.MaxCount+1)
	for i := range names {
		names[i] = "s" + strings.Repeat("x", i)
	}
	tests := map[string]struct{ good, bad string }{
		"more than 2000 characters": {long, long + "x"},
		"more than 50 scopes":       {strings.Join(names[1:], " "), strings.Join(names, " ")},
		"a tab between scopes":      {"openid email", "openid\temail"},
		"a line break":              {"openid", "openid\r\n"},
		"a double quote":            {"a'b", `a"b`},
		"a backslash":               {"a/b", `a\b`},
		"a letter outside ASCII":    {"cafe", "café"},
		"a NUL":                     {"a", "a\x00"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := scope.Parse(tt.good); err != nil {
				t.Errorf("the good twin fails: %v", err)
			}
			_, err := scope.Parse(tt.bad)
			if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, "invalid_scope") {
				t.Errorf("got %v, want invalid_scope", err)
			}
		})
	}
}

func TestRepetitionsDoNotCountTowardsTheLimit(t *testing.T) {
	if _, err := scope.Parse(strings.Repeat("openid ", 200)); err != nil {
		t.Error(err)
	}
}

// Rule: SCOPE-3
func TestEveryListedScopeIsKnownAndWrittenAsAToken(t *testing.T) {
	all := scope.All()
	for _, name := range all {
		if !scope.Known(name) {
			t.Errorf("%s is not known", name)
		}
	}
	parsed, err := scope.Parse(scope.Format(all))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, parsed); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: SCOPE-3
func TestOnlyWholeNamesAreKnown(t *testing.T) {
	for _, name := range []string{"", "data", "data:", "DATA:READ", "data:read:*", "data:read:urn:",
		"data:read:urn:portico:", "data:read:urn::x", "data:write:urn:portico:x", "data:read:urn:portico:a b"} {
		if scope.Known(name) {
			t.Errorf("%q is known", name)
		}
	}
	if !scope.Known(folderScope) {
		t.Errorf("%s is not known", folderScope)
	}
}

// Rule: SCOPE-2
func TestEachScopeHasItsContext(t *testing.T) {
	needUser := []string{"openid", "profile", "email", "address", "phone", "groups", "offline_access", "user:read",
		"user:write", "user-profile:read"}
	needApp := []string{"application:service_account:read", "application:service_account:write",
		"application:service_account_key:read", "application:service_account_key:write"}
	needAdmin := []string{"account:read", "account:write"}
	notForServiceAccounts := slices.Concat([]string{"openid", "user:read", "user:write"}, needApp, needAdmin)
	for _, name := range append(scope.All(), folderScope) {
		for question, want := range map[string]struct{ got, want bool }{
			"needs user":          {scope.NeedsUser(name), slices.Contains(needUser, name)},
			"needs application":   {scope.NeedsApplication(name), slices.Contains(needApp, name)},
			"needs administrator": {scope.NeedsAdministrator(name), slices.Contains(needAdmin, name)},
			"service account":     {scope.ForServiceAccount(name), !slices.Contains(notForServiceAccounts, name)},
		} {
			if want.got != want.want {
				t.Errorf("%s: %s = %v", name, question, want.got)
			}
		}
	}
}

// Rule: SCOPE-4
func TestTheLiteralIsARegistrationForResourcesButOpensNone(t *testing.T) {
	literal := []string{"data:read:"}
	if !scope.Registered(literal, folderScope) || scope.Registered(literal, "data:read") {
		t.Error("registration for data:read: is for data:read:<URN> and nothing else")
	}
	if scope.Within([]string{folderScope}, literal) {
		t.Error("a grant of the literal grew into one for a resource")
	}
	whole := []string{"data:read"}
	if !scope.Registered(whole, folderScope) || !scope.Within([]string{folderScope}, whole) {
		t.Error("data:read opens every resource, so it is no narrower than one")
	}
	if scope.Within(whole, []string{folderScope}) {
		t.Error("a grant for one resource grew into one for all")
	}
}

func TestBeyondAndUnion(t *testing.T) {
	beyond := scope.Beyond([]string{"openid", "data:write", "data:read"}, []string{"data:read", "openid"})
	if diff := cmp.Diff([]string{"data:write"}, beyond); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	union := scope.Union([]string{"b", "a", "b"}, []string{"a", "c"})
	if diff := cmp.Diff([]string{"b", "a", "c"}, union); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: SCOPE-1
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", " ", "openid email", "data:read: " + folderScope, "a\"b", "\x00", "é",
		strings.Repeat("a ", 60)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		scopes, err := scope.Parse(list)
		if err != nil {
			if !fault.HasReason(err, scope.Reason) {
				t.Fatalf("unclassified error %v", err)
			}
			return
		}
		if len(scopes) > scope.MaxCount || len(scope.Format(scopes)) > scope.MaxLength {
			t.Fatalf("%d scopes went through", len(scopes))
		}
		again, err := scope.Parse(scope.Format(scopes))
		if err != nil {
			t.Fatalf("what was parsed can't be parsed again: %v", err)
		}
		if diff := cmp.Diff(scopes, again); diff != "" {
			t.Fatalf("-first +second:\n%s", diff)
		}
	})
}
