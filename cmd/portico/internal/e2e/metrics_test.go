package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/internal/harness/otlptest"
)

// series is a line of metrics with its labels, and an example behind it.
var (
	seriesLine  = regexp.MustCompile(`(?m)^(portico_\w+?)(?:_bucket|_sum|_count)?(?:\{(.*?)\})? [0-9.e+-]+(?: # .*)?$`)
	seriesLabel = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

// scraped is what the server tells Prometheus, examples and all.
func (s *site) scraped(address string) string {
	s.Helper()
	r, err := http.NewRequest("GET", address, nil)
	s.must(err)
	r.Header.Set("Accept", "application/openmetrics-text;version=1.0.0")
	got, err := try(&http.Client{}, r)
	s.must(err)
	return got.Body
}

// Rules: METRIC-1, METRIC-6, TRACE-7
func TestMetricsTellOfEverythingThatIsDoneAndOfNobody(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		port, collector := freeport.Take(t), otlptest.New(t)
		q := newQuay(t, database, false, "METRICS_LISTEN=127.0.0.1:"+port, "TRACES_URL="+collector.URL, "TRACES_SHARE=1")
		id := q.person("person@example.test")
		app, v := q.client(), q.visitor("person@example.test")
		code := v.code(app, "scope", "openid email offline_access", "nonce", "sent-nonce")
		tokens := q.redeem(app, code)
		access, refresh := tokens.text("access_token"), tokens.text("refresh_token")
		for range 2 {
			q.userInfo(access)
		}
		q.refresh(app, "sent-token")
		refresh = q.refresh(app, refresh).text("refresh_token")
		_, _ = q.visitor("sent-login@example.test").tryCode(app)
		c, body := q.reserve("sent-file.bin"), []byte("sent-bytes")
		sum := sha256.Sum256(body)
		q.put(c, "1", body)
		q.complete(c, hex.EncodeToString(sum[:]))
		for _, path := range []string{"/sent-path", "/apps/sent-id", "/forgotten?login=sent-login", "/files/hubs/sent-hub"} {
			_, _ = v.open(q.URL + path)
		}
		text := q.scraped("http://127.0.0.1:" + port + "/metrics")
		for what, want := range map[string]string{
			"requests by template and status": `portico_http_requests_total{method="POST",route="/\S+token",status="200"} [1-9]`,
			"tokens by grant and app":         `portico_tokens_issued_total{app_type="web",grant_type="authorization_.*"} [1-9]`,
			"refusals by cause":               `portico_refusals_total{kind="[a-z_]+",reason="invalid_grant"} [1-9]`,
			"sign-ins that went well":         `portico_sign_ins_total{outcome="signed_in"} [1-9]`,
			"sign-ins that did not":           `portico_sign_ins_total{outcome="wrong_login"} [1-9]`,
			"the queue of hashes":             `portico_password_hash_workers [1-9]`,
			"those in the queue":              `portico_password_hashes_pending 0`,
			"the pool":                        `portico_database_connections_max{pool="\w+"} [1-9]`,
			"apps in memory":                  `portico_client_cache_lookups_total{result="hit"} [1-9]`,
			"apps not in memory":              `portico_client_cache_lookups_total{result="miss"} [1-9]`,
			"tokens in memory":                `portico_token_cache_lookups_total{result="hit"} [1-9]`,
			"the age of keys":                 `portico_signing_key_age_seconds{algorithm="RS256"} [0-9]`,
			"the clean-up":                    `portico_cleanup_lag_seconds 0`,
			"the outbox":                      `portico_waiting{what="mails"} [0-9]`,
			"the feed":                        `portico_feed_lag_seconds [0-9]`,
			"uploads":                         `portico_uploads_total [1-9]`,
			"their bytes":                     `portico_uploaded_bytes_total [1-9]`,
			"an example":                      `portico_http_request_duration_seconds_bucket{.*} [0-9]+ # {trace_id="\w{32}"} `,
		} {
			if !regexp.MustCompile(`(?m)^` + want).MatchString(text) {
				t.Errorf("%s: no line is like %s", what, want)
			}
		}
		checkLabels(t, text, map[string]string{"an address": "person@example", "a person": id, "an app": app.ID,
			"its secret": app.Secret, "a code": code, "a token": access, "a refresh token": refresh, "what was sent": "sent-",
			"a project": q.project, "another app": q.app.ID})
	})
}

// checkLabels walks all labels: each is known, and its values are words of the code.
func checkLabels(t *testing.T, text string, secrets map[string]string) {
	t.Helper()
	known := []string{"method", "route", "status", "le", "kind", "reason", "grant_type", "app_type", "outcome", "result",
		"pool", "algorithm", "what", "version", "revision", "trace_id"}
	lines := seriesLine.FindAllStringSubmatch(text, -1)
	for _, line := range lines {
		for _, label := range seriesLabel.FindAllStringSubmatch(line[2], -1) {
			if !slices.Contains(known, label[1]) || len(label[2]) > 120 {
				t.Errorf("%s has %s = %q", line[1], label[1], label[2])
			}
		}
	}
	if len(lines) < 100 || len(lines) > 5000 {
		t.Errorf("there are %d series", len(lines))
	}
	for what, secret := range secrets {
		if secret == "" || strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
			t.Errorf("%s is told, or there was none: %q", what, secret)
		}
	}
}
