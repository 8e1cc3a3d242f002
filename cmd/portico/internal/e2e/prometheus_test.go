package e2e

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promtool runs Prometheus' own tool for its files.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	if said, err := exec.Command("promtool", args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

// queriesOfDashboard returns what Grafana asks Prometheus for.
func queriesOfDashboard(t *testing.T) []string {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(must(os.ReadFile("../../../../docker/monitoring/dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			all = append(all, strings.ReplaceAll(target.Expr, "$__rate_interval", "1m"))
		}
	}
	return all
}

var (
	alertExpression = regexp.MustCompile(`(?m)^ +expr: (.+)$`)
	alertThreshold  = regexp.MustCompile(`(?:>|==) [0-9.]+`)
)

// queriesOfAlerts returns what alerts ask Prometheus for, so that any figure is enough to
// answer: when they fire promtool has been asked. Refusals stand in for failures of ours.
func queriesOfAlerts(t *testing.T) []string {
	t.Helper()
	var all []string
	rules := string(must(os.ReadFile("../../../../docker/monitoring/rules.yaml")))
	for _, found := range alertExpression.FindAllStringSubmatch(rules, -1) {
		query := alertThreshold.ReplaceAllString(found[1], ">= 0")
		all = append(all, strings.NewReplacer("5..", "4..", "[5m]", "[1m]", "[10m]", "[1m]").Replace(query))
	}
	if len(all) < 10 {
		t.Errorf("there are %d alerts", len(all))
	}
	return all
}

// Rule: METRIC-7
func TestPrometheusWorksAsItsGuideSays(t *testing.T) {
	onlyOthers(t)
	metrics, port := freePort(t), freePort(t)
	s := start(t, sqliteURL(t), "METRICS_LISTEN=127.0.0.1:"+metrics)
	s.person("person@example.test")
	rules := must(filepath.Abs("../../../../docker/monitoring/rules.yaml"))
	dir := t.TempDir()
	tests := strings.ReplaceAll(string(must(os.ReadFile("testdata/prometheus/rules_test.yaml"))), "RULES", rules)
	guide := snippet(t, "../operations.md", "yaml", 1, "127.0.0.1:9464", "127.0.0.1:"+metrics, "rules.yaml", rules)
	lay(t, dir, map[string]string{"rules_test.yaml": tests, "prometheus.yml": "global: {scrape_interval: 1s}\n" + guide})
	promtool(t, "check", "rules", rules)
	promtool(t, "check", "config", filepath.Join(dir, "prometheus.yml"))
	promtool(t, "test", "rules", filepath.Join(dir, "rules_test.yaml"))
	checked := exec.Command("promtool", "check", "metrics")
	text := must(s.plain.Get("http://127.0.0.1:" + metrics + "/metrics"))
	checked.Stdin = text.Body
	if said, err := checked.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, said)
	}
	_ = text.Body.Close()

	cmd := exec.Command("prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address=127.0.0.1:"+port, "--log.level=warn")
	runBeside(t, cmd, port)
	c, v := s.client(), s.visitor("person@example.test")
	work := func() {
		s.userInfo(v.tokens(c).text("access_token"))
		s.refresh(c, "nobody's")
		_, _ = s.visitor("nobody@example.test").tryCode(c)
	}
	ask := func(query string) string {
		got, err := v.open("http://127.0.0.1:" + port + "/api/v1/query?query=" + url.QueryEscape(query))
		if err != nil {
			return err.Error()
		}
		return got.Body
	}
	full := regexp.MustCompile(`"result":\[\{`)
	queries := append(queriesOfDashboard(t), queriesOfAlerts(t)...)
	s.eventually("every query of the dashboard and of the alerts returns something", func() bool {
		work()
		for len(queries) > 0 && full.MatchString(ask(queries[0])) {
			queries = queries[1:]
		}
		return len(queries) == 0
	})
	for _, query := range queries {
		t.Errorf("%s returns %s", query, ask(query))
	}
	if said := ask(`sum(portico_tokens_issued_total{grant_type="authorization_code"}) > 0`); !full.MatchString(said) {
		t.Errorf("the tokens were not counted: %s", said)
	}
}
