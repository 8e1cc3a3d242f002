package signing_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/resealing"
	"github.com/portico-id/portico/internal/gate/signing"
)

const day = 24 * time.Hour

// lives lists generation and state of every RS256 key, newest first.
type life struct {
	Generation int
	State      signing.State
}

func lives(t *testing.T, set *signing.KeySet) []life {
	t.Helper()
	infos, err := set.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []life
	for _, i := range infos {
		if i.Algorithm != signing.RS256 {
			continue
		}
		out = append(out, life{i.Generation, i.State})
	}
	return out
}

func maintain(t *testing.T, set *signing.KeySet) time.Time {
	t.Helper()
	next, err := set.Maintain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func TestFirstStartMakesOneKeyThatSigns(t *testing.T) {
	source, clock := ambient.Fixed(start, 1)
	w := &world{tb: t, store: newStore(t), source: source, clock: clock}
	set := w.open()
	if diff := cmp.Diff([]life{{1, signing.Active}}, lives(t, set)); diff != "" {
		t.Fatalf("keys (-want +got):\n%s", diff)
	}
	if _, err := set.VerifyAccess(t.Context(), w.access(set)); err != nil {
		t.Error(err)
	}
}

// Rule: KEY-4
func TestReplicasThatStartAtOnceShareTheirKeys(t *testing.T) {
	source, clock := ambient.Fixed(start, 1)
	w := &world{tb: t, store: newStore(t), source: source, clock: clock}
	sets := make([]*signing.KeySet, 3)
	var all sync.WaitGroup
	for i := range sets {
		all.Go(func() { sets[i], _ = signing.Open(t.Context(), w.options()) })
	}
	all.Wait()
	for i, set := range sets {
		if set == nil {
			t.Fatalf("replica %d did not start", i)
		}
		if diff := cmp.Diff([]life{{1, signing.Active}}, lives(t, set)); diff != "" {
			t.Errorf("replica %d (-want +got):\n%s", i, diff)
		}
		if _, err := sets[0].VerifyAccess(t.Context(), w.access(set)); err != nil {
			t.Errorf("replica 0 refuses a token of replica %d: %v", i, err)
		}
	}
}

// Rule: KEY-2
func TestMaintainKeepsANextKeyPublished(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	if got, want := maintain(t, set), start.Add(90*day); !got.Equal(want) {
		t.Errorf("next due %v, want the next key's turn %v", got, want)
	}
	want := []life{{2, signing.Next}, {1, signing.Active}}
	if diff := cmp.Diff(want, lives(t, set)); diff != "" {
		t.Fatalf("keys (-want +got):\n%s", diff)
	}
	maintain(t, set)
	if diff := cmp.Diff(want, lives(t, set)); diff != "" {
		t.Errorf("a second run changed something (-want +got):\n%s", diff)
	}

	w.clock.Advance(90 * day)
	maintain(t, set)
	if diff := cmp.Diff([]life{{3, signing.Next}, {2, signing.Active}, {1, signing.Former}}, lives(t, set)); diff != "" {
		t.Errorf("keys after 90 days (-want +got):\n%s", diff)
	}
}

// Rule: KEY-2
func TestNextKeyIsNeverUsedBeforeItWasPublishedForTheTimeAhead(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	w.clock.Advance(200 * day) // nobody maintained: the active key is long overdue
	maintain(t, set)
	infos, err := set.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := infos[0].ActiveFrom, w.source.Now().Add(14*day); !got.Equal(want) {
		t.Errorf("the next key is active from %v, want %v", got, want)
	}
}

// Rule: KEY-3
func TestFormerKeyVerifiesUntilItsLastTokenHasExpired(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	maintain(t, set)
	w.clock.Advance(90*day - time.Second)
	token := w.access(set) // the last second of the first key
	w.clock.Advance(time.Second)
	if kid := headerOf(t, w.access(set))["kid"]; kid == firstKID {
		t.Fatal("the first key signs although its successor's turn has come")
	}
	due := maintain(t, set)
	if want := w.source.Now().Add(2 * time.Hour); !due.Equal(want) {
		t.Errorf("next due %v, want the retirement at %v", due, want)
	}
	if _, err := set.VerifyAccess(t.Context(), token); err != nil {
		t.Errorf("a living token of the former key: %v", err)
	}

	w.clock.Advance(2*time.Hour - time.Second)
	maintain(t, set)
	if got := lives(t, set); len(got) != 3 {
		t.Errorf("the former key went early: %v", got)
	}
	w.clock.Advance(time.Second)
	maintain(t, set)
	if diff := cmp.Diff([]life{{3, signing.Next}, {2, signing.Active}}, lives(t, set)); diff != "" {
		t.Errorf("keys after the retirement (-want +got):\n%s", diff)
	}
}

func TestTokenOfADeletedKeyIsRefusedAlthoughItIsRemembered(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	token := w.access(set)
	if _, err := set.VerifyAccess(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Rotate(t.Context(), w.act(), signing.RS256, true); err != nil {
		t.Fatal(err)
	}
	if _, err := set.VerifyAccess(t.Context(), token); err != nil {
		t.Fatalf("after a mere rotation: %v", err)
	}
	if err := w.store.DeleteSigningKeys(t.Context(), w.act(), signing.RS256, 2); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	if _, err := set.VerifyAccess(t.Context(), token); !isInvalidToken(err) {
		t.Errorf("VerifyAccess = %v, want invalid_token", err)
	}
}

// Rule: KEY-7
func TestRotateLetsTheNextKeySignAtOnceAndPublishesAnother(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	maintain(t, set)
	before := w.access(set)
	infos, err := set.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(day)

	active, err := set.Rotate(t.Context(), w.act(), signing.RS256, true)
	if err != nil {
		t.Fatal(err)
	}
	want := signing.KeyInfo{
		Algorithm:  signing.RS256,
		Generation: 2, KID: infos[0].KID, CreatedAt: start, ActiveFrom: start.Add(day), State: signing.Active,
	}
	if diff := cmp.Diff(want, active); diff != "" {
		t.Errorf("active key (-want +got):\n%s", diff)
	}
	if kid := headerOf(t, w.access(set))["kid"]; kid != active.KID {
		t.Errorf("tokens are signed by %s, not by %s", kid, active.KID)
	}
	if diff := cmp.Diff([]life{{3, signing.Next}, {2, signing.Active}, {1, signing.Former}}, lives(t, set)); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	w.clock.Advance(-day)
	if _, err := set.VerifyAccess(t.Context(), before); err != nil {
		t.Errorf("a token from before the rotation: %v", err)
	}
}

// Rule: KEY-9
func TestAKeySignsOnlyWhenItWasPublishedForAnHourUnlessAtOnce(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	maintain(t, set)
	before := lives(t, set)
	refused := func(when string) {
		t.Helper()
		if _, err := set.Rotate(t.Context(), w.act(), signing.RS256, false); !fault.HasReason(err, signing.ReasonKeyTooNew) {
			t.Errorf("%s: %v", when, err)
		}
	}
	w.clock.Advance(signing.KeptFor - time.Second)
	refused("a second early")
	if diff := cmp.Diff(before, lives(t, set)); diff != "" {
		t.Errorf("a refused rotation changed something (-want +got):\n%s", diff)
	}
	w.clock.Advance(time.Second)
	active, err := set.Rotate(t.Context(), w.act(), signing.RS256, false)
	if err != nil || active.Generation != 2 {
		t.Fatalf("after an hour: %+v, %v", active, err)
	}
	refused("again within a minute")
	if active, err = set.Rotate(t.Context(), w.act(), signing.RS256, true); err != nil || active.Generation != 3 {
		t.Errorf("at once: %+v, %v", active, err)
	}
}

func TestRotateWithoutANextKeyMakesOneFirst(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	active, err := set.Rotate(t.Context(), w.act(), signing.RS256, true)
	if err != nil || active.Generation != 2 {
		t.Fatalf("Rotate = %+v, %v", active, err)
	}
	if diff := cmp.Diff([]life{{3, signing.Next}, {2, signing.Active}, {1, signing.Former}}, lives(t, set)); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestRotationInOneProcessReachesAnotherWithinASecond(t *testing.T) {
	w := newWorld(t)
	server, command := w.open(), w.open()
	maintain(t, command)
	old := w.access(server)
	w.clock.Advance(5 * time.Second) // a quiet time: nothing has been loaded since

	active, err := command.Rotate(t.Context(), w.act(), signing.RS256, true)
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	fresh := w.access(server)
	if kid := headerOf(t, fresh)["kid"]; kid != active.KID {
		t.Errorf("a second later the server signs with %s, not with %s", kid, active.KID)
	}
	for name, token := range map[string]string{"old": old, "fresh": fresh} {
		for side, set := range map[string]*signing.KeySet{"server": server, "command": command} {
			if _, err := set.VerifyAccess(t.Context(), token); err != nil {
				t.Errorf("%s refuses the %s token: %v", side, name, err)
			}
		}
	}
	a, tagA := server.KeySetDocument(t.Context())
	b, tagB := command.KeySetDocument(t.Context())
	if string(a) != string(b) || tagA != tagB {
		t.Errorf("the two publish different keys:\n%s\n%s", a, b)
	}
}

func TestKeyThatAnotherReplicaMadeJustNowIsLookedUp(t *testing.T) {
	w := newWorld(t)
	server, other := w.open(), w.open()
	w.clock.Advance(100 * time.Millisecond) // the server's view is still called fresh
	if _, err := other.Rotate(t.Context(), w.act(), signing.RS256, true); err != nil {
		t.Fatal(err)
	}
	if _, err := server.VerifyAccess(t.Context(), w.access(other)); err != nil {
		t.Errorf("a token of a key that was made since the last look: %v", err)
	}
}

func TestActiveKeyIsPublishedFirst(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	maintain(t, set)
	body, _ := set.KeySetDocument(t.Context())
	var document struct {
		Keys []struct{ KID string } `json:"keys"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Keys) != 8 || document.Keys[0].KID != firstKID {
		t.Errorf("published: %+v, want two keys of each algorithm, %s first", document.Keys, firstKID)
	}
}

// Rules: KEY-5, KEY-8
func TestReplacedSecretOpensKeysAndSealsThemAgain(t *testing.T) {
	w := newWorld(t)
	token := w.access(w.open())

	options := w.options()
	options.Ring = w.ring("z", "")
	if _, err := signing.Open(t.Context(), options); err == nil {
		t.Fatal("a secret that opens nothing was accepted")
	}
	options.Ring = w.ring("z", "new")
	if _, err := signing.Open(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if n, err := resealing.All(t.Context(), options.Ring, w.store, signing.Sealed()); err != nil || n == 0 {
		t.Fatalf("%d keys were sealed again: %v", n, err)
	}
	options.Ring = w.ring("z", "")
	set, err := signing.Open(t.Context(), options)
	if err != nil {
		t.Fatalf("the keys were not sealed again: %v", err)
	}
	if _, err := set.VerifyAccess(t.Context(), token); err != nil {
		t.Errorf("a token from before: %v", err)
	}
}

func TestReplicaWithTheOldSecretKeepsSigningWhileTheSecretIsReplaced(t *testing.T) {
	w := newWorld(t)
	behind := w.open()
	ahead := w.open(func(o *signing.Options) { o.Ring = w.ring("z", "new") })
	if _, err := ahead.Rotate(t.Context(), w.act(), signing.RS256, true); err != nil { // a key that only z opens
		t.Fatal(err)
	}
	maintain(t, ahead)
	w.clock.Advance(time.Second)
	token := w.access(behind)
	if kid := headerOf(t, token)["kid"]; kid != firstKID {
		t.Errorf("signed with %s, which this replica can't have opened", kid)
	}
	for name, set := range map[string]*signing.KeySet{"ahead": ahead, "behind": behind} {
		for _, token := range []string{token, w.access(ahead)} {
			if _, err := set.VerifyAccess(t.Context(), token); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
