package webhooks_test

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/resealing"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

func folderURN(uid string) string { return "urn:portico:fs.folder:co." + uid }
func itemURN(uid string) string   { return "urn:portico:dm.lineage:" + uid }
func versionURN(uid string, n int) string {
	return fmt.Sprintf("urn:portico:fs.file:vf.%s?version=%d", uid, n)
}

func told(all []notice) []string {
	said := []string{}
	for _, n := range all {
		said = append(said, n.Hook.Event+" "+n.ResourceURN)
	}
	slices.Sort(said) // things are told of side by side
	return said
}

// Rules: HOOK-1, HOOK-2
func TestAWebhookIsToldOfWhatItAskedForWhereItAskedForIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		everything, inside, few := newReceiver(t), newReceiver(t), newReceiver(t)
		y.hook(webhooks.NewWebhook{URL: everything.URL})
		y.hook(webhooks.NewWebhook{URL: inside.URL, FolderID: y.inner})
		y.hook(webhooks.NewWebhook{URL: few.URL, Events: []string{"dm.version.deleted", "dm.lineage.updated"}})
		deep := y.folder(y.inner, "Deep")
		item, far := y.item(deep, "a.txt"), y.item(y.other, "far.txt")
		y.version(item)
		name, hide := "b.txt", true
		patch := func(uid string, p storage.ItemPatch) {
			_, err := y.store.UpdateItem(t.Context(), y.change(), y.project, uid, p)
			y.must(err)
		}
		patch(item, storage.ItemPatch{Name: &name})
		patch(item, storage.ItemPatch{FolderID: &y.other})
		patch(far, storage.ItemPatch{FolderID: &y.inner})
		patch(far, storage.ItemPatch{Hidden: &hide})
		y.drain(y.courier)
		for who, tt := range map[string]struct {
			got  []notice
			want []string
		}{
			"everything": {everything.notices(), []string{
				"dm.folder.added " + folderURN(deep), "dm.version.added " + versionURN(item, 1),
				"dm.version.added " + versionURN(far, 1),
				"dm.version.added " + versionURN(item, 2), "dm.lineage.updated " + itemURN(item),
				"dm.version.moved " + itemURN(item),
				"dm.version.moved " + itemURN(far), "dm.version.deleted " + itemURN(far),
			}},
			"in the folder": {inside.notices(), []string{
				"dm.folder.added " + folderURN(deep), "dm.version.added " + versionURN(item, 1),
				"dm.version.added " + versionURN(item, 2), "dm.lineage.updated " + itemURN(item),
				"dm.version.moved.out " + itemURN(item),
				"dm.version.moved " + itemURN(far), "dm.version.deleted " + itemURN(far),
			}},
			"few": {few.notices(), []string{"dm.lineage.updated " + itemURN(item), "dm.version.deleted " + itemURN(far)}},
		} {
			slices.Sort(tt.want)
			if diff := gocmp.Diff(tt.want, told(tt.got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", who, diff)
			}
		}
	})
}

// Rule: HOOK-17
func TestAFileThatAVersionDeletesIsToldAsDeletedAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		r := newReceiver(t)
		item := y.item(y.inner, "a.txt")
		y.hook(webhooks.NewWebhook{URL: r.URL})
		_, err := y.store.AddVersion(t.Context(), y.change(), y.project, item, storage.NewVersion{Name: "none", Delete: true})
		y.must(err)
		y.drain(y.courier)
		if diff := gocmp.Diff([]string{"dm.version.deleted " + itemURN(item)}, told(r.notices())); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// Rule: HOOK-16
func TestLibrariesOfStandardWebhooksVerifyNotices(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		const key = "a-secret-of-the-receiver"
		inBase64 := "whsec_" + base64.StdEncoding.EncodeToString([]byte(key))
		for name, tt := range map[string]struct{ given, verifies string }{
			"made here":      {"", ""},
			"any text":       {key, inBase64},
			"in their words": {inBase64, inBase64},
		} {
			r := newReceiver(t)
			wanted := webhooks.NewWebhook{ProjectID: y.project, FolderID: y.inner, URL: r.URL, Secret: tt.given}
			y.stamp()
			_, secret, err := y.rules.Create(t.Context(), y.change(), wanted)
			y.must(err)
			y.item(y.inner, name+".txt")
			y.drain(y.courier)
			verifier, err := standardwebhooks.NewWebhook(cmp.Or(tt.verifies, secret))
			y.must(err)
			n := r.notices()[0]
			if err := verifier.VerifyIgnoringTimestamp([]byte(n.body), n.header); err != nil {
				t.Errorf("%s: %v of %v", name, err, n.header)
			}
			if verifier.VerifyIgnoringTimestamp([]byte(n.body+" "), n.header) == nil {
				t.Errorf("%s: it verifies another body", name)
			}
			if id := n.header.Get("Webhook-Id"); id == "" || id != n.header.Get(webhooks.HeaderDelivery) {
				t.Errorf("%s: the id is %q", name, id)
			}
		}
	})
}

// Rule: HOOK-3
func TestANoticeIsSignedAndSaysWhatHappened(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		r := newReceiver(t)
		const secret = "a-secret-of-the-receiver"
		hook := y.hook(webhooks.NewWebhook{URL: r.URL, FolderID: y.inner, Secret: secret})
		item := y.item(y.inner, "a.txt")
		y.drain(y.courier)
		n := r.notices()[0]
		at, code, _ := strings.Cut(strings.TrimPrefix(n.header.Get(webhooks.HeaderSignature), "t="), ",v1=")
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(at + "." + n.body))
		if code != hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("the signature %q is not that of %s", n.header.Get(webhooks.HeaderSignature), n.body)
		}
		log := y.log(hook)
		if n.header.Get(webhooks.HeaderEvent) != "dm.version.added" ||
			n.header.Get(webhooks.HeaderDelivery) != fmt.Sprint(log[0].ID) {
			t.Errorf("headers %v", n.header)
		}
		p := n.Payload
		if n.Hook.HookID != hook.ID || n.Hook.System != "data" || n.Hook.CallbackURL != r.URL ||
			n.Hook.Scope["folder"] != folderURN(y.inner) ||
			n.ResourceURN != versionURN(item, 1) || p.LineageURN != itemURN(item) || p.Version != 1 || p.Name != "a.txt" ||
			p.Kind != "item.created" ||
			p.ParentFolderURN != folderURN(y.inner) || p.ModifiedBy != "U1" || p.Project != y.project || p.ID == "" {
			t.Errorf("notice %s", n.body)
		}
	})
}

// Rules: HOOK-4, HOOK-5
func TestNoticesOfOneThingComeInOrderHoweverLongTheReceiverFails(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		r := newReceiver(t)
		r.behave(status(http.StatusInternalServerError))
		hook := y.hook(webhooks.NewWebhook{URL: r.URL})
		first, second := y.item(y.inner, "a.txt"), y.item(y.inner, "b.txt")
		for range 3 {
			y.version(first)
			y.version(second)
		}
		for range 5 {
			y.work(y.courier)
			y.ahead.Add(int64(10 * time.Minute))
		}
		for _, n := range r.notices() {
			if n.Payload.Version != 1 {
				t.Errorf("version %d comes before the first was taken", n.Payload.Version)
			}
		}
		failed := y.log(hook)[0]
		if failed.LastStatus != 500 || !strings.Contains(failed.Failure, "500") || failed.Attempts < 3 ||
			failed.NextAt.IsZero() {
			t.Errorf("the log says %+v", failed)
		}
		r.behave(nil)
		before := len(r.notices())
		y.ahead.Add(int64(time.Hour))
		y.drain(y.courier)
		versions := map[string][]int{}
		for _, n := range r.notices()[before:] {
			versions[n.Payload.LineageURN] = append(versions[n.Payload.LineageURN], n.Payload.Version)
		}
		want := map[string][]int{itemURN(first): {1, 2, 3, 4}, itemURN(second): {1, 2, 3, 4}}
		if diff := gocmp.Diff(want, versions); diff != "" {
			t.Errorf("in order, each once (-want +got):\n%s", diff)
		}
		for _, d := range y.log(hook) {
			if d.DeliveredAt.IsZero() || d.Failure != "" || d.LastStatus != 200 || !d.NextAt.IsZero() {
				t.Errorf("the log says %+v", d)
			}
		}
	})
}

// Rule: HOOK-5
func TestAReceiverIsTriedForADayAndThenGivenUp(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		r := newReceiver(t)
		r.behave(status(http.StatusServiceUnavailable))
		hook := y.hook(webhooks.NewWebhook{URL: r.URL})
		item := y.item(y.inner, "a.txt")
		var begun time.Time
		for attempts := 1; ; attempts++ {
			y.work(y.courier)
			d := y.log(hook)[0]
			if begun.IsZero() {
				begun = d.CreatedAt
			}
			if d.Attempts != attempts {
				t.Fatalf("attempt %d: %+v", attempts, d)
			}
			if d.NextAt.IsZero() {
				break
			}
			wait := d.NextAt.Sub(y.ambient.Now())
			y.ahead.Add(int64(wait / 2))
			y.work(y.courier) // not before its time
			y.ahead.Add(int64(wait/2 + time.Second))
		}
		over := y.log(hook)[0]
		if lasted := over.LastAt.Sub(begun); lasted < 24*time.Hour || lasted > 25*time.Hour || over.Attempts < 8 ||
			!over.DeliveredAt.IsZero() {
			t.Errorf("tried %d times in %v: %+v", over.Attempts, lasted, over)
		}
		r.behave(nil)
		y.version(item)
		y.drain(y.courier)
		if next := y.log(hook)[1]; next.DeliveredAt.IsZero() {
			t.Errorf("what came after it: %+v", next)
		}
		y.must(y.rules.Redeliver(t.Context(), y.project, hook.ID, over.ID))
		y.drain(y.courier)
		if again := y.log(hook)[0]; again.DeliveredAt.IsZero() || again.Failure != "" {
			t.Errorf("delivered again on demand: %+v", again)
		}
		last := r.notices()[len(r.notices())-1]
		if last.body != over.Body || last.header.Get(webhooks.HeaderDelivery) != fmt.Sprint(over.ID) {
			t.Errorf("delivered again: %v %s", last.header, last.body)
		}
		if err := y.rules.Redeliver(t.Context(), y.project, hook.ID, over.ID+1000); !fault.Is(err, fault.NotFound) {
			t.Errorf("a delivery that is none: %v", err)
		}
	})
}

// Rule: HOOK-6
func TestAReceiverThatHangsHoldsUpNobodyElse(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		hanging, well := newReceiver(t), newReceiver(t)
		var now, most atomic.Int64
		hanging.behave(func(_ http.ResponseWriter, r *http.Request) {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			<-r.Context().Done()
			now.Add(-1)
		})
		slow := y.hook(webhooks.NewWebhook{URL: hanging.URL})
		quick := y.hook(webhooks.NewWebhook{URL: well.URL})
		for i := range 12 {
			y.item(y.inner, fmt.Sprintf("%d.txt", i))
		}
		y.drain(y.courier)
		if n := len(well.notices()); n != 12 {
			t.Errorf("%d of 12 notices came", n)
		}
		if most.Load() > 4 {
			t.Errorf("%d requests hang at once", most.Load())
		}
		for _, d := range y.log(slow) {
			if d.Attempts != 1 || d.Failure == "" || d.LastStatus != 0 || d.NextAt.IsZero() {
				t.Errorf("hung: %+v", d)
			}
		}
		for _, d := range y.log(quick) {
			if d.DeliveredAt.IsZero() {
				t.Errorf("well: %+v", d)
			}
		}
	})
}

// Rule: HOOK-6
func TestManyReceiversThatHangHoldUpNobodyElse(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		hanging, well := newReceiver(t), newReceiver(t)
		hanging.behave(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		for range 10 {
			y.hook(webhooks.NewWebhook{URL: hanging.URL})
		}
		for i := range 40 {
			y.item(y.inner, fmt.Sprintf("%d.txt", i))
		}
		y.work(y.courier)
		y.hook(webhooks.NewWebhook{URL: well.URL})
		y.item(y.inner, "well.txt")
		y.stamp()
		before := len(hanging.notices())
		for len(well.notices()) == 0 {
			y.must(y.courier.Work(t.Context()))
			time.Sleep(20 * time.Millisecond)
		}
		y.courier.Wait()
		if n := len(hanging.notices()) - before; n > 32 {
			t.Errorf("%d requests hung before anybody else was told", n)
		}
	})
}

// Rules: HOOK-7, OUTBOUND-1, OUTBOUND-4
func TestNoPrivateAddressIsCalledAndNoRedirectFollowed(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		private, redirecting := newReceiver(t), newReceiver(t)
		redirecting.behave(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, private.URL, http.StatusTemporaryRedirect)
		})
		hook := y.hook(webhooks.NewWebhook{URL: redirecting.URL})
		y.item(y.inner, "a.txt")
		y.drain(y.courier)
		if d := y.log(hook)[0]; d.LastStatus != http.StatusTemporaryRedirect || !strings.Contains(d.Failure, "redirect") {
			t.Errorf("redirected: %+v", d)
		}
		if len(private.notices()) > 0 {
			t.Error("the redirect was followed")
		}
		strict := y.newCourier(nil)
		bare := y.hook(webhooks.NewWebhook{URL: strings.Replace(private.URL, "http://", "https://", 1)})
		y.item(y.inner, "b.txt")
		y.ahead.Add(int64(time.Minute)) // the lease of the other has ended
		y.drain(strict)
		if d := y.log(bare)[0]; d.LastStatus != 0 || !strings.Contains(d.Failure, "does not call") ||
			!strings.Contains(d.Failure, "127.0.0.1") || d.State() != storage.StateFailed {
			t.Errorf("to a private address: %+v", d)
		}
		if len(private.notices()) > 0 {
			t.Error("a private address was called")
		}
		rules := y.newRules(nil)
		for _, url := range []string{"http://example.test/", "", "x", "ftp://example.test", "https://",
			"https://user:word@example.test/", "https://example.test/ x", "https://10.0.0.1/", "https://[::1]/hook",
			"https://localhost/", "https://example.test/" + strings.Repeat("x", 2048)} {
			_, _, err := rules.Create(t.Context(), y.change(), webhooks.NewWebhook{ProjectID: y.project, URL: url})
			if !fault.Is(err, fault.Invalid) || fault.From(err).Source != webhooks.FieldURL {
				t.Errorf("%q: %v", url, err)
			}
		}
		if _, _, err := rules.Create(t.Context(), y.change(),
			webhooks.NewWebhook{ProjectID: y.project, URL: "https://example.test/hook"}); err != nil {
			t.Error(err)
		}
	})
}

// Rule: HOOK-8
func TestOfSeveralServersOneDelivers(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		r := newReceiver(t)
		hook := y.hook(webhooks.NewWebhook{URL: r.URL})
		item := y.item(y.inner, "a.txt")
		for range 20 {
			y.version(item)
		}
		couriers := []*webhooks.Courier{y.courier, y.newCourier(loopback()), y.newCourier(loopback())}
		y.stamp()
		for {
			var all sync.WaitGroup
			for _, c := range couriers {
				all.Go(func() {
					if err := c.Work(t.Context()); err != nil {
						t.Error(err)
					}
					c.Wait()
				})
			}
			all.Wait()
			if n := len(r.notices()); n >= 21 || t.Failed() {
				break
			}
		}
		for i, n := range r.notices() {
			if n.Payload.Version != i+1 {
				t.Errorf("version %d comes as number %d", n.Payload.Version, i+1)
			}
		}
		if n := len(y.log(hook)); n != 21 {
			t.Errorf("%d deliveries, want 21", n)
		}
	})
}

// losing loses the duty once things are queued, and does something then.
type losing struct {
	webhooks.CourierStore
	lose func()
	then func()
}

func (l *losing) AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error) {
	l.lose = func() { _, _ = l.CourierStore.AcquireLease(ctx, name, holder, now, now) }
	return l.CourierStore.AcquireLease(ctx, name, holder, now, until)
}

func (l *losing) QueueDeliveries(ctx context.Context, hook storage.Webhook, next int64, now time.Time,
	all []storage.WebhookDelivery) (bool, error) {
	moved, err := l.CourierStore.QueueDeliveries(ctx, hook, next, now, all)
	l.lose()
	l.then()
	return moved, err
}

// Rule: HOOK-8
func TestWhoLostTheDutyWhileThingsWereQueuedDeliversNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		r := newReceiver(t)
		r.behave(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		y.hook(webhooks.NewWebhook{URL: r.URL})
		y.item(y.inner, "a.txt")
		y.stamp()
		takeOver := func() { y.must(y.courier.Work(t.Context())) }
		slow := y.newCourierOf(&losing{CourierStore: y.store, then: takeOver}, loopback())
		y.must(slow.Work(t.Context()))
		slow.Wait()
		y.courier.Wait()
		if n := len(r.notices()); n != 1 {
			t.Errorf("two servers sent it %d times", n)
		}
	})
}

// Rule: HOOK-9
func TestWhatWaitsIsBounded(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		hook, err := y.rules.Find(t.Context(), y.project,
			y.hook(webhooks.NewWebhook{URL: "http://127.0.0.1:1/"}).ID) // where nobody listens
		y.must(err)
		y.item(y.inner, "a.txt")
		y.stamp()
		many := make([]storage.WebhookDelivery, storage.MaxPendingDeliveries)
		for i := range many {
			many[i] = storage.WebhookDelivery{Event: "dm.version.added", Subject: "s", Body: "{}"}
		}
		moved, err := y.store.QueueDeliveries(t.Context(), hook, hook.Position, y.ambient.Now().Add(time.Hour), many)
		y.must(err)
		if again, err := y.store.QueueDeliveries(t.Context(), storage.Webhook{ID: hook.ID, Position: hook.Position - 1}, 1,
			y.ambient.Now(), many); again || !moved || err != nil {
			t.Fatalf("queued %v, and from where it was not %v, %v", moved, again, err)
		}
		y.work(y.courier)
		if n := len(y.log(hook)); n != storage.MaxPendingDeliveries {
			t.Errorf("%d deliveries wait, want %d", n, storage.MaxPendingDeliveries)
		}
		y.must(y.store.RecordDeliveryAttempt(t.Context(),
			storage.DeliveryAttempt{DeliveryID: y.log(hook)[0].ID, At: y.ambient.Now()}))
		y.work(y.courier)
		if n := len(y.log(hook)); n != storage.MaxPendingDeliveries+1 {
			t.Errorf("%d deliveries after one was done, want %d", n, storage.MaxPendingDeliveries+1)
		}
	})
}

// Rule: HOOK-10
func TestASecretIsShownOnceAndKeptSealed(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		made, secret, err := y.rules.Create(t.Context(), y.change(),
			webhooks.NewWebhook{ProjectID: y.project, URL: "https://example.test/"})
		y.must(err)
		if len(secret) < 32 {
			t.Errorf("the secret %q is short", secret)
		}
		found, err := y.rules.Find(t.Context(), y.project, made.ID)
		y.must(err)
		if strings.Contains(string(found.Secret), secret) {
			t.Error("the secret is kept as it is")
		}
		for _, bad := range []string{"short", strings.Repeat("x", 257), "a secret with umlaut ä"} {
			_, _, err := y.rules.Create(t.Context(), y.change(),
				webhooks.NewWebhook{ProjectID: y.project, URL: "https://example.test/", Secret: bad})
			if !fault.Is(err, fault.Invalid) || fault.From(err).Source != webhooks.FieldSecret {
				t.Errorf("%q: %v", bad, err)
			}
		}
		_, _, err = y.rules.Create(t.Context(), y.change(),
			webhooks.NewWebhook{ProjectID: y.project, URL: "https://example.test/",
				Events: []string{"dm.version.added", "dm.x"}})
		if fault.From(err).Source != webhooks.FieldEvents {
			t.Errorf("an unknown event: %v", err)
		}
		_, _, err = y.rules.Create(t.Context(), y.change(),
			webhooks.NewWebhook{ProjectID: y.project, URL: "https://example.test/", FolderID: strings.Repeat("A", 22)})
		if !fault.Is(err, fault.NotFound) || fault.From(err).Source != webhooks.FieldFolder {
			t.Errorf("an unknown folder: %v", err)
		}
		y.must(y.rules.Delete(t.Context(), y.change(), y.project, made.ID))
		if _, err := y.rules.Find(t.Context(), y.project, made.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("deleted: %v", err)
		}
		for range storage.MaxWebhooks {
			y.hook(webhooks.NewWebhook{URL: "https://example.test/"})
		}
		_, _, err = y.rules.Create(t.Context(), y.change(),
			webhooks.NewWebhook{ProjectID: y.project, URL: "https://example.test/"})
		if !fault.HasReason(err, storage.ReasonTooManyWebhooks) {
			t.Errorf("one too many: %v", err)
		}
	})
}

// Rule: HOOK-14
func TestSecretsOutliveThatOfTheServer(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		r := newReceiver(t)
		hook := y.hook(webhooks.NewWebhook{URL: r.URL, Secret: "a-secret-of-the-receiver"})
		ring := func(secret, previous string) *sealing.Ring {
			var before []byte
			if previous != "" {
				before = []byte(strings.Repeat(previous, 32))
			}
			made, err := sealing.New([]byte(strings.Repeat(secret, 32)), before, y.ambient)
			y.must(err)
			return made
		}
		y.ring = ring("n", "")
		y.item(y.inner, "lost.txt")
		y.drain(y.newCourier(loopback()))
		if d := y.log(hook)[0]; !strings.Contains(d.Failure, "secret") || len(r.notices()) != 0 {
			t.Errorf("under another secret: %+v", d)
		}
		y.ring = ring("n", "k")
		n, err := resealing.All(t.Context(), y.ring, y.store, webhooks.Sealed())
		y.must(err)
		if n != 1 {
			t.Errorf("%d secrets were sealed anew", n)
		}
		y.ring = ring("n", "")
		y.ahead.Add(int64(time.Minute))
		y.drain(y.newCourier(loopback()))
		if d := y.log(hook)[0]; d.DeliveredAt.IsZero() {
			t.Errorf("after it was sealed anew: %+v", d)
		}
	})
}

// Rule: HOOK-15
func TestAWebhookOfAQuietProjectMissesNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, y *yard) {
		r := newReceiver(t)
		y.hook(webhooks.NewWebhook{URL: r.URL})
		y.drain(y.courier)
		for i := range 3 { // elsewhere much happens, and is forgotten
			now := y.ambient.Now()
			id := fmt.Sprint("b.other", i)
			y.must(y.store.CreateHub(t.Context(), y.change(),
				storage.Hub{ID: id, Name: id, Active: true, CreatedAt: now, UpdatedAt: now}))
		}
		y.stamp()
		y.ahead.Add(int64(storage.KeepEvents + time.Hour))
		_, err := y.store.SweepEvents(t.Context(), y.ambient.Now(), 1000)
		y.must(err)
		item := y.item(y.inner, "at-last.txt")
		y.drain(y.courier)
		if diff := gocmp.Diff([]string{"dm.version.added " + versionURN(item, 1)}, told(r.notices())); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
