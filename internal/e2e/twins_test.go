package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/pgtest"
)

// twins are two server processes on one PostgreSQL, as behind a balancer.
func twins(t *testing.T, settings ...string) [2]*site {
	t.Helper()
	return twinsOn(t, pgtest.URL(t), settings...)
}

func twinsOn(t *testing.T, database string, settings ...string) [2]*site {
	t.Helper()
	first := newSite(t, database, settings...)
	first.spawn()
	second := newSite(t, "")
	second.URL, second.environ = first.URL, first.environ
	second.spawn()
	return [2]*site{first, second}
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
	if got := both[1].send(revokePath, c, "token", access, "token_type_hint", "access_token"); got.Status != http.StatusOK {
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
