package identity

import (
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type userRow struct {
	ID            string               `db:"id"`
	Email         string               `db:"email"`
	EmailKey      string               `db:"email_key"`
	EmailVerified bool                 `db:"email_verified"`
	Username      string               `db:"username"`
	UsernameKey   engine.Optional      `db:"username_key"` // NULL for no name: any number may have none
	NameKey       string               `db:"name_key"`
	Admin         bool                 `db:"admin"`
	Disabled      bool                 `db:"disabled"`
	TwoFactor     bool                 `db:"two_factor"`
	PasswordHash  string               `db:"password_hash"`
	Profile       engine.JSON[profile] `db:"profile"`
	CreatedAt     engine.Instant       `db:"created_at"`
	UpdatedAt     engine.Instant       `db:"updated_at"`
	LastSignInAt  engine.Instant       `db:"last_sign_in_at"`
}

// userColumns are those that make a storage.User.
const userColumns = `id, email, email_verified, username, admin, disabled, two_factor, profile,
	created_at, updated_at, last_sign_in_at`

func newUserRow(u storage.User) userRow {
	return userRow{
		ID: u.ID, Email: u.Email, EmailKey: textkey.Fold(u.Email), EmailVerified: u.EmailVerified,
		Username: u.Username, UsernameKey: engine.Optional(textkey.Fold(u.Username)),
		NameKey: textkey.Fold(u.Profile.Name),
		Admin:   u.Admin, Disabled: u.Disabled, Profile: engine.JSON[profile]{V: newProfile(u.Profile)},
		CreatedAt: engine.At(u.CreatedAt), UpdatedAt: engine.At(u.UpdatedAt), LastSignInAt: engine.At(u.LastSignInAt),
	}
}

func (r userRow) record() storage.User {
	return storage.User{
		ID: r.ID, Email: r.Email, EmailVerified: r.EmailVerified, Username: r.Username,
		Admin: r.Admin, Disabled: r.Disabled, TwoFactor: r.TwoFactor, Profile: r.Profile.V.record(),
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, LastSignInAt: r.LastSignInAt.Time,
	}
}

// profile is the JSON object of users.profile. Its names are those of the
// fields of S1 2.9 and must stay: they are in everyone's database.
type profile struct {
	Name                string            `json:"name,omitempty"`
	GivenName           string            `json:"given_name,omitempty"`
	FamilyName          string            `json:"family_name,omitempty"`
	ProfileURL          string            `json:"profile,omitempty"`
	PictureURL          string            `json:"picture,omitempty"`
	Locale              string            `json:"locale,omitempty"`
	CountryCode         string            `json:"country_code,omitempty"`
	PhoneNumber         string            `json:"phone_number,omitempty"`
	PhoneNumberVerified bool              `json:"phone_number_verified,omitempty"`
	Address             *address          `json:"address,omitempty"`
	JobTitle            string            `json:"job_title,omitempty"`
	Industry            string            `json:"industry,omitempty"`
	IndustryCode        string            `json:"industry_code,omitempty"`
	AboutMe             string            `json:"about_me,omitempty"`
	Language            string            `json:"language,omitempty"`
	Company             string            `json:"company,omitempty"`
	EIDMGUID            string            `json:"eidm_guid,omitempty"`
	OptIn               bool              `json:"opt_in,omitempty"`
	LDAPDomain          string            `json:"ldap_domain,omitempty"`
	Thumbnails          map[string]string `json:"thumbnails,omitempty"`
}

type address struct {
	StreetAddress string `json:"street_address,omitempty"`
	Locality      string `json:"locality,omitempty"`
	Region        string `json:"region,omitempty"`
	PostalCode    string `json:"postal_code,omitempty"`
	Country       string `json:"country,omitempty"`
}

func newProfile(p storage.Profile) profile {
	stored := profile{
		Name: p.Name, GivenName: p.GivenName, FamilyName: p.FamilyName,
		ProfileURL: p.ProfileURL, PictureURL: p.PictureURL, Locale: p.Locale, CountryCode: p.CountryCode,
		PhoneNumber: p.PhoneNumber, PhoneNumberVerified: p.PhoneNumberVerified,
		JobTitle: p.JobTitle, Industry: p.Industry, IndustryCode: p.IndustryCode,
		AboutMe: p.AboutMe, Language: p.Language, Company: p.Company,
		EIDMGUID: p.EIDMGUID, OptIn: p.OptIn, LDAPDomain: p.LDAPDomain, Thumbnails: p.Thumbnails,
	}
	if p.Address != (storage.Address{}) {
		stored.Address = (*address)(&p.Address)
	}
	return stored
}

func (p profile) record() storage.Profile {
	record := storage.Profile{
		Name: p.Name, GivenName: p.GivenName, FamilyName: p.FamilyName,
		ProfileURL: p.ProfileURL, PictureURL: p.PictureURL, Locale: p.Locale, CountryCode: p.CountryCode,
		PhoneNumber: p.PhoneNumber, PhoneNumberVerified: p.PhoneNumberVerified,
		JobTitle: p.JobTitle, Industry: p.Industry, IndustryCode: p.IndustryCode,
		AboutMe: p.AboutMe, Language: p.Language, Company: p.Company,
		EIDMGUID: p.EIDMGUID, OptIn: p.OptIn, LDAPDomain: p.LDAPDomain, Thumbnails: p.Thumbnails,
	}
	if p.Address != nil {
		record.Address = storage.Address(*p.Address)
	}
	return record
}
