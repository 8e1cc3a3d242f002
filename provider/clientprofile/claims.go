package clientprofile

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// Claims are what a client is told beside the usual claims, or under names of its
// own: a list, and no language.
type Claims []Claim

// Claim is one line of it. Several of SourceRole may have one name: the claim is
// then the list of all values that fit the person.
type Claim struct {
	Name    string `json:"claim"`
	Source  string `json:"source"`
	GroupID string `json:"group_id,omitempty"` // of SourceRole
	Value   string `json:"value,omitempty"`    // of SourceRole and SourceFixed
}

// Where the value of a claim comes from.
const (
	SourceGroups = "groups" // the names of the person's groups
	SourceRole   = "role"   // the value, for whoever is in the group
	SourceFixed  = "fixed"  // the value, for everybody
)

const (
	// ReasonClaim is the reason of the faults of claims.
	ReasonClaim = "invalid_claim"
	// FieldClaims is what the faults of claims are about.
	FieldClaims = "claims"

	maxClaims     = 50
	maxClaimValue = 200 // characters
)

// claimName is what a claim may be called: a word or an address.
var claimName = pattern.Of(`^[A-Za-z][A-Za-z0-9_.:/#-]{0,99}$`)

// reserved are the names that mean something else to whoever reads a token, in
// lower case, for some read them whatever their case. "groups" is not among them:
// it is the usual claim that may be told otherwise.
var reserved = strings.Fields(`
	iss sub aud exp nbf iat jti azp client_id auth_time nonce acr amr sid at_hash c_hash s_hash rt_hash cnf act may_act scope
	typ use token_use userid events toe txn vot vtm trust_framework htm htu ath sub_jwk sub_id claims
	_claim_names _claim_sources authorization_details
	name given_name family_name middle_name nickname preferred_username profile picture website email email_verified gender
	birthdate zoneinfo locale phone_number phone_number_verified address updated_at
	is_2fa_enabled country_code ldap_enabled ldap_domain job_title industry industry_code about_me language company
	created_date last_login_date eidm_guid opt_in social_userinfo_list thumbnails`)

// ReadClaims reads what Text wrote.
func ReadClaims(text string) (Claims, error) {
	if text == "" {
		return nil, nil
	}
	var claims Claims
	err := json.Unmarshal([]byte(text), &claims)
	return claims, err
}

// Text is what is kept of the claims; empty for none.
func (c Claims) Text() string {
	if len(c) == 0 {
		return ""
	}
	text, _ := json.Marshal(c) // texts can always be encoded
	return string(text)
}

// Check returns everything that is wrong with the claims of a client that had others before:
// a name of theirs that is reserved since then stays, so that what is beside it can be changed.
func (c Claims) Check(before Claims) error {
	var faults fault.List
	refuse := func(format string, args ...any) {
		faults.Add(fault.Newf(fault.Invalid, ReasonClaim, format, args...).At(FieldClaims))
	}
	if len(c) > maxClaims {
		refuse("An app can have at most %d claims of its own.", maxClaims)
	}
	for i, claim := range c {
		switch {
		case !claimName().MatchString(claim.Name):
			refuse("The name of a claim begins with a letter and has at most 100 letters, digits and - _ . : / #.")
		case slices.Contains(reserved, strings.ToLower(claim.Name)) && !slices.Contains(before, claim):
			refuse("The claim %s means something else to whoever reads a token. Choose another name.", claim.Name)
		case !slices.Contains([]string{SourceGroups, SourceRole, SourceFixed}, claim.Source):
			refuse("A claim comes from groups, is a role, or is fixed.")
		case claim.Source != SourceGroups && (claim.Value == "" || len([]rune(claim.Value)) > maxClaimValue):
			refuse("The value of the claim %s must have 1 to %d characters.", claim.Name, maxClaimValue)
		case claim.Source == SourceRole && claim.GroupID == "":
			refuse("The role in the claim %s needs a group whose people have it.", claim.Name)
		case slices.ContainsFunc(c[:i], claim.collides):
			refuse("The claim %s is there already. Only roles can have several lines.", claim.Name)
		}
	}
	return faults.Err()
}

// collides reports whether both can't be in one token: they have one name, whatever
// its case, and are not two roles.
func (c Claim) collides(other Claim) bool {
	roles := c.Source == SourceRole && other.Source == SourceRole && c.Name == other.Name
	return strings.EqualFold(c.Name, other.Name) && (!roles || c == other)
}

// OfGroups reports whether the claims tell of the groups of people, and then stand
// in place of the usual claim of them.
func (c Claims) OfGroups() bool {
	return slices.ContainsFunc(c, func(one Claim) bool { return one.Source != SourceFixed })
}

// Of returns the claims for a person in the groups. What would be an empty list is
// left out.
func (c Claims) Of(groups []storage.UserGroup) map[string]any {
	told, lists := map[string]any{}, map[string][]string{}
	add := func(name, value string) {
		if !slices.Contains(lists[name], value) {
			lists[name] = append(lists[name], value)
		}
	}
	for _, claim := range c {
		switch claim.Source {
		case SourceFixed:
			told[claim.Name] = claim.Value
		case SourceGroups:
			for _, g := range groups {
				add(claim.Name, g.Name)
			}
		case SourceRole:
			if slices.ContainsFunc(groups, func(g storage.UserGroup) bool { return g.ID == claim.GroupID }) {
				add(claim.Name, claim.Value)
			}
		}
	}
	for name, list := range lists {
		told[name] = list
	}
	return told
}
