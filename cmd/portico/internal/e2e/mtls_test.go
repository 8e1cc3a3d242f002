package e2e

import (
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// certifying are proxies that ask clients for certificates and tell them on.
var certifying = map[string]proxy{
	"nginx": {"/usr/sbin/nginx", "nginx-light", `
daemon off; master_process off; error_log stderr; pid DIRECTORY/pid;
events {}
http {
  access_log off;
  client_body_temp_path DIRECTORY/body; proxy_temp_path DIRECTORY/proxy;
  fastcgi_temp_path DIRECTORY/fastcgi; scgi_temp_path DIRECTORY/scgi; uwsgi_temp_path DIRECTORY/uwsgi;
  server {
    listen 127.0.0.1:PORT ssl;
    ssl_certificate CERTS/cert.pem; ssl_certificate_key CERTS/key.pem; ssl_verify_client optional_no_ca;
    location / { proxy_pass http://SERVER; proxy_set_header Client-Cert $ssl_client_escaped_cert; }
  }
}
`, []string{"-c", "CONFIG", "-p", "DIRECTORY", "-e", "stderr"}},
	"haproxy": {"/usr/sbin/haproxy", "haproxy", `
defaults
  mode http
  timeout connect 5s
  timeout client 10s
  timeout server 10s
frontend front
  bind 127.0.0.1:PORT ssl crt CERTS/both.pem ca-file CERTS/ca.pem verify optional crt-ignore-err all ca-ignore-err all
  http-request set-header Client-Cert %[ssl_c_der,base64]
  default_backend portico
backend portico
  server one SERVER
`, []string{"-db", "-f", "CONFIG"}},
}

// holder is somebody with curl and a certificate.
type holder struct {
	t    *testing.T
	dir  string // where ca.pem and the certificates are
	name string // of their own; empty: none
	at   string
}

// asks sends a request with curl and returns the status and the body.
func (h holder) asks(path string, args ...string) (string, map[string]any) {
	h.t.Helper()
	args = append(args, "-sS", "--cacert", filepath.Join(h.dir, "ca.pem"), "-w", "\n%{http_code}", h.at+path)
	if h.name != "" {
		args = append(args, "--cert", filepath.Join(h.dir, h.name+".pem"), "--key", filepath.Join(h.dir, h.name+".key"))
	}
	said, err := exec.Command("curl", args...).Output()
	if err != nil {
		h.t.Fatalf("curl: %v %s", err, said)
	}
	end := strings.LastIndex(string(said), "\n")
	body := map[string]any{}
	_ = json.Unmarshal(said[:end], &body)
	return string(said[end+1:]), body
}

// certificates writes an authority's, the server's, the client's and a stranger's.
func certificates(t *testing.T) (dir string) {
	t.Helper()
	dir = publicDir(t)
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := newAuthority(t)
	write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
	cert, key := a.issue("server")
	write("cert.pem", cert)
	write("key.pem", key)
	write("both.pem", append(cert, key...))
	for name, by := range map[string]*authority{"client": a, "other": a, "stranger": newAuthority(t)} {
		who := name
		if name == "stranger" {
			who = "client" // so they say
		}
		cert, key := by.issue(who)
		write(name+".pem", cert)
		write(name+".key", key)
	}
	return dir
}

// Rules: MTLS-1, MTLS-4, MTLS-6
func TestCurlProvesItselfByACertificate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nginx", "haproxy", "own listener"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, own := certificates(t), freeport.Take(t)
			var s *site
			at := "https://localhost:" + own
			if p, isProxy := certifying[name]; isProxy {
				s = start(t, sqliteURL(t), "TLS_CLIENT_CA="+dir+"/ca.pem", "TLS_CLIENT_HEADER=Client-Cert", "TLS_CLIENT_URL="+at)
				s.before(t, p, own, "CERTS", dir)
			} else {
				s = newSite(t, sqliteURL(t), "LISTEN=127.0.0.1:"+freeport.Take(t), "TLS_CERT="+dir+"/cert.pem",
					"TLS_KEY="+dir+"/key.pem",
					"TLS_CLIENT_CA="+dir+"/ca.pem", "TLS_CLIENT_LISTEN=127.0.0.1:"+own, "TLS_CLIENT_URL="+at, "TLS_CLIENT_ANY=on")
				s.run()
			}
			c := s.client("--type", "service", "--profile", "standard", "--auth-method", "tls_client_auth",
				"--certificate-name", "subject_dn=CN=client", "--certificate-bound", "--scope", "data:read")
			client := holder{t, dir, "client", at}
			_, said := client.asks(discoveryPath)
			aliases, _ := said["mtls_endpoint_aliases"].(map[string]any)
			if aliases["token_endpoint"] != at+tokenPath {
				t.Fatalf("discovery says %v", aliases)
			}
			credentials := []string{"-d", "grant_type=client_credentials", "-d", "client_id=" + c.ID}
			status, body := client.asks(tokenPath, credentials...)
			token, _ := body["access_token"].(string)
			if status != "200" {
				t.Fatalf("%s %v", status, body)
			}
			_, described := client.asks(introspectPath, "-d", "client_id="+c.ID, "-d", "token="+token)
			if cnf, _ := described["cnf"].(map[string]any); described["active"] != true || cnf["x5t#S256"] == nil {
				t.Errorf("introspection: %v", described)
			}
			bearer := []string{"-H", "Authorization: Bearer " + token}
			if status, body := client.asks("/project/v1/hubs", bearer...); status != "200" {
				t.Errorf("the data API: %s %v", status, body)
			}
			for _, who := range []string{"other", "stranger", ""} {
				if who == "" && name == "own listener" {
					continue // is not let in
				}
				h := holder{t, dir, who, at}
				if status, body := h.asks(tokenPath, credentials...); status != "401" || body["error"] != "invalid_client" {
					t.Errorf("%q gets a token: %s %v", who, status, body)
				}
				spoofed := append([]string{"-H", "Client-Cert: " + pemOf(t, dir, "client")}, credentials...)
				if status, body := h.asks(tokenPath, spoofed...); status != "401" {
					t.Errorf("%q gets a token by the header: %s %v", who, status, body)
				}
				if status, body := h.asks("/project/v1/hubs", bearer...); status != "401" {
					t.Errorf("%q uses the token: %s %v", who, status, body)
				}
			}
		})
	}
}

// pemOf is somebody's certificate as nginx would tell it.
func pemOf(t *testing.T, dir, name string) string {
	t.Helper()
	text := must(os.ReadFile(filepath.Join(dir, name+".pem")))
	return strings.NewReplacer("\n", "%0A", " ", "%20", "+", "%2B").Replace(string(text))
}
