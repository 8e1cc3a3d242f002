package e2e

import (
	"net/http"
	"testing"
)

// Rule: SIGNIN-12
func TestTriesAreCountedAcrossServersAndStarts(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := newSite(t, database)
		first := s.spawn()
		p := &probes{site: s}
		s.person("person@example.test", "--username", "person")
		sent := func(name, password string) int { return must(try(s.plain, p.signInAs(name, password))).Status }
		tries := map[int]int{}
		for range 6 {
			tries[sent("person@example.test", "a wrong one")]++
		}
		s.spawn() // beside the first: it is the one that is asked from now on
		for range 3 {
			tries[sent("Person@Example.test", "a wrong one")]++
		}
		first.kill()
		s.spawn()
		for range 3 {
			tries[sent("PERSON@example.test", "a wrong one")]++
		}
		if tries[http.StatusUnprocessableEntity] != 10 || tries[http.StatusTooManyRequests] != 2 {
			t.Errorf("of twelve tries on three servers: %v, want ten looked at and two refused", tries)
		}
		if got := sent("person", password); got != http.StatusUnprocessableEntity {
			t.Errorf("the right password by another name, when the account's tries are used up: %d", got)
		}
	})
}
