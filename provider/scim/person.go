package scim

import (
	"cmp"
	"slices"
	"strings"

	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// person makes of a user what the document says of them. What does not fit a field is
// kept in the document alone; without an address it does not go.
func (s *Server) person(user *storage.User, c *call, doc object) error {
	before := user.Email
	name := textOf(doc, "userName")
	address := cmp.Or(first(doc, "emails"), addressOf(name), user.Email)
	if address == "" {
		return invalid(invalidValue, "emails has no address, and userName is none.")
	}
	if err := s.with.Set(user, "email", address); err != nil {
		return invalid(invalidValue, "%s is no e-mail address.", address)
	}
	if user.Email != before {
		user.EmailVerified = false
	}
	user.EmailVerified = user.EmailVerified || vouches(c.connection, user.Email)
	for field, value := range fieldsOf(doc) {
		if s.with.Set(user, field, value) != nil {
			_ = s.with.Set(user, field, "") // nothing always fits
		}
	}
	if s.with.Set(user, "name", nameOf(doc)) != nil && s.with.Set(user, "name", name) != nil {
		return invalid(invalidValue, "displayName or userName must be a text in one line.")
	}
	s.preferences(user, doc)
	return nil
}

// fieldsOf are the fields that the company alone says, but address and name. What it
// calls the person is no user name here: others may have it.
func fieldsOf(doc object) map[string]string {
	name := partOf(doc, "name")
	return map[string]string{
		"given_name": textOf(name, "givenName"), "family_name": textOf(name, "familyName"),
		"middle_name": textOf(name, "middleName"), "nickname": textOf(doc, "nickName"),
		"profile": textOf(doc, "profileUrl"), "phone_number": first(doc, "phoneNumbers"), "job_title": textOf(doc, "title"),
		"company": textOf(partOf(doc, enterpriseSchema), "organization"),
	}
}

// preferences are the person's own as soon as there are any.
func (s *Server) preferences(user *storage.User, doc object) {
	if user.Profile.Locale == "" {
		_ = s.with.Set(user, "locale", cmp.Or(textOf(doc, "locale"), textOf(doc, "preferredLanguage")))
	}
	if user.Profile.Zone == "" {
		_ = s.with.Set(user, "zoneinfo", textOf(doc, "timezone"))
	}
}

func nameOf(doc object) string {
	name := partOf(doc, "name")
	both := strings.TrimSpace(textOf(name, "givenName") + " " + textOf(name, "familyName"))
	return cmp.Or(textOf(doc, "displayName"), textOf(name, "formatted"), both, textOf(doc, "userName"))
}

// first is the value of a list that counts: the primary one, else that of work.
func first(doc object, name string) string {
	all, _ := doc[name].([]any)
	rank := func(v any) int {
		one, _ := v.(object)
		switch {
		case textOf(one, "value") == "": // Entra takes values out of what stays
			return 3
		case one["primary"] == true:
			return 0
		case same(one["type"], "work"):
			return 1
		}
		return 2
	}
	best := ""
	if len(all) > 0 {
		one, _ := slices.MinFunc(all, func(a, b any) int { return rank(a) - rank(b) }).(object)
		best = textOf(one, "value")
	}
	return best
}

func addressOf(name string) string {
	if strings.Contains(name, "@") {
		return name
	}
	return ""
}

// vouches reports whether the address is in a domain of the company's.
func vouches(c storage.SCIMConnection, address string) bool {
	return said.Within(address, c.Domains)
}
