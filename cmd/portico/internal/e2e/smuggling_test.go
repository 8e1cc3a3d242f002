package e2e

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// proxy is the configuration of a proxy that is put before a server, with PORT and
// SERVER to be filled in, and how it is started.
type proxy struct {
	path, debian, config string
	args                 []string // CONFIG is its path
}

var proxies = map[string]proxy{
	"nginx": {"/usr/sbin/nginx", "nginx-light", `
daemon off; master_process off; error_log stderr; pid DIRECTORY/pid;
events {}
http {
  access_log off;
  client_body_temp_path DIRECTORY/body; proxy_temp_path DIRECTORY/proxy;
  fastcgi_temp_path DIRECTORY/fastcgi; scgi_temp_path DIRECTORY/scgi; uwsgi_temp_path DIRECTORY/uwsgi;
  upstream portico { server SERVER; keepalive 4; }
  server {
    listen 127.0.0.1:PORT;
    location / { proxy_pass http://portico; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_request_buffering off; }
  }
}
`, []string{"-c", "CONFIG", "-p", "DIRECTORY", "-e", "stderr"}},
	"haproxy": {"/usr/sbin/haproxy", "haproxy", `
defaults
  mode http
  timeout connect 5s
  timeout client 10s
  timeout server 10s
  option http-keep-alive
  http-reuse always
frontend front
  bind 127.0.0.1:PORT
  default_backend portico
backend portico
  server one SERVER
`, []string{"-db", "-f", "CONFIG"}},
}

// smuggled are requests of which two readers may disagree where they end. What
// stands behind the end that one of them sees is a second request, for SECOND.
var smuggled = map[string]string{
	"Content-Length beside Transfer-Encoding, the length longer": "Content-Length: LENGTH\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nSECOND",
	"the same, the other way round":                              "Transfer-Encoding: chunked\r\nContent-Length: LENGTH\r\n\r\n0\r\n\r\nSECOND",
	"Content-Length of the first chunk's line":                   "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nSIZE\r\nSECOND\r\n0\r\n\r\n",
	"a blank before the colon":                                   "Content-Length: LENGTH\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\nSECOND",
	"a tab before the value":                                     "Content-Length: LENGTH\r\nTransfer-Encoding:\tchunked\r\n\r\n0\r\n\r\nSECOND",
	"a vertical tab before the value":                            "Content-Length: LENGTH\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\nSECOND",
	"an unknown coding":                                          "Content-Length: LENGTH\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\nSECOND",
	"two codings":                                                "Content-Length: LENGTH\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\nSECOND",
	"two headers of codings":                                     "Content-Length: LENGTH\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nSECOND",
	"a folded header":                                            "Content-Length: LENGTH\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\nSECOND",
	"capitals":                                                   "Content-Length: LENGTH\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\nSECOND",
	"a bare line feed":                                           "Content-Length: LENGTH\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nSECOND",
	"two lengths":                                                "Content-Length: 0\r\nContent-Length: LENGTH\r\n\r\nSECOND",
	"a list of lengths":                                          "Content-Length: 0, LENGTH\r\n\r\nSECOND",
	"a length with a sign":                                       "Content-Length: +LENGTH\r\n\r\nSECOND",
}

// second is the request that nobody but the proxy may ask for.
const second = "GET " + keysPath + " HTTP/1.1\r\nHost: id.example.test\r\n\r\n"

// Rule: SERVER-28
func TestNoProxyLetsASecondRequestThroughInsideAnother(t *testing.T) {
	t.Parallel()
	for name := range proxies {
		t.Run(name, func(t *testing.T) {
			s := start(t, sqliteURL(t))
			address := s.behind(t, name)
			if got := raw(t, address, second); len(got) != 1 || got[0] != http.StatusOK || s.keysServed() != 1 {
				t.Fatalf("an honest request is answered %v, and the server served %d", got, s.keysServed())
			}
			if got := raw(t, address, first("Content-Length: 2\r\n\r\nxx")); len(got) != 1 {
				t.Fatalf("an honest form is answered %v", got)
			}
			if raw(t, s.address.Load().(string), first("Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+
				second)); s.keysServed() != 2 {
				t.Errorf("without a proxy the second request was served %d times: the tricks are none", s.keysServed()-1)
			}
			for trick, tail := range smuggled {
				before := s.keysServed()
				tail = strings.NewReplacer("LENGTH", strconv.Itoa(len(second)+5), "SIZE",
					strconv.FormatInt(int64(len(second)), 16), "SECOND", second).Replace(tail)
				got := raw(t, address, first(tail))
				if n := s.keysServed() - before; n > 0 {
					t.Errorf("%s: the server served a second request; the proxy answered %v", trick, got)
				}
			}
		})
	}
}

// first is a request that is refused quickly, with the end that matters.
func first(tail string) string {
	return "POST " + tokenPath + " HTTP/1.1\r\nHost: id.example.test\r\nContent-Type: " + formType + "\r\n" + tail
}

func (s *site) keysServed() int {
	n := 0
	lines, _ := s.log.lines()
	for _, line := range lines {
		if line.Route == keysPath {
			n++
		}
	}
	return n
}

// behind starts the proxy before the site and returns its address.
func (s *site) behind(t *testing.T, name string) string {
	t.Helper()
	port := freeport.Take(t)
	s.before(t, proxies[name], port)
	return "127.0.0.1:" + port
}

// before starts a proxy before the site; the pairs fill in more.
func (s *site) before(t *testing.T, p proxy, port string, pairs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a proxy, which -short leaves out")
	}
	if _, err := os.Stat(p.path); err != nil {
		t.Fatalf("%s is missing: install it (apt-get install %s); go test -short leaves out what needs it", p.path, p.debian)
	}
	dir := publicDir(t)
	fill := strings.NewReplacer(append(pairs, "DIRECTORY", dir, "PORT", port, "SERVER", s.address.Load().(string),
		"CONFIG", filepath.Join(dir, "config"))...)
	s.must(os.WriteFile(filepath.Join(dir, "config"), []byte(fill.Replace(p.config)), 0o644))
	var args []string
	for _, arg := range p.args {
		args = append(args, fill.Replace(arg))
	}
	runBeside(t, exec.Command(p.path, args...), port)
}

// raw sends bytes, and returns the statuses of all answers until the other side
// closes or has nothing more to say.
func raw(t *testing.T, address, text string) (statuses []int) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	for answers := bufio.NewReader(conn); ; {
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		got, err := http.ReadResponse(answers, nil)
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, got.Body)
		statuses = append(statuses, got.StatusCode)
	}
}
