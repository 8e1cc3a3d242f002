package identity

import (
	"time"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// userRow is a user with what they are found by. The profile is one column.
type userRow struct {
	storage.User
	EmailKey     string
	UsernameKey  *string // NULL for no name: any number may have none
	NameKey      string
	SearchKey    string
	PasswordHash string
	Profile      engine.JSON[storedProfile]
	ChangedAt    time.Time // of a change; when they were changed last is what was read
}

// UserRow is a user as other rooms read them, by UserColumns.
type UserRow = userRow

// UserColumns are those that make a storage.User.
const UserColumns = userColumns

const (
	// userColumns are those that make a storage.User.
	userColumns = `id, ` + ownUserColumns +
		`, admin, disabled, two_factor, portrait, created_at, updated_at, last_sign_in_at, ends_at`

	ownUserColumns = `email, email_verified, username, profile`

	userKeyColumns = `email_key, username_key, name_key, search_key`
)

func newUserRow(u storage.User) userRow {
	u.TwoFactor, u.Portrait = false, "" // nobody is made with one: see FactorStore, SetPortrait
	row := userRow{
		User: u, EmailKey: textkey.Fold(u.Email), UsernameKey: orNull(textkey.Fold(u.Username)),
		NameKey: textkey.Fold(u.Profile.Name), Profile: engine.JSON[storedProfile]{V: newProfile(u.Profile)},
	}
	row.SearchKey = row.searchKey()
	return row
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Record returns the user of the row.
func (r userRow) Record() storage.User {
	r.User.Profile = r.Profile.V.record()
	return r.User
}

// profile is the JSON object of users.profile. Its names are those of the
// fields of S1 2.9 and must stay: they are in everyone's database.
type profile struct {
	Name                string            `json:"name,omitempty"`
	GivenName           string            `json:"given_name,omitempty"`
	FamilyName          string            `json:"family_name,omitempty"`
	MiddleName          string            `json:"middle_name,omitempty"`
	Nickname            string            `json:"nickname,omitempty"`
	Website             string            `json:"website,omitempty"`
	Gender              string            `json:"gender,omitempty"`
	Birthdate           string            `json:"birthdate,omitempty"`
	Zone                string            `json:"zoneinfo,omitempty"`
	ProfileURL          string            `json:"profile,omitempty"`
	PictureURL          string            `json:"picture,omitempty"`
	Locale              string            `json:"locale,omitempty"`
	CountryCode         string            `json:"country_code,omitempty"`
	PhoneNumber         string            `json:"phone_number,omitempty"`
	PhoneNumberVerified bool              `json:"phone_number_verified,omitempty"`
	Address             storage.Address   `json:"-"` // see storedProfile
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

// storedProfile is a profile with its address, whose fields have other names here.
type storedProfile struct {
	profile
	Address address `json:"address,omitzero"`
}

func newProfile(p storage.Profile) storedProfile {
	return storedProfile{profile(p), address(p.Address)}
}

func (p storedProfile) record() storage.Profile {
	p.profile.Address = storage.Address(p.Address)
	return storage.Profile(p.profile)
}
