package e2e

import (
	"net/http"
	"sync"
	"testing"
)

const tries = 50

// atOnce runs the same act many times side by side and returns the answers.
func atOnce(n int, act func(i int) answer) []answer {
	answers := make([]answer, n)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-gate
			answers[i] = act(i)
		})
	}
	close(gate)
	all.Wait()
	return answers
}

// split parts the answers into successes and invalid_grant; anything else fails
// the test.
func split(t testing.TB, answers []answer) (won, lost []answer) {
	t.Helper()
	for _, a := range answers {
		switch {
		case a.Status == http.StatusOK:
			won = append(won, a)
		case a.is(http.StatusBadRequest, "invalid_grant"):
			lost = append(lost, a)
		default:
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	return won, lost
}

// Rule: CODE-1
func TestACodeIsRedeemedOnceByFiftyAtOnceAndTheRestEndsIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("person@example.test")
		c := s.client()
		code := s.visitor("person@example.test").code(c)
		won, lost := split(t, atOnce(tries, func(int) answer { return s.redeem(c, code) }))
		if len(won) != 1 || len(lost) != tries-1 {
			t.Fatalf("%d of %d succeeded", len(won), tries)
		}
		if got := s.refresh(c, won[0].text("refresh_token")); !got.is(http.StatusBadRequest, "invalid_grant") {
			t.Errorf("after reuse of its code a refresh token gives %d %s", got.Status, got.Body)
		}
		if got := s.userInfo(won[0].text("access_token")); got.Status != http.StatusUnauthorized {
			t.Errorf("after reuse of its code an access token gives %d %s", got.Status, got.Body)
		}
	})
}

// Rule: REFRESH-2
func TestFiftyRefreshesInsideTheGraceGetTheSameSuccessor(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database, "REFRESH_GRACE=60s")
		s.person("person@example.test")
		c := s.client()
		first := s.visitor("person@example.test").tokens(c)
		won, _ := split(t, atOnce(tries, func(int) answer { return s.refresh(c, first.text("refresh_token")) }))
		if len(won) != tries {
			t.Fatalf("%d of %d succeeded", len(won), tries)
		}
		successor := won[0].text("refresh_token")
		for _, a := range won {
			if a.text("refresh_token") != successor || successor == "" {
				t.Fatalf("two successors: %q and %q", successor, a.text("refresh_token"))
			}
		}
		if got := s.refresh(c, successor); got.Status != http.StatusOK {
			t.Errorf("the successor gives %d %s", got.Status, got.Body)
		}
	})
}

// Rule: REFRESH-3
func TestOneOfFiftyRefreshesWinsWithoutAGrace(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database, "REFRESH_GRACE=0s")
		s.person("person@example.test")
		c := s.client()
		first := s.visitor("person@example.test").tokens(c)
		won, lost := split(t, atOnce(tries, func(int) answer { return s.refresh(c, first.text("refresh_token")) }))
		if len(won) != 1 || len(lost) != tries-1 {
			t.Fatalf("%d of %d succeeded", len(won), tries)
		}
		if got := s.refresh(c, won[0].text("refresh_token")); !got.is(http.StatusBadRequest, "invalid_grant") {
			t.Errorf("reuse leaves the family alive: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: REFRESH-5
func TestFiftyTriesWithAnotherClientsTokenHarmNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database, "REFRESH_GRACE=0s")
		s.person("person@example.test")
		owner, thief := s.client(), s.client()
		v := s.visitor("person@example.test")
		code, token := v.code(owner), v.tokens(owner).text("refresh_token")
		answers := atOnce(tries, func(i int) answer {
			if i%2 == 0 {
				return s.redeem(thief, code)
			}
			return s.refresh(thief, token)
		})
		if won, _ := split(t, answers); len(won) != 0 {
			t.Errorf("%d thefts succeeded", len(won))
		}
		if got := s.redeem(owner, code); got.Status != http.StatusOK {
			t.Errorf("the owner's code gives %d %s", got.Status, got.Body)
		}
		if got := s.refresh(owner, token); got.Status != http.StatusOK {
			t.Errorf("the owner's token gives %d %s", got.Status, got.Body)
		}
	})
}

// Rule: REFRESH-10
func TestNothingSurvivesARevocationInTheMiddleOfRefreshes(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database, "REFRESH_GRACE=60s")
		s.person("person@example.test")
		c := s.client()
		token := s.visitor("person@example.test").tokens(c).text("refresh_token")
		answers := atOnce(tries, func(i int) answer {
			if i == tries/2 {
				return s.send(revokePath, c, "token", token, "token_type_hint", "refresh_token")
			}
			return s.refresh(c, token)
		})
		if got := answers[tries/2]; got.Status != http.StatusOK || got.Body != "" {
			t.Fatalf("revocation: %d %s", got.Status, got.Body)
		}
		won, _ := split(t, answers)
		for _, a := range won {
			if a.Body == "" {
				continue // the revocation's own answer
			}
			if got := s.userInfo(a.text("access_token")); got.Status != http.StatusUnauthorized {
				t.Fatalf("an access token outlives the revocation: %d %s", got.Status, got.Body)
			}
			if got := s.refresh(c, a.text("refresh_token")); !got.is(http.StatusBadRequest, "invalid_grant") {
				t.Fatalf("a refresh token outlives the revocation: %d %s", got.Status, got.Body)
			}
		}
	})
}
