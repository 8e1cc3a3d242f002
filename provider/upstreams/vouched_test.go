package upstreams

import "testing"

// Rules: FED-10, FED-17
func TestWhoseAddressCounts(t *testing.T) {
	google := Config{Issuer: "https://accounts.google.com"}
	entra := Config{Issuer: "https://login.microsoftonline.com/t1/v2.0", Tenants: []string{"t1"}, Trust: true}
	trusted, plain := Config{Trust: true}, Config{}
	vouching := Config{Vouch: []string{"works.test"}}
	several := Config{Vouch: []string{"works.test"}, Tenants: []string{"t1", "t2"}}
	for _, one := range []struct {
		why      string
		config   Config
		email    string
		verified any
		edov     any
		tenant   string
		hosted   string
		want     bool
	}{
		{"Google, its own mail", google, "a@gmail.com", true, nil, "", "", true},
		{"Google, an organisation's", google, "a@works.test", true, nil, "", "works.test", true},
		{"Google, anybody's mail elsewhere", google, "a@works.test", true, nil, "", "", false},
		{"Google, not verified", google, "a@gmail.com", false, nil, "", "", false},
		{"Entra, the domain was checked", entra, "a@works.test", nil, true, "t1", "", true},
		{"Entra, as a text", entra, "a@works.test", nil, "true", "t1", "", true},
		{"Entra, as it writes it at times", entra, "a@works.test", nil, "1", "t1", "", true},
		{"Entra, as a number", entra, "a@works.test", nil, 1.0, "t1", "", true},
		{"Entra, what an administrator wrote", entra, "a@works.test", true, nil, "t1", "", false},
		{"Entra, not checked", entra, "a@works.test", true, false, "t1", "", false},
		{"trusted, verified", trusted, "a@works.test", true, nil, "", "", true},
		{"trusted, as Apple writes it", trusted, "a@works.test", "true", nil, "", "", true},
		{"trusted, silent", trusted, "a@works.test", nil, nil, "", "", false},
		{"trusted, no address", trusted, "", true, nil, "", "", false},
		{"not trusted", plain, "a@works.test", true, nil, "", "", false},
		{"vouches, silent", vouching, "a@works.test", nil, nil, "", "", true},
		{"vouches, another domain", vouching, "a@other.test", true, nil, "", "", false},
		{"vouches, and says no", vouching, "a@works.test", false, nil, "", "", false},
		{"vouches, and says no as Entra does at times", vouching, "a@works.test", nil, "0", "", "", false},
		{"vouches, and says no as a number", vouching, "a@works.test", nil, 0.0, "", "", false},
		{"vouches, several tenants", several, "a@works.test", nil, nil, "t2", "", false},
	} {
		said := proof{config: one.config, Described: Described{Email: one.email, EmailVerified: one.verified, EdOV: one.edov}}
		if got := said.vouched(idToken{Tenant: one.tenant, Hosted: one.hosted}); got != one.want {
			t.Errorf("%s: %v", one.why, got)
		}
	}
}
