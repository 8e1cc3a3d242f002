package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// watch is a server whose metrics a Prometheus reads. Its alerts are the ones that we ship, with the figures they
// compare with; only the times for which something has to last are shorter.
type watch struct {
	*quay
	*probes
	testing.TB
	metrics, api string
	queries      map[string]bool // of the dashboard, that have not yet returned more than nothing
	alerts       map[string]bool // that have not fired yet
}

var (
	alertLasts  = regexp.MustCompile(`for: \w+`)
	alertWindow = regexp.MustCompile(`\[\d+m\]`)
)

func newWatch(t *testing.T, database, rules string) *watch {
	t.Helper()
	metrics, port, dir := freeport.Take(t), freeport.Take(t), t.TempDir()
	q := newQuay(t, database, false, "METRICS_LISTEN=127.0.0.1:"+metrics, "DATABASE_POOL=4", "REQUEST_LIMIT=1s",
		"SMTP_URL=smtp://127.0.0.1:"+freeport.Take(t), "MAIL_FROM=no-reply@example.test")
	q.tolerate(background...)
	w := &watch{quay: q, probes: newProbes(q.site), TB: t, metrics: "http://127.0.0.1:" + metrics + "/metrics",
		api: "http://127.0.0.1:" + port + "/api/v1/", queries: map[string]bool{}, alerts: map[string]bool{}}
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(rules, -1) {
		w.alerts[alert[1]] = true
	}
	for _, query := range queriesOfDashboard(t) {
		w.queries[query] = true
	}
	hurried := filepath.Join(dir, "rules.yaml")
	guide := snippet(t, "../operations.md", "yaml", 1, "127.0.0.1:9464", "127.0.0.1:"+metrics, "rules.yaml", hurried)
	lay(t, dir, map[string]string{
		"prometheus.yml": "global: {scrape_interval: 3s, evaluation_interval: 1s}\n" + guide,
		"rules.yaml":     alertWindow.ReplaceAllString(alertLasts.ReplaceAllString(rules, "for: 1s"), "[15s]"),
	})
	promtool(t, "check", "config", filepath.Join(dir, "prometheus.yml"))
	cmd := exec.Command("prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address=127.0.0.1:"+port, "--log.level=warn")
	runBeside(t, cmd, port)
	return w
}

// figures are what Prometheus returns to a query.
func (w *watch) figures(query string) (all []float64) {
	w.Helper()
	r := must(http.NewRequest("GET", w.api+"query?query="+url.QueryEscape(query), nil))
	var said struct {
		Status string
		Data   struct{ Result []struct{ Value [2]any } }
	}
	got := must(try(&http.Client{}, r))
	if err := json.Unmarshal([]byte(got.Body), &said); err != nil || said.Status != "success" {
		w.Fatalf("%s: %v %s", query, err, got.Body)
	}
	for _, one := range said.Data.Result {
		all = append(all, must(strconv.ParseFloat(fmt.Sprint(one.Value[1]), 64)))
	}
	return all
}

// look notes which queries of the dashboard return more than nothing by now.
func (w *watch) look() {
	w.Helper()
	for query := range w.queries {
		for _, figure := range w.figures(query) {
			if figure > 0 {
				delete(w.queries, query)
			}
		}
	}
}

// fires waits until all the alerts have fired, each at some time.
func (w *watch) fires(alerts ...string) {
	w.Helper()
	end := time.Now().Add(patience)
	for _, alert := range alerts {
		for len(w.figures(`ALERTS{alertstate="firing",alertname="`+alert+`"}`)) == 0 {
			if time.Now().After(end) {
				w.Fatalf("%s does not fire", alert)
			}
			w.look()
			time.Sleep(100 * time.Millisecond)
		}
		delete(w.alerts, alert)
	}
}

// healthy uses the server as it is meant to be: no alert fires.
func (w *watch) healthy() {
	w.Helper()
	busy := &docker{quay: w.quay}
	for w.figuresOf("count_over_time(up[1m])") < 6 {
		busy.upload()
		w.userInfo(w.access)
		w.visitor.tokens(w.app)
		w.look()
		time.Sleep(100 * time.Millisecond)
	}
	if n := len(w.figures("ALERTS")); n > 0 {
		w.Errorf("%d alerts fire, and all is well", n)
	}
}

func (w *watch) figuresOf(query string) (sum float64) {
	for _, figure := range w.figures(query) {
		sum += figure
	}
	return sum
}

// statement has somebody else change the database.
func (w *watch) statement(sqlite, postgres string) {
	w.Helper()
	driver, database := w.driver()
	execute(w.TB.(*testing.T), driver, database, map[string]string{"sqlite": sqlite, "postgres": postgres}[driver])
}

// provoke brings about what takes no crowd: mails that can't leave, an old key, what ended long ago, changes that get
// no place in the feed, an old backup and files that no scanner looks at.
func (w *watch) provoke() {
	w.Helper()
	source := ambient.System()
	now, long := source.Now(), source.Now().Add(-72*time.Hour)
	_, err := w.store.AcquireLease(w.Context(), "sweep", "somebody who hangs", now, now.Add(time.Hour))
	w.must(err)
	w.must(w.store.ParkLoginRequest(w.Context(), storage.LoginRequest{ID: source.Token(), ClientID: w.app.ID,
		CreatedAt: long, ExpiresAt: long.Add(time.Hour)}))
	post := storage.Act{At: now}
	for range 60 {
		post.Mails = append(post.Mails, storage.Mail{UID: source.UID(), Kind: templates.LetterTest, To: "x@example.test",
			Words: "{}", Progress: storage.Progress{CreatedAt: now, NextAt: now}})
	}
	w.must(w.store.PostMails(w.Context(), post, "mail.tested"))
	age := fmt.Sprintf("UPDATE signing_keys SET active_from = active_from - %d WHERE active_from < %d",
		(101 * 24 * time.Hour).Microseconds(), now.UnixMicro())
	w.statement(age, age)
	w.statement(`CREATE TRIGGER provoked BEFORE UPDATE OF position ON events BEGIN SELECT RAISE(ABORT, 'provoked'); END`,
		`CREATE FUNCTION provoked() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'provoked'; END $$;
CREATE TRIGGER provoked BEFORE UPDATE OF position ON events FOR EACH ROW EXECUTE FUNCTION provoked()`)
	change := storage.Change{Act: storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorOperator}}}
	_, err = w.store.CreateItem(w.Context(), change, w.project,
		storage.Item{ID: source.UID(), FolderID: w.files, Name: "provoked.txt"}, storage.NewVersion{Name: "provoked.txt"})
	w.must(err)
	late := fmt.Sprintf("UPDATE events SET at = at - %d WHERE position IS NULL", (2 * time.Minute).Microseconds())
	w.statement(late, late)
	w.command("", "backup", w.TB.(*testing.T).TempDir())
	old := fmt.Sprintf("UPDATE audit_events SET at = at - %d WHERE kind = 'backup.made'", (49 * time.Hour).Microseconds())
	w.statement(old, old)
	unseen := fmt.Sprintf("UPDATE objects SET scan_due = %d", now.Add(time.Hour).UnixMicro())
	w.statement(unseen, unseen)
	w.fires("PorticoMailsWait", "PorticoOldKey", "PorticoCleanUpLag", "PorticoFeedLag", "PorticoOldBackup",
		"PorticoScansWait")
}

// many do something again and again until what is provoked has come.
func (w *watch) many(people int, act func(person, turn int), until func()) {
	w.Helper()
	over := make(chan struct{})
	var all sync.WaitGroup
	for person := range people {
		all.Go(func() {
			for turn := 0; ; turn++ {
				select {
				case <-over:
					return
				default:
					act(person, turn)
				}
			}
		})
	}
	defer all.Wait()
	defer close(over)
	until()
}

// crowded has more people sign in than the processors can check, with passwords that are none.
func (w *watch) crowded() {
	w.Helper()
	strangers := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}
	w.many(200, func(person, turn int) {
		r := w.signInAs(fmt.Sprintf("nobody-%d-%d@example.test", person, turn), "a wrong password")
		r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.%d.%d", turn%250, person))
		_, _ = try(strangers, r)
	}, func() { w.fires("PorticoSignInQueue", "PorticoManyFailedSignIns") })
}

// stuck holds what refreshes have to write.
func (w *watch) stuck() {
	w.Helper()
	driver, database := w.driver()
	begin := "BEGIN; LOCK TABLE grants IN EXCLUSIVE MODE"
	if driver == "sqlite" {
		begin, database = "BEGIN IMMEDIATE", database+patiently
	}
	db := must(sql.Open(driver, database))
	defer db.Close()
	lock := must(db.Conn(w.Context()))
	_, err := lock.ExecContext(w.Context(), begin)
	w.must(err)
	refresh := form("grant_type", "refresh_token", "refresh_token", w.refresh)
	w.many(20, func(int, int) { _, _ = try(w.plain, w.post(tokenPath, w.app, refresh)) },
		func() { w.fires("PorticoFails", "PorticoSlowTokens", "PorticoDatabasePool") })
	_, err = lock.ExecContext(w.Context(), "ROLLBACK")
	w.must(err)
}
