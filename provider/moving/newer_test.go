package moving_test

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/moving"
)

// Authelia knows more of people since 4.39, and Dex since groups came to static passwords.
//
// Rule: MOVE-5
func TestWhatNewerReleasesKnowOfPeopleComesToo(t *testing.T) {
	for from, c := range map[string]struct{ file, want string }{
		moving.FromAuthelia: {`users: {cy: {displayname: Cy Young, email: cy@example.test, given_name: Cy, middle_name: K.,
			family_name: Young, nickname: C, zoneinfo: Europe/Berlin, locale: de, phone_number: "+49 30 1234567"}}`,
			`{"user":{"disabled":false,"email":"cy@example.test","email_verified":true,"family_name":"Young","given_name":"Cy","groups":[],` +
				`"locale":"de","middle_name":"K.","name":"Cy Young","nickname":"C","phone_number":"+49 30 1234567",` +
				`"zoneinfo":"Europe/Berlin"}}`},
		moving.FromDex: {`{"staticPasswords":[{"email":"cy@example.test","username":"Cy Young","preferredUsername":"cy.young",
			"groups":["admins","dev"]}]}`,
			`{"user":{"email":"cy@example.test","email_verified":true,"groups":["admins","dev"],"name":"Cy Young",` +
				`"preferred_username":"cy.young"}}`},
	} {
		var out strings.Builder
		err := moving.Convert(from, []io.Reader{strings.NewReader(c.file)}, &out, fits)
		if err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v\n%s, not\n%s", from, err, out.String(), c.want)
		}
		if report := newHouse(t).imports(moving.How{}, out.String()); report.Wrong > 0 {
			t.Errorf("%s: %+v", from, report)
		}
	}
}

// Both tell apps that an address is verified, unless Dex is told otherwise: Kubernetes lets nobody in by another one.
// Since there is a name, the user name of Dex is none.
//
// Rule: MOVE-5
func TestAppsAreToldOfPeopleWhatTheyWereToldByTheProductBefore(t *testing.T) {
	for _, c := range []struct {
		from, file, name string
		verified         bool
	}{
		{moving.FromAuthelia, `users: {cy.young: {displayname: Cy, email: cy@example.test}}`, "Cy", true},
		{moving.FromDex, `{"staticPasswords":[{"email":"cy@example.test","username":"cy.young"}]}`, "cy.young", true},
		{moving.FromDex, `{"staticPasswords":[{"email":"cy@example.test","username":"cy.young","name":"Cy Young",
			"emailVerified":true}]}`, "Cy Young", true},
		{moving.FromDex, `{"staticPasswords":[{"email":"cy@example.test","username":"cy.young","emailVerified":false}]}`,
			"cy.young", false},
	} {
		var out strings.Builder
		err := moving.Convert(c.from, []io.Reader{strings.NewReader(c.file)}, &out, fits)
		h := newHouse(t)
		h.imports(moving.How{}, out.String())
		user, _, findErr := h.store.FindUserByLogin(t.Context(), "cy@example.test")
		if err := errors.Join(err, findErr); err != nil || user.Profile.Name != c.name || user.EmailVerified != c.verified ||
			user.Username != "cy.young" {
			t.Errorf("%s: %v, %q with %v, %q", c.file, err, user.Profile.Name, user.EmailVerified, user.Username)
		}
	}
}

// Nobody has looked there whether these are what they are called. Numbers are read as they are written.
//
// Rule: MOVE-5
func TestWhatDoesNotFitAFieldIsLeftOutAndItsPersonComes(t *testing.T) {
	for from, c := range map[string]struct {
		file string
		want []string
	}{
		moving.FromAuthelia: {`users: {cy.young: {displayname: Cy, email: cy@example.test, zoneinfo: Mars, phone_number: 030 1234,
			birthdate: 1990-01-02, extra: {badge: 7}, address: {locality: Berlin}}, dora.may: {displayname: Dora,
			email: dora@example.test, phone_number: +49301234567, nickname: ~}}`,
			[]string{`"phone_number":"+49301234567"`, `"birthdate":"1990-01-02"`, `"address.locality":"Berlin"`,
				"Values that can't be had here are left out: phone_number of cy.young, zoneinfo of cy.young.",
				"Attributes of people that are left out: extra."}},
		moving.FromKeycloak: {`{"realm":"r","users":[{"username":"cy.young","email":"cy@example.test","enabled":true,
			"attributes":{"phoneNumber":["030 / 1234"],"locale":["de"]}}]}`,
			[]string{`"locale":"de"`, "Values that can't be had here are left out: phone_number of cy.young."}},
	} {
		var out strings.Builder
		err := moving.Convert(from, []io.Reader{strings.NewReader(c.file)}, &out, fits)
		report := newHouse(t).imports(moving.How{}, out.String())
		for _, want := range c.want {
			if err != nil || report.Wrong > 0 || !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %s: %v, %+v\n%s", from, want, err, report, out.String())
			}
		}
	}
}

// Dex takes hashes in base64, too, as its database has them.
//
// Rule: MOVE-5
func TestAHashOfDexInBase64IsOne(t *testing.T) {
	const hash = "$2b$10$UmwTydoqcwCkroFtRlIf2u2TNEBDu3r87pY1BiAdYNrLMjw.sIXHu"
	for said, want := range map[string]string{
		hash: hash,
		base64.StdEncoding.EncodeToString([]byte(hash)):        hash,
		base64.StdEncoding.EncodeToString([]byte(hash + "\n")): hash, // as a shell makes it
		hash + `\n`: hash,
		base64.StdEncoding.EncodeToString([]byte("x")): "eA==",
		"no base64": "no base64",
	} {
		var out strings.Builder
		file := `{"staticPasswords":[{"email":"cy@example.test","hash":"` + said + `"}]}`
		err := moving.Convert(moving.FromDex, []io.Reader{strings.NewReader(file)}, &out, fits)
		if err != nil || !strings.Contains(out.String(), `"password_hash":"`+want+`"`) {
			t.Errorf("%s: %v, %s", said, err, out.String())
		}
	}
}
