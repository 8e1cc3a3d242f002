package people

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// Fields that are not only part of the profile. The names of all fields are
// those of the user info response (S1 section 2.9).
const (
	FieldEmail         = "email"
	FieldEmailVerified = "email_verified"
	FieldUsername      = "preferred_username"
	FieldName          = "name"
	FieldPassword      = "password" // source of faults only
)

const thumbnailPrefix = "thumbnails."

// Setting gives a field a value. An empty value clears the field, false clears
// a boolean one.
type Setting struct{ Field, Value string }

// ParseSetting reads "field=value".
func ParseSetting(text string) (Setting, error) {
	field, value, found := strings.Cut(text, "=")
	if !found || field == "" {
		return Setting{}, fault.Newf(fault.Invalid, ReasonNoField, "%q is not of the form field=value.", text)
	}
	return Setting{Field: field, Value: value}, nil
}

// Field describes one editable field to people.
type Field struct {
	Name  string
	Wants string // what a value looks like
}

// Fields returns the editable fields in the order of S1 section 2.9.
func Fields() []Field {
	all := make([]Field, 0, len(fields)+1)
	for _, f := range fields {
		all = append(all, Field{f.name, f.wants})
	}
	return append(all, Field{thumbnailPrefix + "sizeX<N>", "web address of the picture N pixels wide and high"})
}

// field is one row of the table: how to read a value, and where it goes.
type field struct {
	name  string
	wants string
	hint  texts.Text
	read  func(value string) (string, bool) // the value to keep; false: it does not fit
	at    func(*storage.User) *string       // nil for a boolean
	flag  func(*storage.User) *bool
}

// fields is read only.
var fields = [...]field{
	text(FieldName, requiredLine, func(u *storage.User) *string { return &u.Profile.Name }),
	text("given_name", line, func(u *storage.User) *string { return &u.Profile.GivenName }),
	text("family_name", line, func(u *storage.User) *string { return &u.Profile.FamilyName }),
	text("middle_name", line, func(u *storage.User) *string { return &u.Profile.MiddleName }),
	text("nickname", line, func(u *storage.User) *string { return &u.Profile.Nickname }),
	text(FieldUsername, username, func(u *storage.User) *string { return &u.Username }),
	text(FieldEmail, email, func(u *storage.User) *string { return &u.Email }),
	flag(FieldEmailVerified, func(u *storage.User) *bool { return &u.EmailVerified }),
	text("profile", webAddress, func(u *storage.User) *string { return &u.Profile.ProfileURL }),
	text("picture", webAddress, func(u *storage.User) *string { return &u.Profile.PictureURL }),
	text("website", webAddress, func(u *storage.User) *string { return &u.Profile.Website }),
	text("gender", line, func(u *storage.User) *string { return &u.Profile.Gender }),
	text("birthdate", birthdate, func(u *storage.User) *string { return &u.Profile.Birthdate }),
	text("zoneinfo", zone, func(u *storage.User) *string { return &u.Profile.Zone }),
	text("locale", locale, func(u *storage.User) *string { return &u.Profile.Locale }),
	text("country_code", countryCode, func(u *storage.User) *string { return &u.Profile.CountryCode }),
	text("address.street_address", lines, func(u *storage.User) *string { return &u.Profile.Address.StreetAddress }),
	text("address.locality", line, func(u *storage.User) *string { return &u.Profile.Address.Locality }),
	text("address.region", line, func(u *storage.User) *string { return &u.Profile.Address.Region }),
	text("address.postal_code", line, func(u *storage.User) *string { return &u.Profile.Address.PostalCode }),
	text("address.country", line, func(u *storage.User) *string { return &u.Profile.Address.Country }),
	text("phone_number", phoneNumber, func(u *storage.User) *string { return &u.Profile.PhoneNumber }),
	flag("phone_number_verified", func(u *storage.User) *bool { return &u.Profile.PhoneNumberVerified }),
	text("ldap_domain", line, func(u *storage.User) *string { return &u.Profile.LDAPDomain }),
	text("job_title", line, func(u *storage.User) *string { return &u.Profile.JobTitle }),
	text("industry", line, func(u *storage.User) *string { return &u.Profile.Industry }),
	text("industry_code", line, func(u *storage.User) *string { return &u.Profile.IndustryCode }),
	text("about_me", lines, func(u *storage.User) *string { return &u.Profile.AboutMe }),
	text("language", languageCode, func(u *storage.User) *string { return &u.Profile.Language }),
	text("company", line, func(u *storage.User) *string { return &u.Profile.Company }),
	text("eidm_guid", identifier, func(u *storage.User) *string { return &u.Profile.EIDMGUID }),
	flag("opt_in", func(u *storage.User) *bool { return &u.Profile.OptIn }),
}

// derived are the fields of the user info response that follow from something
// else, with what to do instead.
func derived(name string) string {
	switch name {
	case "sub", "created_date":
		return "never changes"
	case "updated_at", "last_login_date":
		return "is kept by the server"
	case "is_2fa_enabled":
		return "follows from the second factors the user has set up"
	case "ldap_enabled":
		return "follows from ldap_domain; set that"
	case "social_userinfo_list":
		return "follows from the accounts the user has linked"
	case "address":
		return "has parts; set address.street_address, address.locality and so on"
	case "thumbnails":
		return "has parts; set thumbnails.sizeX<N>, such as thumbnails.sizeX64"
	}
	return ""
}

// apply puts the settings into the user and returns everything that is wrong
// with them.
func apply(user *storage.User, settings []Setting) error {
	var faults fault.List
	user.Profile.Thumbnails = maps.Clone(user.Profile.Thumbnails)
	for _, proofs := range []bool{false, true} { // of what is said beside them
		for _, s := range settings {
			if strings.HasSuffix(s.Field, "_verified") == proofs {
				faults.Add(Set(user, s))
			}
		}
	}
	return faults.Err()
}

// Set gives a field of the user the value, or says what it would have to be. Another
// address or telephone number was not verified.
func Set(user *storage.User, s Setting) error {
	if size, ok := strings.CutPrefix(s.Field, thumbnailPrefix); ok {
		return setThumbnail(user, size, s)
	}
	i := slices.IndexFunc(fields[:], func(f field) bool { return f.name == s.Field })
	if i < 0 {
		return noField(s.Field)
	}
	return fields[i].set(user, s.Value)
}

func (f field) set(user *storage.User, value string) error {
	if f.flag != nil {
		if value != "true" && value != "false" {
			return f.misfit()
		}
		*f.flag(user) = value == "true"
		return nil
	}
	kept, ok := f.read(trimmed(value))
	if !ok {
		return f.misfit()
	}
	if *f.at(user) != kept {
		f.doubt(user)
	}
	*f.at(user) = kept
	return nil
}

// doubt forgets that the field was verified: that was what it said before.
func (f field) doubt(user *storage.User) {
	switch f.name {
	case FieldEmail:
		user.EmailVerified = false
	case "phone_number":
		user.Profile.PhoneNumberVerified = false
	}
}

func (f field) misfit() error { return misfit(f.name, f.wants) }

func misfit(field, wants string) error {
	return fault.Newf(fault.Invalid, ReasonField, "This must be %s.", wants).At(field)
}

func noField(name string) error {
	if why := derived(name); why != "" {
		return fault.Newf(fault.Invalid, ReasonNoField, "The field %s can't be set: it %s.", name, why).At(name)
	}
	return fault.Newf(fault.Invalid, ReasonNoField, "There is no such field.").At(name)
}

func setThumbnail(user *storage.User, size string, s Setting) error {
	if !thumbnailSize(size) {
		return fault.Newf(fault.Invalid, ReasonNoField,
			"There is no field %q: thumbnails are named sizeX and their width in pixels, such as thumbnails.sizeX64.", s.Field)
	}
	kept, ok := webAddress.read(trimmed(s.Value))
	if !ok {
		return misfit(s.Field, webAddress.wants)
	}
	if kept == "" {
		delete(user.Profile.Thumbnails, size)
		return nil
	}
	if user.Profile.Thumbnails == nil {
		user.Profile.Thumbnails = map[string]string{}
	}
	user.Profile.Thumbnails[size] = kept
	return nil
}

// Value is what a field of a user holds, as Setting takes it.
type Value struct {
	Setting
	Boolean bool
}

// Values returns the fields of the user that are known, in the order of
// Fields. Booleans are always known.
func Values(user storage.User) []Value {
	var values []Value
	for _, f := range fields {
		switch {
		case f.flag != nil:
			values = append(values, Value{Setting{f.name, strconv.FormatBool(*f.flag(&user))}, true})
		case *f.at(&user) != "":
			values = append(values, Value{Setting{f.name, *f.at(&user)}, false})
		}
	}
	for _, size := range slices.Sorted(maps.Keys(user.Profile.Thumbnails)) {
		values = append(values, Value{Setting{thumbnailPrefix + size, user.Profile.Thumbnails[size]}, false})
	}
	return values
}
