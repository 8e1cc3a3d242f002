package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

const (
	crowd       = 64
	crowdPeople = 16 // each with four browsers: fewer than an account may try at once
)

// Rule: SERVER-16
func TestSixtyFourClientsOnFourConnectionsNeitherStallNorFail(t *testing.T) {
	t.Parallel()
	s := start(t, pgtest.URL(t), "DATABASE_POOL=4")
	for i := range crowdPeople {
		s.person(personOf(i))
	}
	const leaving = "https://app.example.test/bye"
	c := s.client("--redirect-uri", callback, "--post-logout-uri", leaving, "--scope", "openid email data:read")
	var all sync.WaitGroup
	for i := range crowd {
		all.Go(func() {
			v := s.visitor(personOf(i))
			v.address = "192.0.2." + strconv.Itoa(i)
			if err := v.everything(c, leaving); err != nil {
				t.Errorf("client %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

func personOf(i int) string { return "person" + strconv.Itoa(i%crowdPeople) + "@example.test" }

// everything goes through every flow once, from sign-in to sign-out.
func (v *visitor) everything(c client, leaving string) error {
	code, err := v.tryCode(c)
	if err != nil {
		return err
	}
	first := v.redeem(c, code)
	second := v.refresh(c, first.text("refresh_token"))
	access := second.text("access_token")
	steps := []struct {
		name string
		got  answer
	}{
		{"code", first},
		{"refresh", second},
		{"client credentials", v.token(c, "grant_type", "client_credentials")},
		{"user info", v.userInfo(access)},
		{"introspection", v.send(introspectPath, c, "token", access)},
		{"revocation", v.send(revokePath, c, "token", second.text("refresh_token"), "token_type_hint", "refresh_token")},
	}
	for _, step := range steps {
		if step.got.Status != http.StatusOK {
			return fmt.Errorf("%s: %d %s", step.name, step.got.Status, step.got.Body)
		}
	}
	return v.leave(first.text("id_token"), leaving)
}

// leave signs out at the app's wish.
func (v *visitor) leave(idToken, leaving string) error {
	p, err := v.open(v.URL + logoutPath + "?" +
		form("id_token_hint", idToken, "post_logout_redirect_uri", leaving).Encode())
	if err != nil {
		return err
	}
	if p.Away == nil || !strings.HasPrefix(p.Away.String(), leaving) {
		return fmt.Errorf("signing out ends on %s, status %d", p.At, p.Status)
	}
	for _, cookie := range v.http.Jar.Cookies(must(url.Parse(v.URL))) {
		if cookie.Name == "portico" {
			return fmt.Errorf("signed out, the browser still has %v", cookie)
		}
	}
	return nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
