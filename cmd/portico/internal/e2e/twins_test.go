package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

// twins are two server processes on one PostgreSQL, as behind a balancer.
func twins(t *testing.T, settings ...string) [2]*site {
	t.Helper()
	return twinsOn(t, pgtest.URL(t), settings...)
}

func twinsOn(t *testing.T, database string, settings ...string) [2]*site {
	t.Helper()
	return [2]*site(serversOn(t, database, 2, settings...))
}

// serversOn are so many processes on one database, under one name.
func serversOn(t *testing.T, database string, n int, settings ...string) []*site {
	t.Helper()
	first := newSite(t, database, settings...)
	first.spawn()
	all := []*site{first}
	for len(all) < n {
		next := newSite(t, "")
		next.URL, next.environ = first.URL, first.environ
		next.spawn()
		all = append(all, next)
	}
	return all
}

// Rule: CODE-1
func TestTwoServersRedeemACodeOnce(t *testing.T) {
	both := twins(t)
	both[0].person("person@example.test")
	c := both[0].client()
	code := both[0].visitor("person@example.test").code(c)
	won, lost := split(t, atOnce(tries, func(i int) answer { return both[i%2].redeem(c, code) }))
	if len(won) != 1 || len(lost) != tries-1 {
		t.Errorf("%d of %d succeeded", len(won), tries)
	}
}

// Rule: REFRESH-2
func TestTwoServersGiveOneSuccessorInsideTheGrace(t *testing.T) {
	both := twins(t, "REFRESH_GRACE=60s")
	both[0].person("person@example.test")
	c := both[0].client()
	token := both[0].visitor("person@example.test").tokens(c).text("refresh_token")
	won, _ := split(t, atOnce(tries, func(i int) answer { return both[i%2].refresh(c, token) }))
	if len(won) != tries {
		t.Fatalf("%d of %d succeeded", len(won), tries)
	}
	for _, a := range won {
		if a.text("refresh_token") != won[0].text("refresh_token") {
			t.Fatal("the two servers made two successors")
		}
	}
}

// Rule: REFRESH-3
func TestTwoServersLetOneRefreshWinWithoutAGrace(t *testing.T) {
	both := twins(t, "REFRESH_GRACE=0s")
	both[0].person("person@example.test")
	c := both[0].client()
	token := both[0].visitor("person@example.test").tokens(c).text("refresh_token")
	if won, _ := split(t, atOnce(tries, func(i int) answer { return both[i%2].refresh(c, token) })); len(won) != 1 {
		t.Errorf("%d of %d succeeded", len(won), tries)
	}
}

// Rule: TOKEN-9
func TestWhatOneServerIssuesOrEndsTheOtherKnows(t *testing.T) {
	both := twins(t)
	both[0].person("person@example.test")
	c := both[0].client()
	v := both[0].visitor("person@example.test")
	tokens := v.tokens(c)
	access := tokens.text("access_token")
	if got := both[1].userInfo(access); got.Status != http.StatusOK {
		t.Fatalf("the other server's user info: %d %s", got.Status, got.Body)
	}
	if got := both[1].send(revokePath, c, "token", access, "token_type_hint",
		"access_token"); got.Status != http.StatusOK {
		t.Fatalf("revocation: %d %s", got.Status, got.Body)
	}
	if got := both[0].userInfo(access); got.Status != http.StatusUnauthorized {
		t.Errorf("revoked at the other server, an access token gives %d %s", got.Status, got.Body)
	}
	both[0].command("", "user", "disable", "person@example.test")
	for i, s := range both {
		s.within(time.Second, func() bool {
			return s.refresh(c, tokens.text("refresh_token")).is(http.StatusBadRequest, "invalid_grant")
		},
			"server %d refreshes the tokens of a disabled person", i)
	}
	both[0].command("", "client", "disable", c.ID)
	for i, s := range both {
		s.within(time.Second, func() bool {
			return s.token(c, "grant_type", "client_credentials").is(http.StatusUnauthorized, "invalid_client")
		}, "server %d serves a disabled client", i)
	}
}

// Rule: REFRESH-5
func TestTwoServersLetNobodyUseOrHarmAnothersCodeAndToken(t *testing.T) {
	both := twins(t, "REFRESH_GRACE=0s")
	both[0].person("person@example.test")
	owner, thief := both[0].client(), both[0].client()
	v := both[0].visitor("person@example.test")
	code, token := v.code(owner), v.tokens(owner).text("refresh_token")
	won, _ := split(t, atOnce(tries, func(i int) answer {
		if i%4 < 2 {
			return both[i%2].redeem(thief, code)
		}
		return both[i%2].refresh(thief, token)
	}))
	if len(won) != 0 {
		t.Errorf("%d thefts succeeded", len(won))
	}
	if got := both[1].redeem(owner, code); got.Status != http.StatusOK {
		t.Errorf("the owner's code gives %d %s", got.Status, got.Body)
	}
	if got := both[1].refresh(owner, token); got.Status != http.StatusOK {
		t.Errorf("the owner's token gives %d %s", got.Status, got.Body)
	}
}

// Rule: REFRESH-10
func TestNothingSurvivesARevocationAtOneServerInTheMiddleOfRefreshesAtBoth(t *testing.T) {
	both := twins(t, "REFRESH_GRACE=60s")
	both[0].person("person@example.test")
	c := both[0].client()
	token := both[0].visitor("person@example.test").tokens(c).text("refresh_token")
	answers := atOnce(tries, func(i int) answer {
		if i == tries/2 {
			return both[0].send(revokePath, c, "token", token, "token_type_hint", "refresh_token")
		}
		return both[i%2].refresh(c, token)
	})
	won, _ := split(t, answers)
	for i, a := range won {
		if a.Body == "" {
			continue // the revocation's own answer
		}
		if got := both[i%2].userInfo(a.text("access_token")); got.Status != http.StatusUnauthorized {
			t.Fatalf("an access token outlives the revocation: %d %s", got.Status, got.Body)
		}
		if got := both[i%2].refresh(c, a.text("refresh_token")); !got.is(http.StatusBadRequest, "invalid_grant") {
			t.Fatalf("a refresh token outlives the revocation: %d %s", got.Status, got.Body)
		}
	}
}

// Rules: EXCHANGE-9, ACCOUNT-16
func TestWhatIsDisabledAtOneServerEndsItsLiveTokensAtBoth(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		both := twinsOn(t, database)
		r := both[0].robot()
		admin := both[0].token(r.owner, "grant_type", "client_credentials").text("access_token")
		patch := func(path, status string) {
			t.Helper()
			q, err := http.NewRequest(http.MethodPatch, r.URL+accountsPath+path, strings.NewReader(`{"status":"`+status+`"}`))
			r.must(err)
			q.Header.Set("Authorization", "Bearer "+admin)
			q.Header.Set("Content-Type", jsonMedia)
			if got, err := try(r.plain, q); err != nil || got.Status > 299 {
				t.Fatalf("%s: %v, %d %s", path, err, got.Status, got.Body)
			}
		}
		command := func(what ...string) func() {
			return func() { r.command("", append([]string{"service-account"}, what...)...) }
		}
		for name, turn := range map[string]struct{ off, on func() }{
			"the key, at a server": {func() { patch("/"+r.AccountID+"/keys/"+r.KID, "DISABLED") },
				func() { patch("/"+r.AccountID+"/keys/"+r.KID, "ENABLED") }},
			"the account, at a server": {func() { patch("/"+r.AccountID, "DISABLED") },
				func() { patch("/"+r.AccountID, "ENABLED") }},
			"the key, by a third process": {command("key", "disable", r.AccountID, r.KID),
				command("key", "enable", r.AccountID, r.KID)},
			"the account, by a third one": {command("disable", r.AccountID), command("enable", r.AccountID)},
		} {
			live := r.exchange(r.sign("")).text("access_token")
			for i, s := range both {
				if got := s.userInfo(live); got.Status != http.StatusOK {
					t.Fatalf("%s: before, server %d answers %d %s", name, i, got.Status, got.Body)
				}
			}
			turn.off()
			for i, s := range both {
				s.within(time.Second, func() bool { return s.userInfo(live).Status == http.StatusUnauthorized },
					"%s is disabled, and its token lives at server %d", name, i)
				s.within(time.Second, func() bool {
					return s.token(r.owner, "grant_type", jwtBearer, "assertion",
						r.sign("")).is(http.StatusBadRequest, "invalid_grant")
				}, "%s is disabled, and its assertions count at server %d", name, i)
			}
			turn.on()
			for i, s := range both {
				if got := s.token(r.owner, "grant_type", jwtBearer, "assertion", r.sign("")); got.Status != http.StatusOK {
					t.Errorf("%s is enabled again, and server %d answers %d %s", name, i, got.Status, got.Body)
				}
			}
		}
	})
}

// within asks until the answer is yes. The promise is about the time d; a
// machine that is busy gets more before the test gives up.
func (s *site) within(d time.Duration, yes func() bool, format string, args ...any) {
	s.Helper()
	retry, give := time.NewTicker(20*time.Millisecond), time.After(d+4*time.Second)
	defer retry.Stop()
	for !yes() {
		select {
		case <-retry.C:
		case <-give:
			s.Errorf(format, args...)
			return
		}
	}
}
