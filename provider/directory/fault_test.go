package directory_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/storage"
)

// gremlin makes a directory that fails the directory works.
func (w *world) gremlin(answer func(op ber.Tag, id int64, request *ber.Packet) [][]byte,
	more map[string]any) *ldaptest.Gremlin {
	w.Helper()
	g := ldaptest.StartGremlin(w, answer)
	all := map[string]any{"hosts": []string{g.URL}, "group_base": ""}
	for name, value := range more {
		all[name] = value
	}
	_, err := w.Rules.Create(w.Context(), w.act(), "works", "openldap", config(all))
	w.must(err)
	return g
}

// bound says yes to every bind, and lets the test answer searches.
func bound(search func(id int64) [][]byte) func(ber.Tag, int64, *ber.Packet) [][]byte {
	return func(op ber.Tag, id int64, _ *ber.Packet) [][]byte {
		if op == ldaptest.Bind {
			return [][]byte{ldaptest.Result(id, 1, 0, "")}
		}
		return search(id)
	}
}

func alice(id int64, dn string) []byte {
	return ldaptest.Entry(id, dn, map[string]string{"uid": "alice", "mail": "alice@works.test", "cn": "Alice",
		"entryUUID": "0001"})
}

// Rule: LDAP-12
func TestWhatADirectoryFailsAtEndsInTime(t *testing.T) {
	end := func(id int64, code int) []byte { return ldaptest.Result(id, 5, code, "") }
	for name, one := range map[string]struct {
		answer func(ber.Tag, int64, *ber.Packet) [][]byte
		kind   fault.Kind
	}{
		"says nothing":          {func(ber.Tag, int64, *ber.Packet) [][]byte { return nil }, fault.Unavailable},
		"stalls after the bind": {bound(func(int64) [][]byte { return nil }), fault.Unavailable},
		"talks nonsense": {func(ber.Tag, int64, *ber.Packet) [][]byte { return [][]byte{[]byte("HTTP/1.1 400\r\n\r\n")} },
			fault.Unavailable},
		"refuses the service account": {func(op ber.Tag, id int64, _ *ber.Packet) [][]byte {
			return [][]byte{ldaptest.Result(id, 1, 49, "")}
		}, fault.Unavailable},
		"refers elsewhere": {bound(func(id int64) [][]byte {
			return [][]byte{ldaptest.Reference(id, "ldap://127.0.0.1:1/dc=evil"), end(id, 0)}
		}), fault.Unauthenticated},
		"is a referral": {bound(func(id int64) [][]byte { return [][]byte{end(id, 10)} }), fault.Unavailable},
		"has an entry elsewhere": {bound(func(id int64) [][]byte {
			return [][]byte{alice(id, "uid=alice,dc=evil,dc=test"), end(id, 0)}
		}), fault.Unauthenticated},
		"has two": {bound(func(id int64) [][]byte {
			return [][]byte{alice(id, ldaptest.PersonDN("alice")), alice(id, ldaptest.PersonDN("alice2")), end(id, 0)}
		}), fault.Unauthenticated},
		"has more than it tells": {bound(func(id int64) [][]byte {
			return [][]byte{alice(id, ldaptest.PersonDN("alice")), end(id, 4)}
		}), fault.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, w *world) {
				w.gremlin(one.answer, nil)
				began := time.Now()
				_, asked, err := w.try("alice", secret)
				if !asked || !fault.Is(err, one.kind) || time.Since(began) > 9*time.Second {
					t.Errorf("after %v asked %v, %v", time.Since(began), asked, err)
				}
			})
		})
	}
	t.Run("answers well", func(t *testing.T) {
		eachEngine(t, func(t *testing.T, w *world) {
			w.gremlin(bound(func(id int64) [][]byte {
				return [][]byte{alice(id, ldaptest.PersonDN("alice")), end(id, 0)}
			}), nil)
			if !w.in("alice", secret) {
				t.Error("she is out")
			}
		})
	})
}

// Rule: LDAP-12
func TestAStalledDirectoryHoldsSixteenAtMost(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, w *world) {
		w.person("here@example.test")
		w.gremlin(bound(func(int64) [][]byte { return nil }), nil)
		var all sync.WaitGroup
		var mu sync.Mutex
		busy := 0
		for range 30 {
			all.Go(func() {
				_, _, err := w.try("alice", secret)
				mu.Lock()
				defer mu.Unlock()
				if fault.HasReason(err, "directory_busy") {
					busy++
				}
			})
		}
		all.Wait()
		if busy != 14 {
			t.Errorf("%d are sent away at once", busy)
		}
		began := time.Now()
		if _, asked, err := w.try("here@example.test", secret); asked || err != nil || time.Since(began) > time.Second {
			t.Errorf("an account here: asked %v, %v after %v", asked, err, time.Since(began))
		}
		if _, _, err := w.try("alice", secret); !fault.Is(err, fault.Unavailable) || time.Since(began) > time.Second {
			t.Errorf("a host that failed is asked again at once: %v after %v", err, time.Since(began))
		}
	})
}

// Rule: LDAP-13
func TestPasswordsGoOverTLSToWhomTheyAreFor(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice"))
	other := ldaptest.Certificates(t, t.TempDir())
	named := strings.Replace(slapd.TLS, "127.0.0.1", "localhost", 1)
	networks := []string{"127.0.0.0/8", "::1/128"}
	for name, one := range map[string]struct {
		more map[string]any
		in   bool
	}{
		"ldaps": {map[string]any{"hosts": []string{slapd.TLS}, "ca": slapd.CA}, true},
		"StartTLS": {map[string]any{"hosts": []string{slapd.URL}, "ca": slapd.CA, "start_tls": true},
			true},
		"clear, on this machine": {map[string]any{"hosts": []string{slapd.URL}}, true},
		"another authority":      {map[string]any{"hosts": []string{slapd.TLS}, "ca": other}, false},
		"no authority":           {map[string]any{"hosts": []string{slapd.TLS}}, false},
		"another name": {map[string]any{"hosts": []string{named}, "ca": slapd.CA, "networks": networks},
			false},
		"StartTLS, another authority": {map[string]any{"hosts": []string{slapd.URL}, "ca": other, "start_tls": true}, false},
		"a network that is not named": {map[string]any{"hosts": []string{slapd.TLS}, "ca": slapd.CA,
			"networks": []string{"10.0.0.0/8"}}, false},
		"TLS where there is none": {map[string]any{"hosts": []string{strings.Replace(slapd.URL, "ldap:", "ldaps:", 1)},
			"ca": slapd.CA}, false},
		"the first host is not one": {map[string]any{"hosts": []string{"ldaps://127.0.0.1:1", slapd.TLS}, "ca": slapd.CA},
			true},
		"the first host is not theirs": {map[string]any{"hosts": []string{named, slapd.TLS}, "ca": slapd.CA,
			"networks": networks}, true},
	} {
		eachEngine(t, func(t *testing.T, w *world) {
			_, err := w.Rules.Create(t.Context(), w.act(), "works", "openldap", config(one.more))
			w.must(err)
			if got := w.in("alice", secret); got != one.in {
				t.Errorf("%s: in %v", name, got)
			}
		})
	}
	eachEngine(t, func(t *testing.T, w *world) {
		for _, host := range []string{"ldap://directory.example", "http://127.0.0.1", "ldap://user@127.0.0.1", "127.0.0.1"} {
			_, err := w.Rules.Create(t.Context(), w.act(), "bad", "openldap", config(map[string]any{"hosts": []string{host}}))
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", host, err)
			}
		}
	})
}

// Rule: LDAP-13
func TestADirectoryWithoutTLSIsToldNoPassword(t *testing.T) {
	for name, answer := range map[string]func(id int64) [][]byte{
		"refuses":          func(id int64) [][]byte { return [][]byte{ldaptest.Result(id, 24, 2, "")} },
		"goes on in clear": func(id int64) [][]byte { return [][]byte{ldaptest.Result(id, 24, 0, "")} },
		"speaks before TLS": func(id int64) [][]byte {
			return [][]byte{append(ldaptest.Result(id, 24, 0, ""), ldaptest.Result(2, 1, 0, "")...)}
		},
	} {
		eachEngine(t, func(t *testing.T, w *world) {
			g := w.gremlin(func(op ber.Tag, id int64, _ *ber.Packet) [][]byte {
				if op == ldaptest.Extended {
					return answer(id)
				}
				return [][]byte{ldaptest.Result(id, 1, 0, "")}
			}, map[string]any{"start_tls": true})
			if _, _, err := w.try("alice", secret); !fault.Is(err, fault.Unavailable) || g.Binds.Load() > 0 {
				t.Errorf("%s: %v, %d binds", name, err, g.Binds.Load())
			}
		})
	}
}

// Rule: LDAP-14
func TestADirectoryComesBackByItself(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		if !w.in("alice", secret) {
			t.Fatal("she is out")
		}
		slapd.Stop()
		if _, _, err := w.try("alice", secret); !fault.Is(err, fault.Unavailable) {
			t.Errorf("it is down: %v", err)
		}
		slapd.Go()
		w.wait(31 * time.Second)
		if !w.in("alice", secret) {
			t.Error("it does not come back")
		}
		slapd.Stop() // connections that are kept are dead, and the host is not
		slapd.Go()
		if !w.in("alice", secret) {
			t.Error("a start between two sign-ins is noticed")
		}
	})
}

// Rule: LDAP-14
func TestAWrongPasswordIsNotToldToTheNextHost(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		refuse := func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
			if op == ldaptest.Search {
				return [][]byte{alice(id, ldaptest.PersonDN("alice")), ldaptest.Result(id, 5, 0, "")}
			}
			if name, _ := request.Children[1].Value.(string); name == ldaptest.Service {
				return [][]byte{ldaptest.Result(id, 1, 0, "")}
			}
			return [][]byte{ldaptest.Result(id, 1, 49,
				"80090308: LdapErr: DSID-0C09041C, comment: AcceptSecurityContext error, data 52e, v4563")}
		}
		second := ldaptest.StartGremlin(t, refuse)
		first := w.gremlin(refuse, nil)
		w.set(map[string]any{"hosts": []string{first.URL, second.URL}})
		if _, _, err := w.try("alice", "wrong"); !fault.Is(err, fault.Unauthenticated) || second.Binds.Load() > 0 {
			t.Errorf("%v, %d binds at the second", err, second.Binds.Load())
		}
	})
}

// Rule: LDAP-6
func TestWhatActiveDirectorySaysOfAPassword(t *testing.T) {
	for data, want := range map[string]string{"52e": "wrong_login", "525": "wrong_login", "533": "wrong_login",
		"701": "wrong_login", "775": "wrong_login", "532": "directory_new_password_there",
		"773": "directory_new_password_there"} {
		eachEngine(t, func(t *testing.T, w *world) {
			w.gremlin(func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
				if op == ldaptest.Search {
					return [][]byte{alice(id, ldaptest.PersonDN("alice")), ldaptest.Result(id, 5, 0, "")}
				}
				if name, _ := request.Children[1].Value.(string); name == ldaptest.Service {
					return [][]byte{ldaptest.Result(id, 1, 0, "")}
				}
				return [][]byte{ldaptest.Result(id, 1, 49,
					"80090308: LdapErr: DSID-0C09041C, comment: AcceptSecurityContext error, data "+data+", v4563")}
			}, nil)
			if _, _, err := w.try("alice", secret); !fault.HasReason(err, want) {
				t.Errorf("%s: %v", data, err)
			}
		})
	}
}

// Rule: LDAP-15
func TestTheServiceAccountsPasswordGoesNowhereElse(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		for _, change := range []string{`{"hosts":["ldaps://evil.example"]}`, `{"ca":""}`, `{"networks":["0.0.0.0/0"]}`} {
			if _, err := w.Rules.Set(t.Context(), w.act(), "works", changed(change)); !fault.HasReason(err, "secret_needed") {
				t.Errorf("%s: %v", change, err)
			}
		}
		_, err := w.Rules.Set(t.Context(), w.act(), "works", changed(`{"logins":["uid"]}`))
		w.must(err)
		view, err := w.Rules.Show(t.Context(), "works")
		kept, failed := w.Store.FindUpstream(t.Context(), "works")
		if err != nil || failed != nil || !view.HasSecret || strings.Contains(string(kept.Secret)+kept.Config+w.said.String(),
			ldaptest.Password) {
			t.Errorf("the password is readable: %+v", view)
		}
	})
}

// Rule: LDAP-16
func TestWhoSignsInByADirectoryAloneDoesNotSignInHere(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice", "bob"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, map[string]any{"link": "verified"})
		alone := storage.User{}
		set := func(exclusive bool) error {
			_, err := w.Rules.Set(t.Context(), w.act(), "works", exclusively(exclusive))
			return err
		}
		if err := set(true); !fault.HasReason(err, "no_way_in") {
			t.Errorf("no administrator would get in: %v", err)
		}
		admin, yes := w.person("root@works.test"), true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), admin, &yes))
		w.must(set(true))
		alone = w.person("stranger@works.test")
		for _, name := range []string{alone.Email, "nobody@works.test"} {
			if _, asked, err := w.try(name, secret); !asked || !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%s: asked %v, %v", name, asked, err)
			}
		}
		if _, asked, _ := w.try("root@works.test", secret); asked {
			t.Error("the administrator does not get in")
		}
		if claimed, err := w.Rules.Claims(t.Context(), alone); err != nil || len(claimed) != 1 {
			t.Errorf("another way in is open: %v", err)
		}
		claimed, err := w.Rules.Claims(t.Context(), storage.User{Email: "a@example.test"})
		if err != nil || len(claimed) > 0 {
			t.Errorf("other domains are claimed: %v", err)
		}
		if !w.in("bob@works.test", secret) {
			t.Error("he is out")
		}
	})
}

// Rule: LDAP-16
func TestADomainSignsInByADirectoryAloneInWhicheverLettersItIsWritten(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		admin, yes := w.person("root@example.test"), true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), admin, &yes))
		change := exclusively(true)
		change.Domains = &[]string{"münchen.test"}
		_, err := w.Rules.Set(t.Context(), w.act(), "works", change)
		w.must(err)
		for _, address := range []string{"a@münchen.test", "b@xn--mnchen-3ya.test", "c@XN--MNCHEN-3YA.test"} {
			user := w.person(address)
			if claimed, err := w.Rules.Claims(t.Context(), user); err != nil || len(claimed) != 1 {
				t.Errorf("%s signs in by a passkey: %v", address, err)
			}
			if _, asked, err := w.try(address, secret); !asked || !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%s: asked %v, %v", address, asked, err)
			}
		}
	})
}

// Rule: LDAP-16
func TestWhoSignsInByADirectoryAloneHasTheAccountWithTheirAddress(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice", "bob", "root"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		admin, root, yes := w.person("root@example.test"), w.person("root@works.test"), true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), admin, &yes))
		w.must(w.Store.UpdateUser(t.Context(), w.act(), root, &yes))
		signedUp := w.person("alice@works.test")
		invited := storage.User{ID: w.ambient.PersonID(), Email: "bob@works.test", CreatedAt: w.ambient.Now(),
			UpdatedAt: w.ambient.Now(), Profile: storage.Profile{Name: "Bob"}}
		w.must(w.Store.CreateUser(t.Context(), w.act(), invited, ""))
		for _, name := range []string{"alice", "bob"} {
			if w.in(name, secret) {
				t.Errorf("%s has the account though it could be connected", name)
			}
		}
		_, err := w.Rules.Set(t.Context(), w.act(), "works", exclusively(true))
		w.must(err)
		for name, user := range map[string]storage.User{"alice": signedUp, "bob": invited} {
			if s, _, err := w.try(name, secret); err != nil || s.User.ID != user.ID {
				t.Errorf("%s is %q: %v", name, s.User.ID, err)
			}
		}
		if w.in("root", secret) {
			t.Error("the account of an administrator became the directory's")
		}
	})
}
