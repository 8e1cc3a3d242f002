package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// personClaims returns what the scopes tell about a person (decision U1).
// Absent facts are left out, never sent as empty.
func personClaims(user storage.User, scopes []string) map[string]any {
	claims := map[string]any{}
	for _, one := range scopes {
		switch one {
		case scope.Profile:
			maps.Copy(claims, profileClaims(user))
		case scope.Email:
			maps.Copy(claims, emailClaims(user))
		case scope.AddressOf:
			maps.Copy(claims, addressClaims(user.Profile.Address))
		case scope.Phone:
			maps.Copy(claims, phoneClaims(user.Profile))
		case scope.UserRead:
			maps.Copy(claims, filledClaims("name", user.Profile.Name, "preferred_username", username(user),
				"locale", user.Profile.Locale))
		case scope.UserProfileRead:
			maps.Copy(claims, platformClaims(user))
		}
	}
	return claims
}

// filledClaims makes claims of the pairs whose value is not empty.
func filledClaims(pairs ...string) map[string]any {
	claims := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			claims[pairs[i]] = pairs[i+1]
		}
	}
	return claims
}

// username is what a person is called where a name must be unique.
func username(user storage.User) string {
	return cmp.Or(user.Username, user.Email)
}

func profileClaims(user storage.User) map[string]any {
	p := user.Profile
	claims := filledClaims(
		"name", p.Name, "given_name", p.GivenName, "family_name", p.FamilyName,
		"preferred_username", username(user), "profile", p.ProfileURL, "picture", p.PictureURL,
		"locale", p.Locale, "middle_name", p.MiddleName, "nickname", p.Nickname, "website", p.Website,
		"gender", p.Gender, "birthdate", p.Birthdate, "zoneinfo", p.Zone,
	)
	claims["updated_at"] = user.UpdatedAt.Unix()
	return claims
}

func emailClaims(user storage.User) map[string]any {
	if user.Email == "" {
		return nil
	}
	return map[string]any{"email": user.Email, "email_verified": user.EmailVerified}
}

func phoneClaims(p storage.Profile) map[string]any {
	if p.PhoneNumber == "" {
		return nil
	}
	return map[string]any{"phone_number": p.PhoneNumber, "phone_number_verified": p.PhoneNumberVerified}
}

// addressClaims writes new lines of the street address as the two characters
// backslash and n (S1 2.9).
func addressClaims(a storage.Address) map[string]any {
	members := filledClaims(
		"street_address", strings.ReplaceAll(strings.ReplaceAll(a.StreetAddress, "\r\n", "\n"), "\n", `\n`),
		"locality", a.Locality, "region", a.Region, "postal_code", a.PostalCode, "country", a.Country,
	)
	if len(members) == 0 {
		return nil
	}
	return map[string]any{"address": members}
}

// platformClaims is the whole of S1 2.9.
func platformClaims(user storage.User) map[string]any {
	p := user.Profile
	claims := profileClaims(user)
	for _, more := range []map[string]any{
		emailClaims(user), addressClaims(p.Address), phoneClaims(p),
		filledClaims("country_code", p.CountryCode, "job_title", p.JobTitle, "industry", p.Industry,
			"industry_code", p.IndustryCode, "about_me", p.AboutMe, "language", p.Language, "company", p.Company,
			"created_date", unixText(user.CreatedAt), "last_login_date", unixText(user.LastSignInAt)),
	} {
		maps.Copy(claims, more)
	}
	claims["is_2fa_enabled"] = user.TwoFactor
	claims["ldap_enabled"] = p.LDAPDomain != ""
	claims["ldap_domain"] = nil
	if p.LDAPDomain != "" {
		claims["ldap_domain"] = p.LDAPDomain
	}
	claims["eidm_guid"] = user.ID
	if p.EIDMGUID != "" {
		claims["eidm_guid"] = p.EIDMGUID
	}
	claims["opt_in"] = p.OptIn
	claims[accountsClaim] = []any{} // see tellAccounts
	if len(p.Thumbnails) > 0 {
		claims["thumbnails"] = p.Thumbnails
	}
	return claims
}

const accountsClaim = "social_userinfo_list"

// tellAccounts fills in by which identities the user signs in elsewhere, where that is
// told.
func tellAccounts(ctx context.Context, elsewhere Elsewhere, claims map[string]any, userID string) error {
	if _, told := claims[accountsClaim]; !told {
		return nil
	}
	all, err := elsewhere.Accounts(ctx, userID)
	told := []any{}
	for _, one := range all {
		told = append(told, map[string]any{"socialUserId": one.Subject, "providerId": one.UpstreamID,
			"providerName": one.Name})
	}
	claims[accountsClaim] = told
	return err
}

// unixText writes a time as decimal Unix seconds, "" for never.
func unixText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.Unix(), 10)
}

// claimsRequest is the claims parameter (OpenID Connect Core 5.5): which
// claims are wanted where. How essential they are, or what value they should
// have, changes nothing but for sub and acr: a claim we have is given.
type claimsRequest map[string]map[string]json.RawMessage

// parseClaims reads the claims parameter; "" asks for nothing.
func parseClaims(raw string) (claimsRequest, error) {
	var wanted claimsRequest
	if raw == "" {
		return wanted, nil
	}
	var whole map[string]json.RawMessage
	if err := httpio.DecodeJSON([]byte(raw), &whole); err != nil || whole == nil {
		return nil, badClaims
	}
	wanted = claimsRequest{}
	for _, place := range []string{"userinfo", "id_token"} {
		var names map[string]json.RawMessage
		if err := json.Unmarshal(orNull(whole[place]), &names); err != nil {
			return nil, badClaims
		}
		wanted[place] = names
	}
	return wanted, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

var badClaims = fault.New(fault.Invalid, "invalid_request",
	"The claims parameter is not a JSON object of the expected form.")

// claimScopes says which scope's consent covers a claim that is asked for by
// name: a client gets by name no more than its scopes would give it.
var claimScopes = map[string]string{
	"name": scope.Profile, "given_name": scope.Profile, "family_name": scope.Profile,
	"preferred_username": scope.Profile, "profile": scope.Profile, "picture": scope.Profile,
	"locale": scope.Profile, "updated_at": scope.Profile, "middle_name": scope.Profile, "nickname": scope.Profile,
	"website": scope.Profile, "gender": scope.Profile, "birthdate": scope.Profile, "zoneinfo": scope.Profile,
	"email": scope.Email, "email_verified": scope.Email,
	"address": scope.AddressOf, "phone_number": scope.Phone, "phone_number_verified": scope.Phone,
	"groups": scope.Groups,
}

// scopesOfClaims returns the scopes that the named claims of the parameter
// stand for, so that consent is asked for them like for any scope.
func scopesOfClaims(wanted claimsRequest) []string {
	var scopes []string
	for _, place := range []string{"userinfo", "id_token"} {
		for name := range wanted[place] {
			if s, ok := claimScopes[name]; ok {
				scopes = scope.Union(scopes, []string{s})
			}
		}
	}
	return scopes
}

// requestedClaims returns the claims that the stored parameter names for the
// place ("userinfo" or "id_token"), that we know, and that the client is still
// registered for.
func requestedClaims(raw, place string, user storage.User, registered []string) map[string]any {
	wanted, err := parseClaims(raw)
	if err != nil || len(wanted[place]) == 0 {
		return nil
	}
	all := personClaims(user, []string{scope.Profile, scope.Email, scope.AddressOf, scope.Phone})
	given := map[string]any{}
	for name := range wanted[place] {
		if value, ok := all[name]; ok && slices.Contains(registered, claimScopes[name]) {
			given[name] = value
		}
	}
	return given
}

// binding is what a claims parameter can insist on: whom the ID token is about
// (OpenID Connect Core 5.5.1), and how they were proven (5.5.1.1).
type binding struct {
	Value     string   `json:"value"`
	Values    []string `json:"values"`
	Essential bool     `json:"essential"`
}

// all returns the values, of which one is enough.
func (b binding) all() []string {
	if b.Value == "" {
		return b.Values
	}
	return append(b.Values, b.Value)
}

// bindings returns what the parameter insists on for sub and acr.
func (c claimsRequest) bindings() (subjects, acrs []string, err error) {
	var sub, acr binding
	for name, into := range map[string]*binding{"sub": &sub, "acr": &acr} {
		if err := httpio.DecodeJSON(orNull(c["id_token"][name]), into); err != nil {
			return nil, nil, badClaims
		}
	}
	if !acr.Essential {
		return sub.all(), nil, nil
	}
	return sub.all(), acr.all(), nil
}
