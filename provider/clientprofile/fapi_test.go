package clientprofile_test

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// rulesOf asks the profile of a name for every rule that needs no more to be told, and
// for the others about what they differ in.
func rulesOf(name string) map[string]any {
	p := clientprofile.Of(storage.Client{Profile: name})
	rules := map[string]any{
		"CodeLifetime":          p.CodeLifetime(time.Hour),
		"RedirectStatus":        p.RedirectStatus("GET"),
		"GrantLifetime":         p.GrantLifetime(time.Minute, time.Hour),
		"ResponseModes of code": p.ResponseModes("code"),
	}
	for method, rule := range reflect.ValueOf(p).Methods() {
		if rule.Type().NumIn() == 0 {
			rules[method.Name] = rule.Call(nil)[0].Interface()
		}
	}
	return rules
}

// Rules: FAPI-1, FAPI-2, FAPI-3, FAPI-4, FAPI-5, FAPI-7
func TestFAPIDiffersFromTheStandardInExactlyWhatItAsksFor(t *testing.T) {
	hardened := maps.Clone(rulesOf(storage.ProfileStandard))
	maps.Copy(hardened, map[string]any{
		"ConfidentialOnly": true, "MayProveBySecret": false, "BoundOnly": true, "MayNameTokenEndpoint": false,
		"AudienceIsText": true, "CodeOnly": true, "NeedsPKCE": true, "RedirectsByHTTPS": true, "RotatesRefresh": false,
		"NeedsNotBefore": true, "PushedOnly": true, "CodeLifetime": time.Minute, "RedirectStatus": 303,
		"SigningAlgorithms":   []string{"ES256", "PS256", "EdDSA"},
		"AssertionAlgorithms": []string{"ES256", "PS256", "EdDSA"},
	})
	if diff := cmp.Diff(hardened, rulesOf(storage.ProfileFAPI)); diff != "" {
		t.Errorf("fapi -want +got:\n%s", diff)
	}
	signed := maps.Clone(hardened)
	maps.Copy(signed, map[string]any{
		"SignedOnly":            true,
		"ResponseModes of code": []string{"query.jwt", "fragment.jwt", "form_post.jwt"},
	})
	if diff := cmp.Diff(signed, rulesOf(storage.ProfileFAPISigned)); diff != "" {
		t.Errorf("fapi-signed -want +got:\n%s", diff)
	}
}
