package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
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
			all = append(all, strings.ReplaceAll(target.Expr, "$__rate_interval", "15s"))
		}
	}
	return all
}

// Rule: METRIC-7
func TestPrometheusWorksAsItsGuideSays(t *testing.T) {
	onlyOthers(t)
	rules := must(filepath.Abs("../../../../docker/monitoring/rules.yaml"))
	tests := strings.ReplaceAll(string(must(os.ReadFile("testdata/prometheus/rules_test.yaml"))), "RULES", rules)
	dir := t.TempDir()
	lay(t, dir, map[string]string{"rules_test.yaml": tests})
	promtool(t, "check", "rules", rules)
	promtool(t, "test", "rules", filepath.Join(dir, "rules_test.yaml"))
	inTurn(t, func(t *testing.T, database string) {
		w := newWatch(t, database, string(must(os.ReadFile(rules))))
		w.checkMetrics()
		w.healthy()
		w.provoke()
		w.crowded()
		w.stuck()
		w.process.kill()
		w.fires("PorticoDown")
		if len(w.queries)+len(w.alerts) > 0 {
			t.Errorf("queries that never returned what was provoked: %v, alerts that never fired: %v", w.queries, w.alerts)
		}
	})
}

// checkMetrics has Prometheus' tool look at what the server tells.
func (w *watch) checkMetrics() {
	w.Helper()
	checked := exec.Command("promtool", "check", "metrics")
	checked.Stdin = strings.NewReader(must(try(w.plain, must(http.NewRequest("GET", w.metrics, nil)))).Body)
	if said, err := checked.CombinedOutput(); err != nil {
		w.Errorf("promtool check metrics: %v\n%s", err, said)
	}
}
