package people_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

// Rules: INFO-10, HOME-6
func TestEveryEditableFieldOfTheUserInfoResponseCanBeSetAndCleared(t *testing.T) {
	h := newHouse(t)
	user := h.user(t, "person@example.test")
	settings := []people.Setting{
		{"name", "A Person"}, {"given_name", "A"}, {"family_name", "Person"}, {"preferred_username", "a.person"},
		{"email", "other@example.test"}, {"email_verified", "true"},
		{"profile", "https://example.test/a"}, {"picture", "https://example.test/a.png"},
		{"middle_name", "Middle"}, {"nickname", "Nick"}, {"website", "https://example.test/"}, {"gender", "other"},
		{"birthdate", "0000-02-29"}, {"zoneinfo", "Europe/Paris"}, {"locale", "en_us"}, {"country_code", "us"},
		{"address.street_address", "1 High Street\r\nBack door"}, {"address.locality", "Town"}, {"address.region", "Region"},
		{"address.postal_code", "12345"}, {"address.country", "Country"},
		{"phone_number", "+1 (425) 555-1212;ext=7"}, {"phone_number_verified", "true"},
		{"ldap_domain", "corp"}, {"job_title", "Engineer"}, {"industry", "Building"}, {"industry_code", "B1"},
		{"about_me", "Two\nlines 👩‍🚀"}, {"language", "EN"}, {"company", "Company"},
		{"eidm_guid", "GUID-1"}, {"opt_in", "true"},
		{"thumbnails.sizeX64", "https://example.test/64.png"}, {"thumbnails.sizeX128", "https://example.test/128.png"},
	}
	if len(settings) != len(people.Fields())+1 {
		t.Errorf("%d fields are set, %d can be", len(settings), len(people.Fields()))
	}
	got := h.update(t, user.ID, settings...)
	want := user
	want.UpdatedAt = got.UpdatedAt
	want.Email, want.EmailVerified, want.Username = "other@example.test", true, "a.person"
	want.Profile = storage.Profile{
		Name: "A Person", GivenName: "A", FamilyName: "Person", MiddleName: "Middle", Nickname: "Nick",
		Website: "https://example.test/", Gender: "other", Birthdate: "0000-02-29", Zone: "Europe/Paris",
		ProfileURL: "https://example.test/a", PictureURL: "https://example.test/a.png", Locale: "en-US", CountryCode: "US",
		PhoneNumber: "+1 (425) 555-1212;ext=7", PhoneNumberVerified: true,
		Address: storage.Address{StreetAddress: "1 High Street\nBack door", Locality: "Town", Region: "Region",
			PostalCode: "12345", Country: "Country"},
		JobTitle: "Engineer", Industry: "Building", IndustryCode: "B1", AboutMe: "Two\nlines 👩‍🚀", Language: "en",
		Company: "Company", EIDMGUID: "GUID-1", OptIn: true, LDAPDomain: "corp",
		Thumbnails: map[string]string{"sizeX64": "https://example.test/64.png", "sizeX128": "https://example.test/128.png"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	var clearing []people.Setting
	for _, s := range settings {
		switch s.Field {
		case "name", "email":
		case "email_verified", "phone_number_verified", "opt_in":
			clearing = append(clearing, people.Setting{s.Field, "false"})
		default:
			clearing = append(clearing, people.Setting{s.Field, ""})
		}
	}
	got = h.update(t, user.ID, clearing...)
	want.UpdatedAt, want.EmailVerified, want.Username, want.Profile = got.UpdatedAt, false, "",
		storage.Profile{Name: "A Person"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cleared -want +got:\n%s", diff)
	}
}

// Rules: INFO-10, PAGE-14
func TestValuesThatDoNotFitTheirField(t *testing.T) {
	h := newHouse(t)
	user := h.user(t, "person@example.test")
	long := strings.Repeat("x", 255)
	tests := map[string]struct{ good, bad []string }{
		"name": {[]string{"Ö", "مهندس", "Site-Engineer's 3rd", "山田\u3000太郎"},
			[]string{"", "  ", "\u3000", "\u2800", "\u3164", "a\nb", "a\x00b", "a\u202eb", long, "\xff"}},
		"email": {[]string{"a@b", "a.b+c@example.test", "ö@exämple.test", "A@EXAMPLE.test",
			" padded@example.test "}, []string{"", "a", "@example.test", "a@", "a@b@c.test", "a b@example.test",
			"a\u3000b@example.test", "a\u00a0b@example.test", "A <a@example.test>",
			"a@example.test, b@example.test", `"a b"@example.test`, "a@[127.0.0.1]", "a@-x.test",
			"a@exam_ple.test", "a@example..test", ".a@example.test", "a@example.test\r\nx",
			strings.Repeat("x", 65) + "@example.test", "a@" + strings.Repeat("x.", 130) + "test"}},
		"locale":   {[]string{"en-US", "de", "zh-Hant-TW"}, []string{"english", "e", "und", "xx-YY-"}},
		"language": {[]string{"en", "deu"}, []string{"e", "en-US", "zz"}},
		"country_code": {[]string{"US", "de", "GBR"},
			[]string{"ZZ", "840", "EU-DE", "USA1", "001"}},
		"phone_number": {[]string{"+14255551212", "+49 30 1234567", "+1 (425) 555-1212"},
			[]string{"0301234567", "+", "+1", "+1 425 x", "+12345678901234567", "+1--2345678"}},
		"profile": {[]string{"https://example.test/", "http://localhost:80/?a=b"},
			[]string{"example.test", "//example.test", "javascript:alert(1)", "ftp://example.test", "https://a@example.test",
				"https://", "https://exam ple.test", "https://example.test/a\u3000b"}},
		"email_verified": {[]string{"true", "false"}, []string{"", "yes", "1", "TRUE"}},
		"preferred_username": {[]string{"abc", "a.b-c_9"},
			[]string{"ab", "a@b", "a b", "äöü", ".abc", "abc-", strings.Repeat("x", 65)}},
		"eidm_guid":             {[]string{"ABC123"}, []string{"a b", "ä"}},
		"about_me":              {[]string{strings.Repeat("ä", 2000)}, []string{strings.Repeat("ä", 2001), "a\tb"}},
		"thumbnails.sizeX20":    {[]string{"https://example.test/20.png"}, []string{"x.png"}},
		"address.postal_code":   {[]string{"SW1A 1AA"}, []string{"1\n2"}},
		"phone_number_verified": {[]string{"true"}, []string{"on"}},
	}
	for field, tt := range tests {
		t.Run(field, func(t *testing.T) {
			for _, value := range tt.good {
				if _, err := h.people.Update(t.Context(), h.act(), user.ID,
					people.Change{Settings: []people.Setting{{field, value}}}); err != nil {
					t.Errorf("%q: %v", value, err)
				}
			}
			before := h.find(t, user.ID)
			for _, value := range tt.bad {
				_, err := h.people.Update(t.Context(), h.act(), user.ID, people.Change{Settings: []people.Setting{{field, value}}})
				if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, people.ReasonField) || fault.From(err).Source != field {
					t.Errorf("%q: got %v", value, err)
				}
			}
			if diff := cmp.Diff(before, h.find(t, user.ID)); diff != "" {
				t.Errorf("a refused value changed something:\n%s", diff)
			}
		})
	}
}

func TestFieldsThatNobodyCanSet(t *testing.T) {
	h := newHouse(t)
	user := h.user(t, "person@example.test")
	for _, field := range []string{"sub", "updated_at", "is_2fa_enabled", "ldap_enabled", "created_date",
		"last_login_date", "social_userinfo_list", "address", "thumbnails", "thumbnails.64", "thumbnails.sizeX0",
		"thumbnails.sizeX", "shoe_size", "", "Name"} {
		_, err := h.people.Update(t.Context(), h.act(), user.ID, people.Change{Settings: []people.Setting{{field, "x"}}})
		if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, people.ReasonNoField) {
			t.Errorf("%q: got %v", field, err)
		}
	}
}

func TestAllWrongFieldsAreReportedAtOnce(t *testing.T) {
	h := newHouse(t)
	_, err := h.people.Create(t.Context(), h.act(), people.Newcomer{Email: "x", Username: "@", Password: "short",
		Settings: []people.Setting{{"opt_in", "maybe"}}})
	var sources []string
	for _, f := range fault.All(err) {
		sources = append(sources, f.Source)
	}
	if diff := cmp.Diff([]string{"email", "name", "preferred_username", "opt_in", "password"}, sources); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWhatWasVerifiedWasTheOldOne(t *testing.T) {
	h := newHouse(t)
	user := h.user(t, "person@example.test")
	h.update(t, user.ID, people.Setting{"email_verified", "true"}, people.Setting{"phone_number", "+14255551212"},
		people.Setting{"phone_number_verified", "true"})
	got := h.update(t, user.ID, people.Setting{"email", "other@example.test"},
		people.Setting{"phone_number", "+14255551213"})
	if got.EmailVerified || got.Profile.PhoneNumberVerified {
		t.Error("a new address or number is still verified")
	}
	got = h.update(t, user.ID, people.Setting{"email_verified", "true"}, people.Setting{"email", "third@example.test"})
	if !got.EmailVerified {
		t.Error("the change said that the new address is verified")
	}
}

func TestASettingIsFieldEqualsValue(t *testing.T) {
	got, err := people.ParseSetting("about_me=a=b")
	if diff := cmp.Diff(people.Setting{"about_me", "a=b"}, got); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
	for _, bad := range []string{"", "about_me", "=x"} {
		if _, err := people.ParseSetting(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// DNS, and so mail, takes wide letters and such for those that they stand for.
//
// Rule: JOIN-9
func TestAMailboxIsOneAddressHoweverItsDomainIsWritten(t *testing.T) {
	h := newHouse(t)
	h.user(t, "person@works.test")
	for _, address := range []string{"person@ｗorks.test", "person@ⓦorks.test", "person@works。test", "person@ＷＯＲＫＳ.ＴＥＳＴ"} {
		_, err := h.people.Create(t.Context(), h.act(), people.Newcomer{Email: address, Name: "Another"})
		if !fault.HasReason(err, storage.ReasonEmailTaken) {
			t.Errorf("%s has an account of its own: %v", address, err)
		}
		if to, err := people.CheckAddress(address); to != "person@works.test" || err != nil {
			t.Errorf("%s is %q: %v", address, to, err)
		}
	}
	for _, address := range []string{"a@MÜNCHEN.test", "a@straße.test", "a@Works.test", "a@xn--mnchen-3ya.test"} {
		if to, err := people.CheckAddress(address); to != address || err != nil {
			t.Errorf("%s is %q: %v", address, to, err)
		}
	}
}
