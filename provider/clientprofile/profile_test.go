package clientprofile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

var (
	platform = clientprofile.Of(storage.Client{Profile: storage.ProfilePlatform})
	standard = clientprofile.Of(storage.Client{Profile: storage.ProfileStandard})
)

// Rule: CLIENT-5
func TestAClientWithoutAKnownProfileIsPlatform(t *testing.T) {
	if clientprofile.Of(storage.Client{}) != platform ||
		clientprofile.Of(storage.Client{Profile: "Standard"}) != platform {
		t.Error("the stricter profile is not the default")
	}
	if platform == standard {
		t.Error("the profiles are one")
	}
}

// Rule: AUTH-11
func TestStateHasTheAlphabetOfTheProfile(t *testing.T) {
	tests := []struct {
		state              string
		platform, standard bool
	}{
		{"", true, true},
		{"aZ09,._-", true, true},
		{strings.Repeat("x", 4000), true, true},
		{"a b", false, true},
		{`"<>#&%+/=\~`, false, true},
		{"a\x7f", false, false},
		{"a\r\n", false, false},
		{"é", false, false},
	}
	for _, tt := range tests {
		for name, err := range map[string]error{"platform": platform.CheckState(tt.state),
			"standard": standard.CheckState(tt.state)} {
			want := tt.platform
			if name == "standard" {
				want = tt.standard
			}
			if (err == nil) != want {
				t.Errorf("%s %.20q: %v", name, tt.state, err)
			}
			if err != nil {
				checkOAuthFault(t, err, "invalid_request", "state")
			}
		}
	}
}

// Rules: CLIENT-2, REFRESH-11, TOKEN-29
func TestDifferencesOfTheProfilesAreExactlyTheDecidedOnes(t *testing.T) {
	type rules struct {
		HintRequired, UserInfoNeedsOpenID, LogoutNeedsHint bool
		BasicMayJustName, AlwaysTellsScope                 bool
		NonceForIDToken, NonceForHybrid, NonceForCode      bool
		MayLeaveMethod                                     bool
		UnknownGrant                                       string
		IDTokenModes, HybridModes, CodeModes               []string
		GrantLifetime                                      time.Duration
	}
	of := func(p clientprofile.Profile) rules {
		return rules{
			HintRequired: p.TokenTypeHintRequired(), UserInfoNeedsOpenID: p.UserInfoNeedsOpenID(),
			LogoutNeedsHint:  p.LogoutNeedsHint(),
			BasicMayJustName: p.BasicMayJustName(), AlwaysTellsScope: p.AlwaysTellsScope(),
			NonceForIDToken: p.NonceRequired("id_token"), NonceForHybrid: p.NonceRequired("code id_token"),
			NonceForCode: p.NonceRequired("code"),
			UnknownGrant: p.UnknownGrantReason(), MayLeaveMethod: p.CheckChallengeMethod("") == nil,
			IDTokenModes: p.ResponseModes("id_token"), HybridModes: p.ResponseModes("code id_token"),
			CodeModes:     p.ResponseModes("code"),
			GrantLifetime: p.GrantLifetime(time.Minute, time.Hour),
		}
	}
	want := rules{
		HintRequired: true, UnknownGrant: "invalid_request", MayLeaveMethod: true,
		IDTokenModes: []string{"form_post"}, HybridModes: []string{"fragment", "form_post"},
		CodeModes:     []string{"query", "fragment", "form_post"},
		GrantLifetime: time.Hour,
	}
	if diff := cmp.Diff(want, of(platform)); diff != "" {
		t.Errorf("platform -want +got:\n%s", diff)
	}
	want = rules{
		UserInfoNeedsOpenID: true, LogoutNeedsHint: true, BasicMayJustName: true, AlwaysTellsScope: true,
		NonceForIDToken: true, NonceForHybrid: true, UnknownGrant: "unsupported_grant_type",
		IDTokenModes:  []string{"fragment", "form_post", "fragment.jwt", "form_post.jwt"},
		HybridModes:   []string{"fragment", "form_post", "fragment.jwt", "form_post.jwt"},
		CodeModes:     []string{"query", "fragment", "form_post", "query.jwt", "fragment.jwt", "form_post.jwt"},
		GrantLifetime: time.Minute,
	}
	if diff := cmp.Diff(want, of(standard)); diff != "" {
		t.Errorf("standard -want +got:\n%s", diff)
	}
}

// Rule: AUTH-15
func TestResponseModeIsTheOneAskedForOrTheDefault(t *testing.T) {
	tests := []struct {
		profile           clientprofile.Profile
		responseType, ask string
		want              string // empty: refused
	}{
		{platform, "code", "", "query"},
		{platform, "code", "form_post", "form_post"},
		{platform, "code id_token", "", "fragment"},
		{platform, "code id_token", "query", ""},
		{platform, "id_token", "", "form_post"},
		{platform, "id_token", "fragment", ""},
		{standard, "id_token", "", "fragment"},
		{standard, "id_token", "query", ""},
		{standard, "code", "web_message", ""},
		{standard, "token", "", ""},
	}
	for _, tt := range tests {
		got, err := tt.profile.ResponseMode(tt.responseType, tt.ask)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s as %q: got %q, %v; want %q", tt.responseType, tt.ask, got, err, tt.want)
		}
		if err != nil {
			checkOAuthFault(t, err, "invalid_request", "response_mode")
		}
	}
}

// Rule: CODE-7
func TestAnAbsentChallengeMethodNeverMeansPlain(t *testing.T) {
	if err := platform.CheckChallengeMethod(""); err != nil {
		t.Errorf("platform: %v", err)
	}
	checkOAuthFault(t, standard.CheckChallengeMethod(""), "invalid_request", "code_challenge_method")
	for _, p := range []clientprofile.Profile{platform, standard} {
		if err := p.CheckChallengeMethod("S256"); err != nil {
			t.Errorf("S256: %v", err)
		}
		for _, bad := range []string{"plain", "s256", "S256 "} {
			checkOAuthFault(t, p.CheckChallengeMethod(bad), "invalid_request", "code_challenge_method")
		}
	}
}

// Rule: AUTH-18
func TestScopesThatAreUnknownOrNotRegistered(t *testing.T) {
	registered := []string{"openid", "data:read:"}
	const folder = "data:read:urn:portico:f"
	tests := map[string]struct {
		requested          []string
		platform, standard []string // nil with a request: invalid_scope
	}{
		"registered ones pass in order": {[]string{folder, "openid"}, []string{folder, "openid"}, []string{folder, "openid"}},
		"an unknown one":                {[]string{"openid", "nope"}, nil, []string{"openid"}},
		"one not registered":            {[]string{"openid", "data:write"}, nil, []string{"openid"}},
		"nothing left":                  {[]string{"nope", "data:write"}, nil, nil},
		"none requested":                {nil, nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for want, p := range map[*[]string]clientprofile.Profile{&tt.platform: platform, &tt.standard: standard} {
				got, err := p.FilterScopes(tt.requested, registered)
				if diff := cmp.Diff(*want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if refused := *want == nil && tt.requested != nil; refused {
					checkOAuthFault(t, err, "invalid_scope", "scope")
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestAScopeThatWasNeverParsedStillMakesALegalDescription(t *testing.T) {
	_, err := platform.FilterScopes([]string{"a\"\\\r\né"}, nil)
	checkOAuthFault(t, err, "invalid_scope", "scope")
}

// checkOAuthFault holds a fault to what an OAuth error response can carry.
func checkOAuthFault(t *testing.T, err error, reason, source string) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Kind != fault.Invalid || f.Reason != reason || f.Source != source {
		t.Errorf("got %v, want %s at %s", err, reason, source)
		return
	}
	for _, r := range f.Detail {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			t.Errorf("%q is not legal in error_description", f.Detail)
		}
	}
}
