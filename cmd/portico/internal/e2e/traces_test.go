package e2e

import (
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/internal/harness/otlptest"
	"github.com/portico-id/portico/internal/tracing"
)

// Rules: TRACE-1, TRACE-4
func TestATraceTellsWhatARequestDid(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		collector := otlptest.New(t)
		tellsWhatARequestDid(t, database, collector, collector.URL)
	})
}

// Rules: TRACE-1, TRACE-4
func TestCollectorWorksAsItsGuideSays(t *testing.T) {
	onlyOthers(t)
	inTurn(t, func(t *testing.T, database string) {
		collector, port := otlptest.New(t), freeport.Take(t)
		runBeside(t, exec.Command("../../../../.cache/bin/collector", "127.0.0.1:"+port, collector.URL), port)
		url := "http://127.0.0.1:" + port
		if status, err := tracing.Knock(t.Context(), url+"/v1/traces"); err != nil || status != http.StatusOK {
			t.Errorf("what the doctor sends is answered with %d, %v", status, err)
		}
		tellsWhatARequestDid(t, database, collector, url)
	})
}

// tellsWhatARequestDid has a server send traces to the URL, and looks at what came to the collector from there.
func tellsWhatARequestDid(t *testing.T, database string, collector *otlptest.Collector, to string) {
	t.Helper()
	s := start(t, database, "TRACES_URL="+to, "TRACES_SHARE=1")
	s.person("person@example.test")
	s.visitor("person@example.test").tokens(s.client())
	engine := map[bool]string{true: "sqlite", false: "postgresql"}[strings.HasPrefix(database, "sqlite:")]
	var redeemed otlptest.Span
	spans := collector.Until(func(all []otlptest.Span) bool {
		for _, one := range all {
			if one.Name == "POST "+tokenPath {
				redeemed = one
			}
		}
		return redeemed.Name != ""
	})
	said := map[string]bool{}
	for _, one := range spans {
		if one.Parent != redeemed.SpanID {
			continue
		}
		said[one.Name] = true
		if one.TraceID != redeemed.TraceID || one.Begin < redeemed.Begin || one.End > redeemed.End ||
			one.Attributes["db.system.name"] != engine || one.Failed {
			t.Errorf("%+v in %+v", one, redeemed)
		}
	}
	t.Logf("%d spans: %v", len(said), said)
	if !said["COMMIT identity.RedeemCode"] || !said["BEGIN identity.RedeemCode"] || redeemed.Parent != "" ||
		redeemed.Kind != 2 || redeemed.Attributes["http.response.status_code"] != "200" {
		t.Errorf("%+v had %v", redeemed, said)
	}
	if text, _ := s.log.read(); !strings.Contains(text, `"trace_id":"`+redeemed.TraceID+`"`) {
		t.Error("no line of the log has it")
	}
}

// spanName is what the code may call a span: a method and the template of a route, a
// statement and its act, a round.
var spanName = regexp.MustCompile(`^(round [a-z]+|(SELECT|INSERT|UPDATE|DELETE|WITH|SET|BEGIN|COMMIT) ([a-z]+\.\w+)?|SEND mail|` +
	`(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|other)( [^ ]+)?)$`)

// Rule: TRACE-6
func TestNoSpanHoldsWhoOrWhatSomebodySent(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		collector := otlptest.New(t)
		s := start(t, database, "TRACES_URL="+collector.URL, "TRACES_SHARE=1")
		id := s.person("person@example.test", "--admin")
		c, v := s.client(), s.visitor("person@example.test")
		code := v.code(c, "scope", "openid email offline_access", "nonce", "sent-nonce")
		got := s.redeem(c, code)
		access, refresh := got.text("access_token"), got.text("refresh_token")
		s.userInfo(access)
		s.send(introspectPath, c, "token", access)
		again := s.refresh(c, refresh)
		s.refresh(c, "sent-token")
		s.send(revokePath, c, "token", again.text("access_token"))
		wrong := s.visitor("sent-login@example.test")
		_, _ = wrong.tryCode(c)
		for _, path := range []string{"/sent-path", "/apps/sent-id", "/admin/people?q=sent-search",
			"/forgotten?login=sent-login",
			"/admin/people/" + url.PathEscape(id), "/data/v1/projects/sent-project/folders/sent-folder/contents?filter%5Bsent-filter%5D=x"} {
			_, _ = v.open(s.URL + path)
		}
		odd, err := http.NewRequest("SENT", s.URL+"/sent-path", nil)
		s.must(err)
		odd.Header.Set("X-Request-Id", "sent-request")
		_, _ = try(s.plain, odd)
		spans := collector.Until(func(all []otlptest.Span) bool {
			for _, one := range all {
				if strings.HasPrefix(one.Name, "other") {
					return true
				}
			}
			return false
		})
		raw := strings.ToLower(collector.Raw())
		for what, secret := range map[string]string{"an address": "person@example", "a name": "demo person", "a person": id,
			"an app": c.ID, "its secret": c.Secret, "a code": code, "a token": access, "a refresh token": refresh,
			"a password": "correct horse", "what was sent": "sent-", "a host": "127.0.0.1"} {
			if secret == "" || strings.Contains(raw, strings.ToLower(secret)) {
				t.Errorf("%s is told, or there was none: %q", what, secret)
			}
		}
		known := map[string]bool{"http.request.method": true, "http.route": true, "http.response.status_code": true,
			"error.type": true, "portico.refusal": true, "db.system.name": true, "db.operation.name": true}
		for _, one := range spans {
			if !spanName.MatchString(one.Name) {
				t.Errorf("a span is called %q", one.Name)
			}
			for key, value := range one.Attributes {
				if !known[key] || len(value) > 120 {
					t.Errorf("%s has %s = %q", one.Name, key, value)
				}
			}
		}
		if len(spans) < 100 {
			t.Errorf("%d spans are not all of it", len(spans))
		}
	})
}
