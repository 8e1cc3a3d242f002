package commands

import (
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

// userJSON is a user on the command line: who they are, and under "profile"
// the fields of the user info response that are known (S1 section 2.9).
type userJSON struct {
	ID            string         `json:"id"`
	Email         string         `json:"email"`
	EmailVerified bool           `json:"email_verified"`
	Username      string         `json:"username"`
	Name          string         `json:"name"`
	Admin         bool           `json:"admin"`
	Disabled      bool           `json:"disabled"`
	TwoFactor     bool           `json:"is_2fa_enabled"`
	Profile       map[string]any `json:"profile"`
	CreatedAt     time.Time      `json:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at"`
	LastSignInAt  *time.Time     `json:"last_sign_in_at"`
}

func toUserJSON(u storage.User) userJSON {
	return userJSON{
		ID: u.ID, Email: u.Email, EmailVerified: u.EmailVerified, Username: u.Username, Name: u.Profile.Name,
		Admin: u.Admin, Disabled: u.Disabled, TwoFactor: u.TwoFactor, Profile: toProfileJSON(u),
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, LastSignInAt: adminapi.Moment(u.LastSignInAt),
	}
}

// toProfileJSON is flat, with the names --set takes, so that what was read can
// be set again.
func toProfileJSON(u storage.User) map[string]any {
	profile := map[string]any{}
	for _, v := range people.Values(u) {
		switch v.Field {
		case people.FieldEmail, people.FieldEmailVerified, people.FieldUsername, people.FieldName:
			continue
		}
		profile[v.Field] = v.Value
		if v.Boolean {
			profile[v.Field] = v.Value == "true"
		}
	}
	return profile
}

func (e *Env) printUser(asJSON bool, u storage.User) error {
	if asJSON {
		return e.printJSON(toUserJSON(u))
	}
	rows := []row{{"id", u.ID}}
	for _, v := range people.Values(u) {
		rows = append(rows, row{v.Field, v.Value})
	}
	e.printRows(append(rows,
		row{"admin", yesNo(u.Admin)}, row{"disabled", yesNo(u.Disabled)}, row{"second factor", yesNo(u.TwoFactor)},
		row{"created", moment(u.CreatedAt)}, row{"updated", moment(u.UpdatedAt)}, row{"last sign-in", moment(u.LastSignInAt)},
	))
	return nil
}

func (e *Env) printUsers(asJSON bool, users []storage.User) error {
	const header = "ID EMAIL USERNAME NAME STATE LAST-SIGN-IN"
	return printList(e, asJSON, "users", header, users, toUserJSON, func(u storage.User) []string {
		return []string{u.ID, u.Email, u.Username, u.Profile.Name, standing(u.Admin, u.Disabled), moment(u.LastSignInAt)}
	})
}

// standing says in a word or two what is special about a user.
func standing(admin, disabled bool) string {
	switch {
	case disabled:
		return "disabled"
	case admin:
		return "administrator"
	}
	return "enabled"
}
