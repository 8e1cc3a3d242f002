package outbound_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/otlptest"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/tracing"
)

// development may call the machine it runs on.
func development() outbound.Options {
	return outbound.Options{Networks: outbound.Beside("http://localhost:8080")}
}

func post(t *testing.T, o outbound.Options, url string) (outbound.Answer, error) {
	t.Helper()
	return outbound.New(o).Post(t.Context(), url, "text/plain", []byte("hello"))
}

func mustRefuse(t *testing.T, o outbound.Options, url string) {
	t.Helper()
	_, err := post(t, o, url)
	if !fault.Is(err, fault.Forbidden) || !fault.HasReason(err, outbound.ReasonAddress) {
		t.Errorf("%s: error %v, want a refusal", url, err)
	}
}

func TestPostSendsTheBodyAndReturnsTheAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || string(body) != "hello" || r.Header.Get("Content-Type") != "text/plain" ||
			r.UserAgent() != "Portico" {
			t.Errorf("%s %q %v came", r.Method, body, r.Header)
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "short and stout")
	}))
	t.Cleanup(server.Close)
	got, err := post(t, development(), server.URL)
	if err != nil || got.Status != http.StatusTeapot || string(got.Body) != "short and stout" {
		t.Errorf("%d %q, error %v", got.Status, got.Body, err)
	}
}

func TestADevelopmentServerMayCallThisMachineAndAnyOtherMayNot(t *testing.T) {
	called := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called++ }))
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	urls := []string{server.URL, "http://localhost:" + port, "http://[::ffff:127.0.0.1]:" + port}
	for _, url := range urls {
		if _, err := post(t, development(), url); err != nil {
			t.Errorf("%s from beside it: %v", url, err)
		}
	}
	called = 0
	for _, url := range urls {
		mustRefuse(t, outbound.Options{Networks: outbound.Beside("https://id.example.test")}, url)
		mustRefuse(t, outbound.Options{}, strings.Replace(url, "http://", "https://", 1))
	}
	if called > 0 {
		t.Error("a refused request arrived")
	}
}

// Rule: LOGOUT-9
func TestWhatIsNotPublicIsNeverCalled(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1",
		"198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"[::]", "[::1]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]",
		"[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[100::1]", "[2001::1]", "[2001:2::1]", "[2001:db8::1]",
		"[2002:7f00:1::]", "[3fff::1]", "[5f00::1]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[ff02::1]",
		"localhost",
	} {
		mustRefuse(t, outbound.Options{}, "https://"+host+"/")
		mustRefuse(t, outbound.Options{}, "http://"+host+"/")
	}
}

func TestPlainHTTPIsForNamedNetworksOnly(t *testing.T) {
	mustRefuse(t, development(), "http://192.0.9.9/")
	mustRefuse(t, outbound.Options{}, "http://192.0.9.9/")
}

func TestAMalformedURLIsRefused(t *testing.T) {
	for _, url := range []string{"", "//127.0.0.1", "/path", "ftp://127.0.0.1", "http://user:secret@127.0.0.1/",
		"http://", "http://127.0.0.1:x/", "gopher:x"} {
		mustRefuse(t, development(), url)
	}
}

// Rule: LOGOUT-9
func TestNoRedirectIsFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		followed := false
		mux := http.NewServeMux()
		mux.Handle("/", http.RedirectHandler("/inner", status))
		mux.HandleFunc("/inner", func(http.ResponseWriter, *http.Request) { followed = true })
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		got, err := post(t, development(), server.URL)
		if err != nil || got.Status != status || followed {
			t.Errorf("%d: answer %d, followed %v, error %v", status, got.Status, followed, err)
		}
	}
}

func TestNoProxyOfTheEnvironmentIsUsed(t *testing.T) {
	proxied := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied = true }))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	mustRefuse(t, outbound.Options{}, "https://10.0.0.1/")
	if proxied {
		t.Error("the proxy was asked")
	}
}

func TestALongAnswerIsCut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	options := development()
	options.MaxAnswer = 1000
	got, err := post(t, options, server.URL)
	if err != nil || len(got.Body) != 1000 {
		t.Errorf("%d bytes, error %v", len(got.Body), err)
	}
}

// Rule: LOGOUT-9
func TestASilentServerIsGivenUp(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the caller left
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	options := development()
	options.Timeout = 1
	_, err := post(t, options, server.URL)
	mustBeUnreachable(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = outbound.New(development()).Post(ctx, server.URL, "text/plain", nil)
	mustBeUnreachable(t, err)
}

func TestNobodyThereIsAFaultWithoutTheAddress(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	_, err := post(t, development(), server.URL)
	mustBeUnreachable(t, err)
	if f := fault.From(err); strings.Contains(f.Detail, "127.0.0.1") {
		t.Errorf("the detail names the address: %s", f.Detail)
	}
}

func mustBeUnreachable(t *testing.T, err error) {
	t.Helper()
	if !fault.Is(err, fault.Unavailable) || !fault.HasReason(err, outbound.ReasonUnreachable) {
		t.Errorf("error %v, want unreachable", err)
	}
}

func TestATLSServerThatNobodyVouchesForIsUnreachable(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the request arrived")
	}))
	server.Config.ErrorLog = nil
	server.StartTLS()
	t.Cleanup(server.Close)
	_, err := post(t, development(), server.URL)
	mustBeUnreachable(t, err)
}

func TestOtherNetworksCanBeAllowedByName(t *testing.T) {
	options := outbound.Options{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	if _, err := post(t, options, server.URL); err != nil {
		t.Error(err)
	}
	mustRefuse(t, options, "https://10.0.0.1/")
}

// Rule: TRACE-4
func TestACallIsPartOfATraceAndWhoIsCalledIsToldSo(t *testing.T) {
	var told []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told = append(told, r.Header.Get("Traceparent"))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer receiver.Close()
	collector := otlptest.New(t)
	tracer := tracing.New(tracing.Options{URL: collector.URL, Share: 1, Source: ambient.System(), Cause: fault.Cause,
		Log: slog.New(slog.DiscardHandler)})
	c := outbound.New(own("127.0.0.0/8"))
	ctx, request := tracer.Request(t.Context(), "")
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if _, err := c.Post(ctx, receiver.URL+"/secret-path?secret=query", "text/plain", []byte("secret-body")); err != nil {
			t.Fatal(err)
		}
	}
	request.Name("GET", "/x")
	request.End(nil)
	tracer.Close()
	call := collector.Spans()[0]
	if len(collector.Spans()) != 2 || call.Parent == "" || call.Kind != 3 || call.Attributes["error.type"] != "418" ||
		strings.Contains(collector.Raw(), "secret") || strings.Contains(collector.Raw(), "127.0.0.1") {
		t.Error(collector.Raw())
	}
	if told[0] != "00-"+call.TraceID+"-"+call.SpanID+"-01" || told[1] != "" {
		t.Errorf("who was called was told %q", told)
	}
}
