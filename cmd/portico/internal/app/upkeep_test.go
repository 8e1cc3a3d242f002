package app

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

// parkExpired keeps a login request that ended long ago and returns whether it
// is still there.
func parkExpired(t *testing.T, a *App) (there func() bool) {
	t.Helper()
	p := a.parts
	long := p.Ambient.Now().Add(-72 * time.Hour)
	client := storage.Client{ID: p.Ambient.ClientID(), Name: "x", Type: storage.ClientWeb,
		Profile: storage.ProfileStandard, CreatedAt: long, UpdatedAt: long}
	if err := p.Store.CreateClient(t.Context(), storage.Act{At: long}, client); err != nil {
		t.Fatal(err)
	}
	request := storage.LoginRequest{ID: p.Ambient.Token(), ClientID: client.ID, CreatedAt: long,
		ExpiresAt: long.Add(time.Hour)}
	if err := p.Store.ParkLoginRequest(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	return func() bool {
		_, err := p.Store.FindLoginRequest(t.Context(), request.ID, long)
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
}

// Rule: SERVER-11
func TestTheCleanUpRunsOnOneServerAtATime(t *testing.T) {
	c := configure(t)
	first, second := open(t, c), open(t, c)
	first.parts.upkeep.sweep(t.Context())
	there := parkExpired(t, first)
	second.parts.upkeep.sweep(t.Context())
	if !there() {
		t.Error("a server without the duty cleaned up")
	}
	first.parts.upkeep.sweep(t.Context())
	if there() {
		t.Error("what ended long ago is still there after the clean-up")
	}
}

// Rule: SERVER-54
func TestAJobThatHasMuchToDoKeepsNoOtherWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		done := 0
		apart(ctx,
			job{"long", time.Second, func(ctx context.Context) { <-ctx.Done() }},
			job{"short", time.Second, func(context.Context) { done++ }},
		)
		if done < 9 {
			t.Errorf("beside a job that never ends another was done %d times in ten seconds", done)
		}
	})
}

// Rule: SERVER-52
func TestACleanUpThatIsBehindIsTold(t *testing.T) {
	a := open(t, configure(t))
	told := func() string {
		a.parts.upkeep.look(t.Context())
		found := newReadiness(a.parts, a.config).look(t.Context())
		if found.vital {
			t.Errorf("not ready: %v", found.ill)
		}
		return strings.Join(found.ill, "\n")
	}
	if said := told(); said != "" {
		t.Errorf("of a server that has nothing to do: %s", said)
	}
	parkExpired(t, a)
	if said := told(); !strings.HasPrefix(said, "clean-up: What ended 69h") {
		t.Errorf("of one that is behind: %q", said)
	}
	a.parts.upkeep.sweep(t.Context())
	if said := told(); said != "" {
		t.Errorf("after the clean-up: %s", said)
	}
}

// Rule: KEY-2
func TestTheWorkerSeesToANextKey(t *testing.T) {
	a := open(t, configure(t))
	wait := a.parts.upkeep.maintainKeys(t.Context())
	keys, err := a.parts.keys.List(t.Context())
	states := map[string]string{}
	for _, k := range keys {
		states[k.Algorithm] += string(k.State) + " "
	}
	for _, algorithm := range []string{signing.RS256, signing.ES256, signing.EdDSA} {
		if err != nil || states[algorithm] != "next active " {
			t.Errorf("%s has %q, %v; want one that signs and the next", algorithm, states[algorithm], err)
		}
	}
	if wait <= 0 || wait > maintainAtLeast {
		t.Errorf("it comes back after %v", wait)
	}
}

// Rule: FED-25
func TestTheWorkerAsksUpstreamsAboutTheirPeople(t *testing.T) {
	a := open(t, configure(t))
	p, now := a.parts, a.parts.Ambient.Now()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	act := storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorOperator}}
	_, err := p.upstreams.Create(t.Context(), act, "works", "oidc", "", upstreams.Change{"issuer": "http://127.0.0.1:1",
		"client_id": "c", "networks": "127.0.0.0/8"})
	must(err)
	user := storage.User{ID: p.Ambient.PersonID(), Email: "one@works.test", CreatedAt: now, UpdatedAt: now}
	identity := storage.UpstreamIdentity{UpstreamID: "works", Issuer: "i", Subject: "s", UserID: user.ID, LinkedAt: now}
	must(p.Store.JoinByIdentity(t.Context(), act, user, identity))
	must(p.Store.StartSession(t.Context(), act, storage.LoginSession{ID: p.Ambient.UID(), TokenHash: p.Ambient.Bytes(32),
		UserID: user.ID, AuthTime: now, CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(time.Hour),
		UpstreamID: "works"}, storage.Proof{Upstream: identity}))
	before := storage.UpstreamRecheck{UpstreamID: "works", Issuer: "i", Subject: "s", Token: []byte("sealed"),
		AskedAt: now.Add(-time.Hour), ToldAt: now.Add(-time.Hour)}
	must(p.Store.KeepRecheck(t.Context(), before))
	for _, one := range p.upkeep.jobs() {
		if one.name == "recheck" {
			one.do(t.Context())
		}
	}
	all, err := p.Store.ListRechecks(t.Context(), "works", user.ID)
	must(err)
	if len(all) != 1 || !all[0].AskedAt.After(before.AskedAt) || !all[0].ToldAt.Equal(before.ToldAt) {
		t.Errorf("nobody was asked about: %+v", all)
	}
}

// Rule: DATA-88
func TestTheCleanUpForgetsRequestsThatWereCarriedOutLongAgo(t *testing.T) {
	a := open(t, configure(t))
	p := a.parts
	now := p.Ambient.Now()
	long := now.Add(-storage.KeepDone - time.Hour)
	if err := p.Store.CreateHub(t.Context(), storage.Change{Act: storage.Act{At: long}},
		storage.Hub{ID: "b.hub", Name: "Hub", CreatedAt: long, UpdatedAt: long}); err != nil {
		t.Fatal(err)
	}
	project := storage.Project{ID: "b.project", HubID: "b.hub", Name: "Project", RootFolderID: "root",
		CreatedAt: long, UpdatedAt: long}
	if err := p.Store.CreateProject(t.Context(), storage.Change{Act: storage.Act{At: long}}, project, nil); err != nil {
		t.Fatal(err)
	}
	for key, at := range map[string]time.Time{"old": long, "new": now} {
		change := storage.Change{Act: storage.Act{At: at}, Once: storage.Once{Key: key, Fingerprint: "f"}}
		if _, err := p.Store.CreateFolder(t.Context(), change, project.ID,
			storage.Folder{ID: key, ParentID: "root", Name: key}); err != nil {
			t.Fatal(err)
		}
	}
	p.upkeep.sweep(t.Context())
	for key, known := range map[string]bool{"old": false, "new": true} {
		if _, err := p.Store.FindDone(t.Context(), key, long); (err == nil) != known {
			t.Errorf("%s is known: %v", key, err)
		}
	}
}

// Rule: FEED-7
func TestTheCleanUpForgetsChangesOfLongAgo(t *testing.T) {
	a := open(t, configure(t))
	p := a.parts
	now := p.Ambient.Now()
	long := now.Add(-storage.KeepEvents - time.Hour)
	for _, at := range []time.Time{long, now} {
		id := "b." + at.Format(time.DateOnly)
		if err := p.Store.CreateHub(t.Context(), storage.Change{Act: storage.Act{At: at}},
			storage.Hub{ID: id, Name: id, CreatedAt: at, UpdatedAt: at}); err != nil {
			t.Fatal(err)
		}
	}
	a.parts.upkeep.stamp(t.Context())
	a.parts.upkeep.sweep(t.Context())
	events, _, err := p.Store.ListEvents(t.Context(), storage.EventQuery{}, storage.PageRequest{})
	if err != nil || len(events) != 1 || !events[0].Act.At.Equal(now) {
		t.Errorf("events %v, %v; want that of the new hub alone", events, err)
	}
}
