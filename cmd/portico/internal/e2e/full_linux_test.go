package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/s3test"
)

// Rule: SERVER-38
func TestADatabaseServerWithoutRoomIsToldOfAndLosesNothing(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "64m")
	place := filepath.Join(disk, "tables")
	database := pgtest.URL(t)
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	openUp(t, disk)
	pgtest.Give(t, place)
	name := strings.TrimPrefix(must(url.Parse(database)).Path, "/")
	pgtest.Exec(t, "CREATE TABLESPACE small_"+name+" LOCATION '"+place+"'")
	pgtest.Exec(t, "ALTER DATABASE "+name+" SET TABLESPACE small_"+name)
	s := newSite(t, database)
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	kept := p.refresh
	var giveBack func()
	s.walk(map[string]ailment{"full": {reads: true, begins: func() {
		giveBack = fill(t, disk)
		p.crams()
		if got := s.userInfo(p.access); got.Status != http.StatusOK {
			t.Errorf("what is only read: %d %s", got.Status, got.Body)
		}
	}, ends: func() { giveBack() }}})
	p.back(5 * time.Second)
	if got := s.refresh(p.app, kept); got.Status != http.StatusOK {
		t.Errorf("a token of before: %d %s", got.Status, got.Body)
	}
}

// Rule: SERVER-38
func TestEveryRouteAnswersWhileTheDiskOfTheFileIsFull(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "64m")
	s := newSite(t, "sqlite:"+filepath.Join(disk, "portico.db"))
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	var giveBack func()
	s.walk(map[string]ailment{"full": {reads: true, begins: func() {
		giveBack = fill(t, disk)
		p.crams()
	}, ends: func() { giveBack() }}})
	p.back(5 * time.Second)
}

// crams writes until there is no room in the pages that are there already either.
func (p *probes) crams() {
	p.Helper()
	for i := range 4000 {
		got, err := try(p.plain, p.post("/authentication/v2/par", p.app, form("response_type", "code", "client_id", p.app.ID,
			"redirect_uri", callback, "scope", "openid", "state", strings.Repeat("s", 1000)+strconv.Itoa(i))))
		p.must(err)
		if got.Status == http.StatusServiceUnavailable && got.Header.Get("Retry-After") != "" {
			return
		}
		if got.Status >= http.StatusInternalServerError {
			p.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	p.Error("nobody noticed that there is no room left")
}

// Rule: SERVER-44
func TestAnObjectStoreWithoutRoomIsToldOfAndLosesNothing(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "24m")
	service := s3test.StartIn(t, disk)
	q := &quay{yard: newYard(t, sqliteURL(t), "S3_ENDPOINT="+service.Endpoint, "S3_BUCKET="+service.Bucket,
		"S3_ACCESS_KEY="+service.AccessKey, "S3_SECRET_KEY="+service.SecretKey, "REQUEST_LIMIT=3s")}
	q.tolerate(outage, " failed\"")
	body := bytes.Repeat([]byte("bytes "), 200_000)
	sum := sha256.Sum256(body)
	kept, late := q.reserve("kept.bin"), q.reserve("late.bin")
	q.put(kept, "1", body)
	q.complete(kept, hex.EncodeToString(sum[:]))
	send := func(method, path string, content []byte) answer {
		r := must(http.NewRequest(method, q.URL+path, bytes.NewReader(content)))
		r.Header.Set("Authorization", "Bearer "+q.token)
		return must(try(q.plain, r))
	}
	giveBack := fill(t, disk)
	within(t, 12*time.Second, "sending what has no room", func() {
		if got := send(http.MethodPut, late.path, body); got.Status != http.StatusServiceUnavailable ||
			got.Header.Get("Retry-After") == "" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
	if got := send(http.MethodGet, kept.path, nil); got.Status != http.StatusOK || got.Body != string(body) {
		t.Errorf("what is there already: %d, %d bytes", got.Status, len(got.Body))
	}
	giveBack()
	eventually(t, 5*time.Second, "sending it again", func() bool {
		return send(http.MethodPut, late.path, body).Status == http.StatusOK
	})
	if got := send(http.MethodGet, late.path, nil); got.Body != string(body) {
		t.Errorf("afterwards: %d, %d bytes", got.Status, len(got.Body))
	}
}
