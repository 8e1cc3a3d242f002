// Package setup is what setting up hubs, projects and facilities has in common: what they
// may be called, how they are named, and who in a hub is known to whom.
package setup

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

const maxName = 255 // characters

// Invalid is what is wrong with a field.
func Invalid(field, detail string) error {
	return fault.New(fault.Invalid, "invalid_field", detail).At(field)
}

// Name reads the name of a hub, a project, a group or a facility. Invalid.
func Name(name, field string) (string, error) {
	name = strings.TrimSpace(name)
	odd := strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name)
	if textkey.Blank(name) || utf8.RuneCountInString(name) > maxName || odd {
		return "", Invalid(field, "The name must have 1 to 255 characters, none of them a control character.")
	}
	return name, nil
}

// UID returns the short id in a URN of the form; the short id itself will do. Invalid.
func UID(name, field, form string, read func(string) (string, bool)) (string, error) {
	if uid, ok := read(name); ok {
		return uid, nil
	}
	if urn.IsUID(name) {
		return name, nil
	}
	return "", Invalid(field, "The "+field+" must look like "+form+".")
}

// Hubs knows who is a member of a hub.
type Hubs interface {
	FindHubMember(ctx context.Context, hubID, userID string) (storage.Member, error)
}

// CheckMember is NoMember for who is no member of the hub.
func CheckMember(ctx context.Context, hubs Hubs, hubID, userID string) error {
	_, err := hubs.FindHubMember(ctx, hubID, userID)
	if fault.Is(err, fault.NotFound) {
		return NoMember()
	}
	return err
}

// NoMember is said of who is no member of the hub, and of who is nobody at all.
func NoMember() error {
	return fault.New(fault.NotFound, storage.ReasonUserAbsent, "The hub has no such member.").At("user")
}
