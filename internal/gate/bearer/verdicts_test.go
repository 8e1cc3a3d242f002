package bearer_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/storage"
)

// judge says of every token what a test wants, and counts the questions.
type judge struct {
	active bool
	err    error
	asked  int
	during func() // while it is asked
}

func (j *judge) TokenState(context.Context, storage.TokenQuery) (storage.TokenState, error) {
	j.asked++
	state := storage.TokenState{Active: j.active, Profile: strconv.Itoa(j.asked)}
	if j.during != nil {
		j.during()
	}
	return state, j.err
}

// memory is a judge whose verdicts are remembered, its age and its clock.
type memory struct {
	*testing.T
	*judge
	tokens bearer.Tokens
	age    atomic.Uint64
	now    time.Time
}

func newMemory(t *testing.T) *memory {
	m := &memory{T: t, judge: &judge{active: true}, now: start}
	source := ambient.New(func() time.Time { return m.now }, nil)
	m.tokens = bearer.Remember(m.judge, source, m.age.Load)
	return m
}

// asks looks a token up and reports whether the judge was asked.
func (m *memory) asks(jti string) bool {
	m.Helper()
	before := m.asked
	state, err := m.tokens.TokenState(m.Context(), storage.TokenQuery{JTI: jti})
	if !errors.Is(err, m.err) || err == nil && state.Active != m.active && m.asked > before {
		m.Fatalf("%+v, %v", state, err)
	}
	return m.asked > before
}

// Rule: TOKEN-36
func TestAGoodVerdictIsUsedForHalfASecond(t *testing.T) {
	m := newMemory(t)
	if !m.asks("a") || m.asks("a") {
		t.Error("it is asked first, and not again at once")
	}
	if !m.asks("b") {
		t.Error("another token has a verdict of its own")
	}
	m.now = m.now.Add(499 * time.Millisecond)
	if m.asks("a") {
		t.Error("it is asked within half a second")
	}
	m.now = m.now.Add(time.Millisecond)
	if !m.asks("a") {
		t.Error("it is not asked after half a second")
	}
	m.now = m.now.Add(-time.Hour)
	if !m.asks("a") {
		t.Error("a clock that was put back makes a verdict last")
	}
}

// Rule: TOKEN-36
func TestAVerdictIsVoidOnceTheStoreIsOlder(t *testing.T) {
	m := newMemory(t)
	m.asks("a")
	m.age.Add(1)
	if !m.asks("a") || m.asks("a") {
		t.Error("it is asked once again")
	}
	m.during = func() { m.age.Add(1) } // the token ends while it is asked about
	m.asks("b")
	m.during = nil
	if !m.asks("b") {
		t.Error("what was overtaken is used")
	}
	m.during = func() { // another one is asked about later, and answered before
		m.during = nil
		m.age.Add(1)
		m.asks("d")
	}
	m.asks("c")
	if !m.asks("c") || m.asks("d") {
		t.Error("an answer of before makes another one void, or is used")
	}
}

// Rule: TOKEN-36
func TestOnlyGoodVerdictsAreRemembered(t *testing.T) {
	m := newMemory(t)
	m.active = false
	for range 2 {
		if !m.asks("a") {
			t.Error("a bad verdict is used")
		}
	}
	m.active, m.err = true, errors.New("no answer")
	for range 2 {
		if !m.asks("a") {
			t.Error("a failure is used")
		}
	}
	m.err = nil
	if !m.asks("a") || m.asks("a") {
		t.Error("a good one is not")
	}
}

// Rule: TOKEN-36
func TestVerdictsAreBounded(t *testing.T) {
	m := newMemory(t)
	m.asks("first")
	for i := range 9_999 {
		m.asks(strconv.Itoa(i))
	}
	if m.asks("first") {
		t.Error("ten thousand are not remembered")
	}
	m.asks("one more")
	if m.asks("one more") || !m.asks("first") {
		t.Error("more than ten thousand are")
	}
}

// switched is a token that is switched off and on, and makes the store older each time.
type switched struct{ off, age atomic.Uint64 }

func (s *switched) TokenState(context.Context, storage.TokenQuery) (storage.TokenState, error) {
	return storage.TokenState{Active: s.off.Load() == 0}, nil
}

func (s *switched) turn(off uint64) {
	s.off.Store(off)
	s.age.Add(1)
}

// Rule: TOKEN-36
func TestWhatHasEndedIsTakenForGoodByNobodyWhileManyAsk(t *testing.T) {
	source := ambient.New(func() time.Time { return start }, nil)
	token := &switched{}
	tokens := bearer.Remember(token, source, token.age.Load)
	active := func() bool {
		state, err := tokens.TokenState(context.Background(), storage.TokenQuery{JTI: "a"})
		return err == nil && state.Active
	}
	var over atomic.Bool
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			for !over.Load() {
				active()
			}
		})
	}
	for range 2000 {
		token.turn(1)
		if active() {
			t.Error("an ended token is taken for good")
			break
		}
		token.turn(0)
		if !active() {
			t.Error("a good token is refused")
			break
		}
	}
	over.Store(true)
	crowd.Wait()
}
