package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// soakKillsVariable sets how often the server is killed in each place; make
// soak-bytes sets it to the full size.
const soakKillsVariable = "PORTICO_SOAK_KILLS"

const (
	quickKills     = 8
	uploadsPerKill = 4
	uploadWorkers  = 4
)

func soakKills(t *testing.T) int {
	t.Helper()
	text := os.Getenv(soakKillsVariable)
	if text == "" {
		return quickKills
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: expected a number from 1", soakKillsVariable, text)
	}
	return n
}

// landed is an upload whose completion was acknowledged.
type landed struct {
	*cargo
	sum  string
	item bool
}

// docker uploads files of its own and remembers what was acknowledged.
type docker struct {
	*quay
	number int
	made   int
	landed []landed
}

// upload uploads one small file. Some are given up half way, some become items.
func (d *docker) upload() {
	d.made++
	name := fmt.Sprintf("docker %d, %d.bin", d.number, d.made)
	body := ambient.System().Bytes(1 + int(ambient.System().Bytes(1)[0])*100)
	sum := sha256.Sum256(body)
	c := d.reserve(name)
	if d.made%7 == 0 {
		d.ask(c, "1", "1") // and never comes back
		return
	}
	d.put(c, "1", body)
	if d.made%5 == 0 {
		return
	}
	d.complete(c, hex.EncodeToString(sum[:]))
	if d.made%2 == 0 {
		d.item(c, name)
	}
	d.landed = append(d.landed, landed{c, hex.EncodeToString(sum[:]), d.made%2 == 0})
}

// Rule: OBJ-45
func TestAKilledServerHasTheBytesOfEveryRowAndLosesNothingItAcknowledged(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, q *quay) {
		q.every = uploadsPerKill
		n := soakKills(t) * uploadsPerKill
		dockers := make([]*docker, uploadWorkers)
		var working sync.WaitGroup
		for i := range dockers {
			dockers[i] = &docker{quay: q, number: i}
			working.Go(func() {
				for !q.Failed() && q.begin(n) {
					dockers[i].upload()
				}
			})
		}
		working.Wait()
		var all []landed
		for _, d := range dockers {
			all = append(all, d.landed...)
		}
		strays := q.checkBytes(all)
		q.checkSwept(all)
		t.Logf("%d uploads, %d kills, %d acknowledged, %d left bytes without a row", n, n/uploadsPerKill, len(all), strays)
	})
}

// record finds the row of an upload.
func (q *quay) record(c *cargo) (storage.Object, error) {
	bucket, key, _ := strings.Cut(c.urn[strings.Index(c.urn, "os.object:")+len("os.object:"):], "/")
	return q.store.FindObject(q.Context(), bucket, key)
}

// checkBytes checks that what was acknowledged is there, and that every row has
// its bytes. It returns how many bytes no row knows.
func (q *quay) checkBytes(all []landed) (strays int) {
	q.Helper()
	for _, l := range all {
		row, err := q.record(l.cargo)
		if err != nil || row.State != storage.ObjectStored || hex.EncodeToString(row.SHA256) != l.sum {
			q.Errorf("acknowledged, and now %+v, %v", row, err)
		}
	}
	keeper := objects.NewKeeper(q.store, q.blobs, ambient.System())
	_, err := keeper.Verify(q.Context(), objects.Progress{}, func(f objects.Finding) {
		if f.Key != "" {
			q.Errorf("%s: %s", f.Key, f.Wrong)
			return
		}
		strays++
	}, func(objects.Progress) {})
	q.must(err)
	return strays
}

// unheld waits until nobody has the duty to remove things: a server that was killed at it
// has it for two minutes of the database's clock.
func (q *quay) unheld() {
	q.Helper()
	for over := time.Now().Add(storage.RemovalLease + patience); ; time.Sleep(100 * time.Millisecond) {
		now := time.Now()
		free, err := q.store.AcquireLease(q.Context(), storage.RemovalDuty, "nobody", now, now)
		q.must(err)
		if free {
			return
		}
		if now.After(over) {
			q.Fatal("somebody still has the duty to remove things")
		}
	}
}

// checkSwept lets a month go by for the sweep, and checks that nothing is left
// but what items have.
func (q *quay) checkSwept(all []landed) {
	q.Helper()
	q.must(q.process.stop()) // it would take the duty in between
	q.unheld()
	for _, days := range []int{2, 10, 30} {
		later := ambient.New(func() time.Time { return time.Now().AddDate(0, 0, days) }, ambient.System().Random())
		keeper := objects.NewKeeper(q.store, q.blobs, later)
		q.must(keeper.Tidy(q.Context()))
		_, err := keeper.Quarantine(q.Context())
		q.must(err)
	}
	var want, got []string
	for _, l := range all {
		row, err := q.record(l.cargo)
		if (err == nil) != l.item {
			q.Errorf("in an item: %v, and after the sweep %v", l.item, err)
		}
		if l.item {
			want = append(want, row.Blob)
		}
	}
	infos, err := q.blobs.List(q.Context(), "", 1_000_000)
	q.must(err)
	for _, info := range infos {
		got = append(got, info.Key)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		q.Errorf("bytes after the sweep (-items +stored):\n%s", diff)
	}
	for _, folder := range []string{"uploads", "temporary"} {
		left, err := filepath.Glob(filepath.Join(q.dataDir(), "files", folder, "*"))
		if err != nil || len(left) > 0 {
			q.Errorf("%s after the sweep: %v, %v", folder, left, err)
		}
	}
}
