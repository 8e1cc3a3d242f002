package app

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// watched starts a server whose metrics may be read, and returns their address.
func watched(t *testing.T) (a *App, url string) {
	t.Helper()
	a = open(t, configure(t, "PORTICO_METRICS_LISTEN=127.0.0.1:0"))
	start(t, a)
	return a, "http://" + a.watchpost.listeners[0].Addr().String() + "/metrics"
}

// Rule: METRIC-5
func TestMetricsAreToldOnAddressesOfTheirOwnAlone(t *testing.T) {
	a, url := watched(t)
	got, text := answer(t, "GET", url)
	if got.StatusCode != http.StatusOK || !strings.Contains(text, "\nportico_build_info{") {
		t.Errorf("%d %s", got.StatusCode, text)
	}
	if got, _ := answer(t, "GET", a.URL()+"/metrics"); got.StatusCode != http.StatusNotFound {
		t.Errorf("where people sign in they are told, too: %d", got.StatusCode)
	}
	if got, _ := answer(t, "GET", strings.TrimSuffix(url, "metrics")+"healthz"); got.StatusCode != http.StatusNotFound {
		t.Errorf("and more is told than metrics: %d", got.StatusCode)
	}
	if quiet := open(t, configure(t)); quiet.parts.metrics != nil || len(quiet.watchpost.listeners) > 0 {
		t.Error("nobody may look, and it is counted")
	}
}

// Rule: METRIC-5
func TestAnAddressForMetricsThatIsTakenIsNamed(t *testing.T) {
	first, _ := watched(t)
	taken := first.watchpost.listeners[0].Addr().String()
	_, err := New(t.Context(), configure(t, "PORTICO_METRICS_LISTEN="+taken), options())
	if f := fault.From(err); f == nil || f.Source != "PORTICO_METRICS_LISTEN" {
		t.Errorf("it began with %v", err)
	}
}

// Rule: METRIC-6
func TestNoLabelHoldsWhatSomebodySent(t *testing.T) {
	a, url := watched(t)
	for _, path := range []string{"/sent-path", "/sent-path/more?code=sent-code", "/healthz?x=sent-query", "/apps/sent-id",
		"/authentication/v2/authorize?client_id=sent-client&state=sent-state"} {
		answer(t, "GET", a.URL()+path, "Authorization", "Bearer sent-token", "X-Request-Id", "sent-request")
	}
	form, err := http.Post(a.URL()+"/authentication/v2/token", "application/x-www-form-urlencoded",
		strings.NewReader("grant_type=sent-grant&client_id=sent-client&client_secret=sent-secret"))
	if err != nil {
		t.Fatal(err)
	}
	_ = form.Body.Close()
	answer(t, "SENT", a.URL()+"/healthz")
	_, text := answer(t, "GET", url)
	if strings.Contains(strings.ToLower(text), "sent-") || strings.Contains(text, `method="SENT"`) {
		t.Error(text)
	}
	if !strings.Contains(text, `route="/authentication/v2/token",status="401"`) ||
		!strings.Contains(text, `portico_refusals_total{kind="unauthenticated",reason="invalid_client"} 1`) ||
		!strings.Contains(text, `method="other"`) {
		t.Errorf("the requests were not counted:\n%s", text)
	}
}

var told = regexp.MustCompile(`(?m)^# TYPE (portico_\w+) `)

// Rule: METRIC-7
func TestTheManualTellsOfEveryMetric(t *testing.T) {
	a, url := watched(t)
	a.parts.metrics.Answered("POST", &httpio.Exchange{SignIn: "signed_in",
		Issued: httpio.Tokens{GrantType: "x", AppType: "y"}},
		http.StatusOK, 0, 0, time.Millisecond)
	made(t, a, 0)
	answer(t, "GET", a.URL()+"/nothing")
	_, text := answer(t, "GET", url)
	manual, err := os.ReadFile("../../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var names, said []string
	for _, m := range told.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(portico_\\w+)`").FindAllStringSubmatch(string(manual), -1) {
		said = append(said, m[1])
	}
	slices.Sort(names)
	slices.Sort(said)
	if !slices.Equal(names, said) {
		t.Errorf("told are\n%s\nand the manual has\n%s", strings.Join(names, "\n"), strings.Join(said, "\n"))
	}
}

// Rule: METRIC-7
func TestAlertsAndDashboardAskForWhatIsThere(t *testing.T) {
	manual, err := os.ReadFile("../../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	alerts := map[string]bool{}
	for _, file := range []string{"rules.yaml", "dashboard.json"} {
		content, err := os.ReadFile("../../../../docker/monitoring/" + file)
		if err != nil {
			t.Fatal(err)
		}
		asked := regexp.MustCompile(`portico_\w+`).FindAllString(string(content), -1)
		if len(asked) < 10 {
			t.Errorf("%s asks for %d metrics", file, len(asked))
		}
		for _, name := range asked {
			if !strings.Contains(string(manual), "| `"+strings.TrimSuffix(name, "_bucket")+"`") {
				t.Errorf("%s asks for %s", file, name)
			}
		}
		for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(content), -1) {
			alerts[alert[1]] = true
			if !strings.Contains(string(manual), "| "+alert[1]+" |") {
				t.Errorf("the manual does not say what to do about %s", alert[1])
			}
		}
	}
	for _, told := range regexp.MustCompile(`(?m)^\| (Portico\w+) \|`).FindAllStringSubmatch(string(manual), -1) {
		if !alerts[told[1]] {
			t.Errorf("the manual tells of the alert %s, which is not there", told[1])
		}
	}
}

// Rule: METRIC-9
func TestWhatCachesHadIsTold(t *testing.T) {
	a, url := watched(t)
	for range 3 {
		form, err := http.Post(a.URL()+"/authentication/v2/token", "application/x-www-form-urlencoded",
			strings.NewReader("grant_type=client_credentials&client_id=nobody&client_secret=x"))
		if err != nil {
			t.Fatal(err)
		}
		_ = form.Body.Close()
	}
	if _, text := answer(t, "GET", url); !strings.Contains(text, `portico_client_cache_lookups_total{result="miss"} 3`) ||
		!strings.Contains(text, `portico_client_cache_lookups_total{result="hit"} 0`) {
		t.Error(text)
	}
}

// made has the audit trail tell of a backup that was made so long ago.
func made(t *testing.T, a *App, ago time.Duration) {
	t.Helper()
	act := storage.Act{At: a.parts.Ambient.Now().Add(-ago), Actor: storage.Actor{Kind: storage.ActorOperator}}
	if err := a.parts.Store.RecordAudit(t.Context(), storage.AuditEvent{Act: act, Kind: "backup.made"}); err != nil {
		t.Fatal(err)
	}
}

// Rule: METRIC-10
func TestTheAgeOfTheNewestBackupIsTold(t *testing.T) {
	a, url := watched(t)
	age := func() (seconds float64) {
		_, text := answer(t, "GET", url)
		if said := regexp.MustCompile(`(?m)^portico_backup_age_seconds (\S+)$`).FindStringSubmatch(text); said != nil {
			seconds, _ = strconv.ParseFloat(said[1], 64)
		}
		return seconds
	}
	if said := age(); said != 0 {
		t.Errorf("of none it is said that it is %v seconds old", said)
	}
	for _, ago := range []time.Duration{3000 * time.Hour, 100 * time.Hour} {
		made(t, a, ago)
		if said := age() - ago.Seconds(); said < 0 || said > 600 {
			t.Errorf("it is said to be %v seconds older than %v", said, ago)
		}
	}
}

// Rule: METRIC-8
func TestTheBacklogIsToldAlike(t *testing.T) {
	a, url := watched(t)
	p := a.parts
	post := storage.Act{At: p.Ambient.Now(),
		Mails: []storage.Mail{{UID: p.Ambient.UID(), Kind: "test", To: "x@example.test",
			Progress: storage.Progress{CreatedAt: p.Ambient.Now(), NextAt: p.Ambient.Now().Add(time.Hour)}}}}
	if err := p.Store.PostMails(t.Context(), post, "mail.tested"); err != nil {
		t.Fatal(err)
	}
	found, err := p.backlog(t.Context())
	if err != nil || found.Mails != 1 || found.Late != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if _, text := answer(t, "GET", url); !strings.Contains(text, `portico_waiting{what="mails"} 1`) ||
		!strings.Contains(text, "portico_cleanup_lag_seconds 0") {
		t.Error(text)
	}
	parkExpired(t, a)
	if found, err = p.backlog(t.Context()); err != nil || found.Late < time.Hour {
		t.Errorf("%+v, %v", found, err)
	}
}
