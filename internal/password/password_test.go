package password

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
)

func newHasher() *Hasher {
	source, _ := ambient.Fixed(time.Unix(0, 0), 1)
	return New(source)
}

func TestPasswordVerifiesAgainstItsHashAndNoOtherDoes(t *testing.T) {
	h := newHasher()
	phc, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(phc) {
		t.Errorf("hash %s is not in PHC form with the decided costs", phc)
	}
	for attempt, want := range map[string]bool{
		"correct horse": true, "Correct horse": false, "correct horse ": false, "": false,
	} {
		ok, rehash, err := h.Verify(t.Context(), phc, attempt)
		if ok != want || rehash || err != nil {
			t.Errorf("Verify(%q) = %v, rehash %v, %v", attempt, ok, rehash, err)
		}
	}
}

func TestSamePasswordHashesDifferentlyEachTime(t *testing.T) {
	h := newHasher()
	a, _ := h.Hash(t.Context(), "correct horse")
	b, _ := h.Hash(t.Context(), "correct horse")
	if a == b {
		t.Error("two hashes share their salt")
	}
}

// Rule: PASS-4
func TestHashOfOtherCostsVerifiesAndAsksToBeReplaced(t *testing.T) {
	h := newHasher()
	weak := params{memory: 1 << 10, time: 1, threads: 2}
	salt := []byte("sixteen bytes ok")
	phc := hash{params: weak, salt: salt, sum: weak.sum("correct horse", salt, 24)}.String()
	if ok, rehash, err := h.Verify(t.Context(), phc, "correct horse"); !ok || !rehash || err != nil {
		t.Errorf("Verify = %v, rehash %v, %v", ok, rehash, err)
	}
	if ok, rehash, err := h.Verify(t.Context(), phc, "wrong horse"); ok || rehash || err != nil {
		t.Errorf("a wrong password: %v, rehash %v, %v", ok, rehash, err)
	}
}

// The vector is one of the reference implementation's own.
func TestHashesOfOtherProgramsVerify(t *testing.T) {
	h := newHasher()
	const phc = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	if ok, _, err := h.Verify(t.Context(), phc, "password"); !ok || err != nil {
		t.Errorf("Verify = %v, %v", ok, err)
	}
}

func TestMalformedHashIsOurOwnFailure(t *testing.T) {
	h := newHasher()
	const salt, sum = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for _, phc := range []string{
		"x", "$argon2id$", "$2b$10$abcdefghijklmnopqrstuv",
		"$argon2id$v=16$m=19456,t=2,p=1$" + salt + "$" + sum,
		"$argon2id$v=19$m=19456,t=2$" + salt + "$" + sum,
		"$argon2id$v=19$m=19456,t=2,p=1,x=2$" + salt + "$" + sum,
		"$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + sum,
		"$argon2id$v=19$m=19456,t=4000000,p=1$" + salt + "$" + sum,
		"$argon2id$v=19$m=19456,t=0,p=1$" + salt + "$" + sum,
		"$argon2id$v=19$m=19456,t=2,p=0$" + salt + "$" + sum,
		"$argon2id$v=19$m=19456,t=2,p=1$!$" + sum,
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$",
	} {
		ok, _, err := h.Verify(t.Context(), phc, "password")
		if ok || !fault.Is(err, fault.Internal) {
			t.Errorf("Verify against %q = %v, %v", phc, ok, err)
		}
		if err != nil && strings.Contains(err.Error(), sum) {
			t.Errorf("the error shows the hash: %v", err)
		}
	}
}

func TestUserWithoutAPasswordMatchesNothing(t *testing.T) {
	h := newHasher()
	for _, attempt := range []string{"", "anything"} {
		if ok, _, err := h.Verify(t.Context(), "", attempt); ok || err != nil {
			t.Errorf("Verify(%q) = %v, %v", attempt, ok, err)
		}
	}
}

// The time an answer takes must not tell whether there is such a user: without
// one, as much memory is walked through as with one.
// Rule: PASS-2
func TestUnknownUserCostsAsMuchWork(t *testing.T) {
	h := newHasher()
	phc, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	known := allocated(func() { _, _, _ = h.Verify(t.Context(), phc, "wrong horse") })
	unknown := allocated(func() { _ = h.VerifyNothing(t.Context(), "wrong horse") })
	without := allocated(func() { _, _, _ = h.Verify(t.Context(), "", "wrong horse") })
	for name, got := range map[string]uint64{"unknown user": unknown, "user without password": without} {
		if got < 19<<20 || got > known+1<<20 || known > got+1<<20 {
			t.Errorf("%s: %d bytes of memory were used, %d with a user", name, got, known)
		}
	}
}

func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Rule: PASS-5
func TestPasswordIsTheSameOnEveryKeyboard(t *testing.T) {
	h := newHasher()
	phc, err := h.Hash(t.Context(), "caf\u00e9 au lait") // é as one character
	if err != nil {
		t.Fatal(err)
	}
	for name, attempt := range map[string]string{
		"e and an accent": "cafe\u0301 au lait",
		"no-break spaces": "caf\u00e9\u00a0au\u00a0lait",
	} {
		if ok, _, err := h.Verify(t.Context(), phc, attempt); !ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
	if ok, _, _ := h.Verify(t.Context(), phc, "cafe au lait"); ok {
		t.Error("the accent does not count")
	}
}

// Rule: PASS-3
func TestWorkersStayBelowTheProcessors(t *testing.T) {
	for procs, want := range map[int]int{1: 1, 2: 1, 3: 2, 8: 7} {
		previous := runtime.GOMAXPROCS(procs)
		workers, places := Workers(), cap(newHasher().workers)
		runtime.GOMAXPROCS(previous)
		if workers != want || places != want {
			t.Errorf("%d processors: %d workers, %d places, want %d", procs, workers, places, want)
		}
	}
}

// Rule: PASS-3
func TestEveryHashNeedsAWorker(t *testing.T) {
	h := newHasher()
	phc, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for range cap(h.workers) {
		h.workers <- struct{}{} // all at work
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // whoever has to wait gives up
	for name, use := range map[string]func() error{
		"Hash":                    func() error { _, err := h.Hash(ctx, "x"); return err },
		"Verify":                  func() error { _, _, err := h.Verify(ctx, phc, "x"); return err },
		"Verify without password": func() error { _, _, err := h.Verify(ctx, "", "x"); return err },
		"VerifyNothing":           func() error { return h.VerifyNothing(ctx, "x") },
	} {
		err := use()
		if !fault.Is(err, fault.Unavailable) || !fault.HasReason(err, ReasonBusy) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s went ahead without a worker: %v", name, err)
		}
	}
	if waiting := h.waiting.Load(); waiting != 0 {
		t.Errorf("%d are still counted as waiting", waiting)
	}
}

// Rule: PASS-3
func TestLongQueueSendsPeopleAwayAtOnce(t *testing.T) {
	h := newHasher()
	for range cap(h.workers) {
		h.workers <- struct{}{}
		h.waiting.Add(1)
	}
	ctx, cancel := context.WithCancel(t.Context())
	room := cap(h.workers) * queuePerWorker
	failures := make(chan error, room)
	var all sync.WaitGroup
	for range room {
		all.Go(func() { failures <- h.VerifyNothing(ctx, "x") })
	}
	for h.waiting.Load() < int64(room+cap(h.workers)) {
		runtime.Gosched()
	}
	err := h.VerifyNothing(t.Context(), "x") // would hang if it were queued
	if f := fault.From(err); f == nil || f.Reason != ReasonBusy || f.RetryAfter <= 0 {
		t.Errorf("one too many: %v, want busy with a time to come back", err)
	}
	cancel()
	all.Wait()
	for range cap(h.workers) {
		h.leave()
	}
	if err := h.VerifyNothing(t.Context(), "x"); err != nil {
		t.Errorf("after the crowd has gone: %v", err)
	}
}

func BenchmarkVerify(b *testing.B) {
	h := newHasher()
	phc, err := h.Hash(b.Context(), "correct horse")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if ok, _, err := h.Verify(b.Context(), phc, "correct horse"); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
