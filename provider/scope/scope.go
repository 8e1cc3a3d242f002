// Package scope holds the scopes a token may carry and the rules of scope
// lists: how they are written, which names exist, and which list is within
// another.
//
// It is pure and knows no client, request or store. Start with Parse for what
// comes in, Known for a single name, and Registered and Within for the two
// questions "may this client ask for it" and "is it no wider than that".
package scope

import (
	"slices"
	"strings"
)

// The scopes of the platform (S1 section 2.1), the four of the service-account
// operations, and those of OpenID Connect (decision T6).
const (
	UserRead        = "user:read"
	UserWrite       = "user:write"
	UserProfileRead = "user-profile:read"
	ViewablesRead   = "viewables:read"
	DataRead        = "data:read"
	DataReadOf      = "data:read:" // literal, and prefix of data:read:<URN> (decision T13)
	DataWrite       = "data:write"
	DataCreate      = "data:create"
	DataSearch      = "data:search"
	BucketCreate    = "bucket:create"
	BucketRead      = "bucket:read"
	BucketUpdate    = "bucket:update"
	BucketDelete    = "bucket:delete"
	CodeAll         = "code:all"
	AccountRead     = "account:read"
	AccountWrite    = "account:write"

	ServiceAccountRead     = "application:service_account:read"
	ServiceAccountWrite    = "application:service_account:write"
	ServiceAccountKeyRead  = "application:service_account_key:read"
	ServiceAccountKeyWrite = "application:service_account_key:write"

	OpenID        = "openid"
	Profile       = "profile"
	Email         = "email"
	AddressOf     = "address"
	Phone         = "phone"
	Groups        = "groups"
	OfflineAccess = "offline_access"
)

// All returns every scope that has a fixed name, in the order in which lists
// show them: what discovery publishes as scopes_supported.
func All() []string {
	return []string{
		OpenID, Profile, Email, AddressOf, Phone, Groups, OfflineAccess,
		UserRead, UserWrite, UserProfileRead, ViewablesRead,
		DataRead, DataReadOf, DataWrite, DataCreate, DataSearch,
		BucketCreate, BucketRead, BucketUpdate, BucketDelete,
		CodeAll, AccountRead, AccountWrite,
		ServiceAccountRead, ServiceAccountWrite, ServiceAccountKeyRead, ServiceAccountKeyWrite,
	}
}

// Known reports whether the scope exists: one of All, or data:read:<URN>.
func Known(name string) bool {
	return slices.Contains(All(), name) || namesResource(name)
}

// namesResource reports whether the scope is data:read:<URN>: "urn:", a name
// space and something in it (RFC 8141), all of scope-token characters.
func namesResource(name string) bool {
	urn, found := strings.CutPrefix(name, DataReadOf)
	if !found || len(urn) < 4 || !strings.EqualFold(urn[:4], "urn:") {
		return false
	}
	space, specific, found := strings.Cut(urn[4:], ":")
	return found && space != "" && specific != "" && isToken(urn)
}

// NeedsUser reports whether the scope makes sense only in a user's context, so
// that a two-legged token can't carry it (decision T6).
func NeedsUser(name string) bool {
	return Identity(name) || name == UserProfileRead || strings.HasPrefix(name, "user:")
}

// Identity reports whether the scope is OpenID Connect's, about the person and the sign-in:
// no resource has it for itself.
func Identity(name string) bool {
	switch name {
	case OpenID, Profile, Email, AddressOf, Phone, Groups, OfflineAccess:
		return true
	}
	return false
}

// NeedsApplication reports whether the scope makes sense only in an
// application's own context: the service-account operations refuse
// three-legged tokens (S1 section 7.1).
func NeedsApplication(name string) bool {
	return strings.HasPrefix(name, "application:")
}

// Grave reports whether the scope lets an app change or delete what is somebody's,
// or act without them: people are told apart from the others what it opens.
func Grave(name string) bool {
	switch name {
	case UserWrite, DataWrite, DataCreate, BucketCreate, BucketUpdate, BucketDelete, CodeAll, ServiceAccountWrite,
		ServiceAccountKeyWrite:
		return true
	}
	return NeedsAdministrator(name)
}

// NeedsAdministrator reports whether only a server administrator or the
// operator may give a client the scope: it opens the administration API.
func NeedsAdministrator(name string) bool {
	return strings.HasPrefix(name, "account:")
}

// ForServiceAccount reports whether a service account's token may carry the
// scope (decision SA11).
func ForServiceAccount(name string) bool {
	return name != OpenID && !strings.HasPrefix(name, "user:") &&
		!NeedsAdministrator(name) && !NeedsApplication(name)
}

// isToken reports whether name is a scope-token of RFC 6749 section 3.3:
// printable ASCII without space, double quote and backslash.
func isToken(name string) bool {
	if name == "" {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
