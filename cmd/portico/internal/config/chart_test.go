package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

// Kubernetes tells pods of each service of their namespace by variables that begin with its
// name. That of the chart is called as the release is: portico, as the manual has it.
//
// Rule: SERVER-18
func TestTheChartGivesServersNoSettingsThatAreNone(t *testing.T) {
	told := environ("PORTICO_SERVICE_HOST=10.96.0.7", "PORTICO_SERVICE_PORT_HTTP=80", "PORTICO_PORT=tcp://10.96.0.7:80",
		"PORTICO_PORT_80_TCP_PROTO=tcp")
	if faults := faultsOf(t, told); len(faults) != len(told.Environ) {
		t.Fatalf("what Kubernetes tells is no fault any more: %q", faults)
	}
	if !regexp.MustCompile(`(?m)^      enableServiceLinks: false\b`).MatchString(chart(t)) {
		t.Error("its pods are told, so that no server starts")
	}
}

// Kubernetes waits a second for an answer unless it is told otherwise. A part that hangs has
// /readyz answer after one and a half that the server is ready all the same.
//
// Rule: SERVER-44
func TestTheChartWaitsForTheAnswerOfAServerWithAPartThatHangs(t *testing.T) {
	probe := regexp.MustCompile(`readinessProbe: .*path: /readyz.*timeoutSeconds: ([0-9]+)`).FindStringSubmatch(chart(t))
	if probe == nil || probe[1] < "2" {
		t.Errorf("all servers are left out when the object store hangs: %q", probe)
	}
}

// Nothing is answered until the schema is up to date, which takes minutes where there is much,
// and what is killed meanwhile begins anew.
//
// Rule: SERVER-50
func TestTheChartLetsAChangeOfTheSchemaComeToItsEnd(t *testing.T) {
	of := regexp.MustCompile(`startupProbe: .*path: /healthz.*periodSeconds: 2, failureThreshold: ([0-9]+)`)
	probe := of.FindStringSubmatch(chart(t))
	if probe == nil || len(probe[1]) < 4 {
		t.Errorf("a start is given not even half an hour: %q", probe)
	}
}

// Whoever raises PORTICO_DRAIN_TIME has Kubernetes wait as long.
//
// Rule: SERVER-40
func TestTheChartWaitsAsLongAsItsServersMayTakeToStop(t *testing.T) {
	const name = "terminationGracePeriodSeconds"
	waits := regexp.MustCompile(`(?m)^` + name + `: ([0-9]+)$`).FindStringSubmatch(chartFile(t, "values.yaml"))
	c, err := config.Load(config.Sources{})
	if err != nil || waits == nil {
		t.Fatal(err, waits)
	}
	if seconds, err := strconv.Atoi(waits[1]); err != nil || time.Duration(seconds)*time.Second < c.LameDuck+c.Drain {
		t.Errorf("%s seconds are less than %v and %v, %v", waits[1], c.LameDuck, c.Drain, err)
	}
	// --reuse-values has none of a value that is new: Kubernetes would take thirty seconds.
	if !strings.Contains(chart(t), "      "+name+": {{ default "+waits[1]+" .Values."+name+" }}\n") {
		t.Error("a pod that may take longer is killed after the same time, or after thirty seconds")
	}
}

func chart(t *testing.T) string {
	t.Helper()
	return chartFile(t, "templates", "server.yaml")
}

func chartFile(t *testing.T, names ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "..", "..", "docker", "chart"}, names...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
