package e2e

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// endpoint is an address that takes a form, with a request that it accepts.
type endpoint struct {
	path   string
	good   url.Values
	header http.Header
	accept int    // status of the good request
	page   bool   // answers people with pages, and not programs with JSON
	back   string // where refusals may go instead, once that is proven
}

// endpoints returns all that take forms, with requests of a registered client.
func endpoints(s *site) map[string]endpoint {
	s.Helper()
	s.person("person@example.test")
	const leaving = "https://app.example.test/bye"
	c := s.client("--redirect-uri", callback, "--post-logout-uri", leaving, "--scope", "openid email data:read")
	token := s.visitor("person@example.test").tokens(c).text("access_token")
	basic := http.Header{"Authorization": s.post("/", c, form()).Header["Authorization"]}
	machine := s.robot()
	exchange := form("grant_type", jwtBearer, "assertion", machine.sign(""))
	own := http.Header{"Origin": {s.URL}, "Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/html"}}
	return map[string]endpoint{
		"token": {path: tokenPath, good: form("grant_type", "client_credentials"), header: basic, accept: 200},
		"exchange": {path: tokenPath, good: exchange,
			header: http.Header{"Authorization": s.post("/", machine.owner, form()).Header["Authorization"]}, accept: 200},
		"revocation": {path: revokePath, good: form("token", "x", "token_type_hint", "access_token"),
			header: basic, accept: 200},
		"introspection": {path: introspectPath, good: form("token", "x"), header: basic, accept: 200},
		"user info":     {path: userInfoPath, good: form("access_token", token), accept: 200},
		"authorize": {path: authorizePath, good: form("client_id", c.ID, "redirect_uri", callback, "response_type", "code",
			"scope", "openid", "state", "s"),
			header: http.Header{"Accept": {"text/html"}}, accept: 303, page: true, back: callback},
		"logout": {path: logoutPath, good: form("client_id", c.ID, "post_logout_redirect_uri", leaving),
			header: http.Header{"Accept": {"text/html"}}, accept: 303, page: true},
		"sign-in": {path: "/login", good: form("username", "person@example.test", "password", password), header: own,
			accept: 303, page: true},
		"sign-out": {path: "/signout", good: form(), header: own, accept: 303, page: true},
	}
}

// request is a POST with the body, sent as the endpoint's good one is.
func (e endpoint) request(s *site, body io.Reader) *http.Request {
	r, err := http.NewRequest(http.MethodPost, s.URL+e.path, body)
	s.must(err)
	r.Header.Set("Content-Type", formType)
	for name, values := range e.header {
		r.Header[name] = values
	}
	return r
}

// refuses checks a 4xx in the endpoint's own shape.
func (e endpoint) refuses(t *testing.T, got answer) {
	t.Helper()
	if e.back != "" && strings.HasPrefix(got.Header.Get("Location"), e.back+"?error=invalid_request&") {
		return
	}
	if got.Status < 400 || got.Status > 499 {
		t.Errorf("%d %.200s", got.Status, got.Body)
		return
	}
	want := "application/json"
	if e.page {
		want = "text/html; charset=utf-8"
	}
	if media := got.Header.Get("Content-Type"); media != want || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("answered as %q, Cache-Control %q: %.200s", media, got.Header.Get("Cache-Control"), got.Body)
	}
	if !e.page && got.text("error") == "" {
		t.Errorf("no OAuth error: %s", got.Body)
	}
	if e.page && !strings.Contains(got.Body, "</html>") {
		t.Errorf("no page: %.200s", got.Body)
	}
}

// Rule: SERVER-21
func TestMalformedFormsGetAFourHundredInTheEndpointsOwnShape(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	const oneTooMany = 10_000
	for name, e := range endpoints(s) {
		t.Run(name, func(t *testing.T) {
			got, err := try(s.plain, e.request(s, strings.NewReader(e.good.Encode())))
			if err != nil || got.Status != e.accept {
				t.Fatalf("the good request: %v, %d %s", err, got.Status, got.Body)
			}
			for trick, tail := range map[string]string{
				"ten thousand parameters":    strings.Repeat("&a=b", oneTooMany),
				"a repeated parameter":       "&x=1&x=2",
				"invalid UTF-8":              "&x=%ff",
				"U+0000":                     "&x=%00",
				"a malformed escape":         "&x=%zz",
				"a value of a megabyte":      "&x=" + strings.Repeat("y", 1<<20),
				"a name of a megabyte":       "&" + strings.Repeat("y", 1<<20) + "=1",
				"raw bytes that are no form": "&\x00\xff\r\n=\x1b",
			} {
				t.Run(trick, func(t *testing.T) {
					got, err := try(s.plain, e.request(s, strings.NewReader(e.good.Encode()+tail)))
					s.must(err)
					e.refuses(t, got)
				})
			}
			t.Run("JSON instead of a form", func(t *testing.T) {
				r := e.request(s, strings.NewReader(`{"grant_type":"client_credentials"}`))
				r.Header.Set("Content-Type", "application/json")
				got, err := try(s.plain, r)
				s.must(err)
				e.refuses(t, got)
			})
		})
	}
}

const hundredMegabytes = 100 << 20

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// flood sends a request head by hand, and then a body of the size ("": of no
// size that is told) for as long as the server takes it. It returns the answer.
func flood(s *site, r *http.Request, size string, body io.Reader) (answer, error) {
	r.Header.Set("Accept-Encoding", "identity") // pages are read as they are
	head, err := httputil.DumpRequestOut(r, false)
	if err != nil {
		return answer{}, err
	}
	framing := "Transfer-Encoding: chunked"
	if size != "" {
		framing = "Content-Length: " + size
	}
	conn, err := net.Dial("tcp", s.address.Load().(string))
	if err != nil {
		return answer{}, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return answer{}, err
	}
	if _, err := io.WriteString(conn, strings.Replace(string(head), "Content-Length: 0", framing, 1)); err != nil {
		return answer{}, err
	}
	go func() {
		var to io.Writer = conn
		if size == "" {
			to = httputil.NewChunkedWriter(conn)
		}
		_, _ = io.Copy(to, body) // the server stops it
	}()
	response, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(content)}, err
}

// It runs beside no other test, whose memory would be counted, too.
//
// Rule: SERVER-19
func TestBodiesOfAHundredMegabytesAreRefusedWithoutBeingKept(t *testing.T) {
	s := start(t, sqliteURL(t))
	all := endpoints(s)
	for _, e := range all { // what is read once is read by now
		_, err := flood(s, e.request(s, nil), "", io.LimitReader(endless{}, hundredMegabytes))
		s.must(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	floods := 0
	for name, e := range all {
		for _, size := range []string{strconv.Itoa(hundredMegabytes), ""} {
			t.Run(name+" with Content-Length "+size, func(t *testing.T) {
				got, err := flood(s, e.request(s, nil), size, io.LimitReader(endless{}, hundredMegabytes))
				if err != nil {
					t.Fatalf("no answer: %v", err)
				}
				e.refuses(t, got)
			})
			floods++
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > hundredMegabytes/4 {
		t.Errorf("%d bodies of 100 MB made the process allocate %d MB", floods, used>>20)
	}
}

// Rule: SERVER-21
func TestNothingThatWasSentComesBackAsMarkupOrAsAHeader(t *testing.T) {
	s := start(t, sqliteURL(t))
	for name, e := range endpoints(s) {
		t.Run(name, func(t *testing.T) {
			for _, evil := range []string{`"><script>evil()</script>`, "x\r\nX-Evil: 1",
				"\r\n\r\n<script>evil()</script>", `');evil()//`} {
				for parameter := range e.good {
					sent := url.Values{}
					for name, values := range e.good {
						sent[name] = values
					}
					sent.Set(parameter, evil)
					got, err := try(s.plain, e.request(s, strings.NewReader(sent.Encode())))
					s.must(err)
					checkReflection(t, parameter, got)
					got, err = try(s.plain, e.request(s,
						strings.NewReader(e.good.Encode()+"&"+url.QueryEscape(evil)+"="+url.QueryEscape(evil))))
					s.must(err)
					checkReflection(t, "an unknown parameter", got)
				}
			}
		})
	}
}

func checkReflection(t *testing.T, parameter string, got answer) {
	t.Helper()
	if got.Status >= 500 {
		t.Errorf("%s: %d %s", parameter, got.Status, got.Body)
	}
	if strings.Contains(got.Body, "<script>evil") || strings.Contains(got.Body, "');evil()//") &&
		strings.Contains(got.Header.Get("Content-Type"), "html") {
		t.Errorf("%s comes back as markup: %s", parameter, got.Body)
	}
	if got.Header.Get("X-Evil") != "" || strings.ContainsAny(got.Header.Get("Location"), "\r\n<>\"") {
		t.Errorf("%s comes back in a header: %v", parameter, got.Header)
	}
	if strings.ContainsAny(got.text("error_description"), "\r\n\"\\<>") {
		t.Errorf("%s comes back in the description: %s", parameter, got.Body)
	}
}

// Rule: SERVER-19
func TestOversizedRequestHeadsAreRefused(t *testing.T) {
	s := start(t, sqliteURL(t))
	for name, prepare := range map[string]func(*http.Request){
		"a header of a megabyte":        func(r *http.Request) { r.Header.Set("X-Long", strings.Repeat("x", 1<<20)) },
		"a query of a megabyte":         func(r *http.Request) { r.URL.RawQuery = "state=" + strings.Repeat("x", 1<<20) },
		"ten thousand query parameters": func(r *http.Request) { r.URL.RawQuery = strings.Repeat("&a=b", 5_000) },
	} {
		r, err := http.NewRequest(http.MethodGet, s.URL+authorizePath, nil)
		s.must(err)
		prepare(r)
		got, err := try(s.plain, r)
		if err != nil || got.Status < 400 || got.Status > 499 {
			t.Errorf("%s: %v, %d", name, err, got.Status)
		}
	}
}
