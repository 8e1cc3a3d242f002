package commands

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"

	"github.com/portico-id/portico/cmd/portico/internal/doctor"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/signingtest"
	"github.com/portico-id/portico/internal/harness/smtptest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
)

// ward is an installation that is sound: its server is played by another.
type ward struct {
	*testing.T
	dir     string
	environ []string
	says    func(w http.ResponseWriter) // the server's answer to who discovers it; nil: as it should be
	ready   int
}

func newWard(t *testing.T) *ward {
	t.Helper()
	dir := t.TempDir()
	sqlitetest.Create(t, filepath.Join(dir, "portico.db"))
	return newWardIn(t, dir, "sqlite:"+filepath.Join(dir, "portico.db"))
}

// newWardIn is newWard with a database.
func newWardIn(t *testing.T, dir, database string) *ward {
	w := &ward{T: t, dir: dir, ready: http.StatusOK}
	w.must(os.Chmod(w.dir, 0o700))
	w.must(os.MkdirAll(filepath.Join(w.dir, "files"), 0o700))
	w.set("PORTICO_DATABASE_URL", database)
	server := httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(server.Close)
	w.set("PORTICO_DATA_DIR", w.dir)
	w.set("PORTICO_BASE_URL", server.URL)
	w.set("PORTICO_LISTEN", strings.TrimPrefix(server.URL, "http://"))
	w.set("PORTICO_SECRET", strings.Repeat("secret ", 8))
	w.set("PORTICO_SMTP_URL", smtptest.Start(t).URL())
	w.set("PORTICO_MAIL_FROM", "no-reply@example.test")
	w.run(0, "user", "create", "--email", "admin@example.test", "--name", "Administrator", "--admin")
	w.within(func(p *wiring.Parts) {
		ring, err := p.Ring()
		w.must(err)
		signingtest.Open(t, signing.Options{Store: p.Store, Ring: ring, Ambient: p.Ambient, Log: p.Log,
			Issuer: p.Config.BaseURL, TokenLifetime: p.Config.Lifetimes.AccessToken})
	})
	return w
}

func (w *ward) serve(out http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/readyz":
		out.WriteHeader(w.ready)
		_, _ = fmt.Fprintln(out, "database: It does not answer.")
	case w.says != nil:
		w.says(out)
	default:
		_, _ = fmt.Fprintf(out, `{"issuer": "http://%s"}`, r.Host)
	}
}

func (w *ward) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *ward) set(name, value string) {
	w.environ = append(slices.DeleteFunc(w.environ, func(s string) bool { return strings.HasPrefix(s, name+"=") }),
		name+"="+value)
}

func (w *ward) run(want int, args ...string) string {
	w.Helper()
	code, out, said, _ := run(w.T, w.environ, args...)
	if code != want {
		w.Errorf("portico %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, out, said)
	}
	return out
}

func (w *ward) within(work func(*wiring.Parts)) {
	w.Helper()
	e := &Env{Stderr: os.Stderr, Environ: w.environ, Ambient: ambient.System()}
	w.must(e.with(w.Context(), func(p *wiring.Parts) error { work(p); return nil }))
}

// examined returns what the doctor finds that is not sound.
func (w *ward) examined(code int) []doctor.Finding {
	w.Helper()
	var report struct{ Findings []doctor.Finding }
	w.must(json.Unmarshal([]byte(w.run(code, "doctor", "--json")), &report))
	return slices.DeleteFunc(report.Findings, func(f doctor.Finding) bool {
		return f.State == doctor.Sound || f.State == doctor.Unseen
	})
}

func free(t *testing.T) string { return freeport.Address(t) }

// certify makes a certificate that ends then, and returns the names of its files.
func (w *ward) certify(end time.Time) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	w.must(err)
	made := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "id.example.test"},
		NotBefore: end.Add(-time.Hour * 24 * 90), NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, made, made, key.Public(), key)
	w.must(err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	w.must(err)
	for name, block := range map[string]*pem.Block{"CERT": {Type: "CERTIFICATE", Bytes: der},
		"KEY": {Type: "PRIVATE KEY", Bytes: private}} {
		file := filepath.Join(w.TempDir(), name)
		w.must(os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
		w.set("PORTICO_TLS_"+name, file)
	}
}

// Rule: DOCTOR-1
func TestTheDoctorFindsNothingOnASoundServer(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { newWard(t).isSound() })
	t.Run("postgres", func(t *testing.T) { newWardIn(t, t.TempDir(), pgtest.URL(t)).isSound() })
}

// Whoever looks before the server's first start may be another user, whose secret and whose
// folders the server could not read.
//
// Rule: DOCTOR-1
func TestTheDoctorMakesNothing(t *testing.T) {
	dir := t.TempDir()
	sqlitetest.Create(t, filepath.Join(dir, "portico.db"))
	_, said, _, _ := run(t, []string{"PORTICO_DATA_DIR=" + dir}, "doctor")
	for _, name := range []string{"secret", "files"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
}

// Rule: DOCTOR-1
func TestRootLeavesNothingInTheWayOfTheServer(t *testing.T) {
	w := newWard(t)
	files := filepath.Join(w.dir, "files")
	if err := os.Chown(files, 65534, 65534); err != nil || os.Geteuid() != 0 {
		t.Skipf("we are not root: %v", err)
	}
	if text := w.run(0, "doctor"); !strings.Contains(text, "unseen   bytes\n") {
		t.Error(text)
	}
	if left, err := os.ReadDir(files); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func (w *ward) isSound() {
	if found := w.examined(0); len(found) > 0 {
		w.Errorf("%+v", found)
	}
	text := w.run(0, "doctor")
	for _, name := range append(doctor.Names(), "database") {
		if !strings.Contains(text, "sound    "+name+"\n") {
			w.Errorf("%s is not told of in\n%s", name, text)
		}
	}
}

// A standby is asked, or a server that was set so.
//
// Rule: DOCTOR-2
func TestTheDoctorFindsADatabaseThatTakesNothing(t *testing.T) {
	database := pgtest.URL(t)
	w := newWardIn(t, t.TempDir(), database)
	at, err := url.Parse(database)
	w.must(err)
	pgtest.Exec(t, "ALTER DATABASE "+strings.TrimPrefix(at.Path, "/")+" SET default_transaction_read_only = on")
	found := w.examined(1)
	if !slices.ContainsFunc(found, func(f doctor.Finding) bool {
		return f.Check == "database" && f.State == doctor.Ill && strings.Contains(f.Says, "written") &&
			strings.Contains(f.Mend, "PORTICO_DATABASE_URL")
	}) {
		t.Errorf("%+v", found)
	}
}

// Rule: DOCTOR-2
func TestTheDoctorFindsThatPostgreSQLWasGivenNoSecret(t *testing.T) {
	w := newWardIn(t, t.TempDir(), pgtest.URL(t))
	w.set("PORTICO_SECRET", "")
	if found := w.examined(1); !slices.ContainsFunc(found, func(f doctor.Finding) bool {
		return f.State == doctor.Ill && strings.Contains(f.Says+f.Mend, "PORTICO_SECRET")
	}) {
		t.Errorf("%+v", found)
	}
}

// Rule: DOCTOR-2
func TestTheDoctorFindsEachFaultAndSaysHowToMendIt(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(w *ward)
		check string
		state doctor.State
		mend  string // a part of it
	}{
		"a setting that can't be": {func(w *ward) { w.set("PORTICO_LISTEN", "here") }, "settings", doctor.Ill,
			"Correct what is named"},
		"a setting of the server that can't be": {func(w *ward) {
			w.within(func(p *wiring.Parts) {
				w.must(p.Store.KeepServerSettings(w.Context(), storage.ServerSettings{"URN_NAMESPACE": "Not One"}))
			})
		}, "settings", doctor.Ill, "Correct what is named"},
		"no database": {func(w *ward) { w.set("PORTICO_DATABASE_URL", "postgres://u:p@"+free(w.T)+"/x") },
			"database", doctor.Ill, "PORTICO_DATABASE_URL"},
		"a database file that is none": {func(w *ward) { w.set("PORTICO_DATABASE_URL", "sqlite:"+w.dir) },
			"database", doctor.Ill, "read and write the file"},
		"a folder that is not the server's": {func(w *ward) { w.set("PORTICO_DATABASE_URL", "sqlite:"+w.dir+"/none.db") },
			"database", doctor.Ill, "Name the server's own"},
		"an old schema": {func(w *ward) { w.run(0, "migrate", "down", "--steps", "1", "--yes") }, "database",
			doctor.Ill, "portico migrate up"},
		"another secret": {func(w *ward) { w.set("PORTICO_SECRET", strings.Repeat("another ", 8)) }, "keys", doctor.Ill,
			"PORTICO_SECRET_PREVIOUS"},
		"a data directory that is open to others": {func(w *ward) { w.must(os.Chmod(w.dir, 0o755)) }, "data directory",
			doctor.Doubtful, "chmod 700"},
		"no place for bytes": {func(w *ward) {
			w.must(os.RemoveAll(filepath.Join(w.dir, "files")))
			w.must(os.WriteFile(filepath.Join(w.dir, "files"), nil, 0o600))
		}, "bytes", doctor.Ill, "PORTICO_DATA_DIR"},
		"no folder for bytes": {func(w *ward) { w.must(os.RemoveAll(filepath.Join(w.dir, "files"))) },
			"bytes", doctor.Doubtful, "Start the server"},
		"no object store": {func(w *ward) {
			w.set("PORTICO_S3_ENDPOINT", "http://"+free(w.T))
			w.set("PORTICO_S3_BUCKET", "files")
			w.set("PORTICO_S3_ACCESS_KEY", "key")
			w.set("PORTICO_S3_SECRET_KEY", "secret")
		}, "bytes", doctor.Ill, "PORTICO_S3_ENDPOINT"},
		"no mail server": {func(w *ward) { w.set("PORTICO_SMTP_URL", "smtp://"+free(w.T)) }, "mail",
			doctor.Ill, "PORTICO_SMTP_URL"},
		"mails that go nowhere": {func(w *ward) { w.set("PORTICO_SMTP_URL", "") }, "mail",
			doctor.Doubtful, "PORTICO_SMTP_URL"},
		"no Redis": {func(w *ward) { w.set("PORTICO_REDIS_URL", "redis://"+free(w.T)) }, "redis", doctor.Ill, "Start Redis"},
		"no virus scanner": {func(w *ward) { w.set("PORTICO_ANTIVIRUS", "tcp://"+free(w.T)) }, "virus scanner", doctor.Ill,
			"PORTICO_ANTIVIRUS"},
		"no collector of traces": {func(w *ward) { w.set("PORTICO_TRACES_URL", "http://"+free(w.T)) }, "traces", doctor.Ill,
			"PORTICO_TRACES_URL"},
		"a collector of traces that has moved": {func(w *ward) {
			taken := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			w.Cleanup(taken.Close)
			moved := httptest.NewServer(http.RedirectHandler(taken.URL+"/v1/traces", http.StatusTemporaryRedirect))
			w.Cleanup(moved.Close)
			w.set("PORTICO_TRACES_URL", moved.URL)
		}, "traces", doctor.Ill, "PORTICO_TRACES_URL"},
		"a name that leads nowhere": {func(w *ward) { w.set("PORTICO_BASE_URL", "https://portico.invalid") },
			"DNS", doctor.Ill, "DNS"},
		"another server at the base URL": {func(w *ward) {
			w.says = func(out http.ResponseWriter) { _, _ = fmt.Fprint(out, `{"issuer": "https://other.example.test"}`) }
		}, "base URL", doctor.Ill, "pass all paths on"},
		"a page at the base URL": {func(w *ward) {
			w.says = func(out http.ResponseWriter) { _, _ = fmt.Fprint(out, `<p>Welcome to nginx!`) }
		}, "base URL", doctor.Ill, "pass all paths on"},
		"nobody at the base URL": {func(w *ward) { w.set("PORTICO_BASE_URL", "http://"+free(w.T)) }, "base URL",
			doctor.Ill, "firewall"},
		"a clock that is wrong": {func(w *ward) {
			w.says = func(out http.ResponseWriter) {
				out.Header().Set("Date", time.Now().Add(5*time.Minute).UTC().Format(http.TimeFormat))
				_, _ = fmt.Fprintf(out, `{"issuer": %q}`, baseOf(w))
			}
		}, "base URL", doctor.Ill, "NTP"},
		"a certificate that nobody trusts": {func(w *ward) {
			secure := httptest.NewTLSServer(http.HandlerFunc(w.serve))
			w.Cleanup(secure.Close)
			w.set("PORTICO_BASE_URL", secure.URL)
			w.set("PORTICO_TRUSTED_PROXIES", "127.0.0.1")
		}, "base URL", doctor.Ill, "certificate for this name"},
		"a picture that is none": {func(w *ward) { w.set("PORTICO_BRAND_LOGO", w.dir) },
			"settings", doctor.Ill, "PORTICO_BRAND_LOGO"},
		"authorities of nobody": {func(w *ward) {
			w.set("PORTICO_TLS_CLIENT_CA", w.dir)
			w.set("PORTICO_TLS_CLIENT_HEADER", "Client-Cert")
			w.set("PORTICO_TRUSTED_PROXIES", "192.0.2.1")
		}, "settings", doctor.Ill, "PORTICO_TLS_CLIENT_CA"},
		"a certificate that ended": {func(w *ward) { w.certify(time.Now().Add(-time.Hour)) },
			"certificate", doctor.Ill, "Renew"},
		"a certificate that ends soon": {func(w *ward) { w.certify(time.Now().Add(72 * time.Hour)) },
			"certificate", doctor.Doubtful,
			"Renew"},
		"a proxy that is not believed": {func(w *ward) { w.set("PORTICO_BASE_URL", "https://portico.invalid") }, "settings",
			doctor.Doubtful, "PORTICO_TRUSTED_PROXIES"},
		"rate limits that are off": {func(w *ward) { w.set("PORTICO_RATE_LIMITS", "off") }, "settings",
			doctor.Doubtful, "RATE_LIMITS"},
		"nobody who administers": {func(w *ward) {
			other := filepath.Join(w.dir, "other.db")
			sqlitetest.Create(w.T, other)
			w.set("PORTICO_DATABASE_URL", "sqlite:"+other)
		}, "administrators", doctor.Doubtful, "--admin"},
		"no server": {func(w *ward) { w.set("PORTICO_LISTEN", free(w.T)) }, "server", doctor.Doubtful, "portico serve"},
		"a server that is not ready": {func(w *ward) { w.ready = http.StatusServiceUnavailable }, "server", doctor.Ill,
			"part that it names"},
		"another program at the port": {func(w *ward) { w.ready = http.StatusNotFound }, "server", doctor.Ill,
			"PORTICO_LISTEN"},
		"nobody who cleans up": {func(w *ward) {
			w.within(func(p *wiring.Parts) {
				long := p.Ambient.Now().Add(-72 * time.Hour)
				client := storage.Client{ID: p.Ambient.ClientID(), Name: "x", Type: storage.ClientWeb,
					Profile: storage.ProfileStandard, CreatedAt: long, UpdatedAt: long}
				w.must(p.Store.CreateClient(w.Context(), storage.Act{At: long}, client))
				w.must(p.Store.ParkLoginRequest(w.Context(), storage.LoginRequest{ID: p.Ambient.Token(), ClientID: client.ID,
					CreatedAt: long, ExpiresAt: long.Add(time.Hour)}))
			})
		}, "clean-up", doctor.Doubtful, "Start a server"},
		"an upstream that is away": {func(w *ward) {
			w.set("PORTICO_OWN_NETWORKS", "127.0.0.0/8")
			secret := filepath.Join(w.TempDir(), "secret")
			w.must(os.WriteFile(secret, []byte("secret"), 0o600))
			w.run(0, "upstream", "create", "works", "--secret-file", secret, "name=Works",
				"issuer=https://"+free(w.T), "client_id=x")
		}, "upstreams", doctor.Ill, "portico upstream test"},
		"a directory that is away": {func(w *ward) { w.directory("works", "ldap://"+free(w.T)) },
			"directories", doctor.Ill, "portico directory test"},
		"a directory in a network that is not named": {func(w *ward) {
			w.run(0, "directory", "create", "works", "name=works", "hosts=ldap://"+free(w.T), "base=dc=x")
		}, "directories", doctor.Ill, "portico directory test"},
		"a directory of which a host is away": {func(w *ward) {
			w.directory("works", "ldap://"+free(w.T), ldaptest.StartGremlin(w.T, servesOne).URL)
		}, "directories", doctor.Doubtful, "Mend the host"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			c.plant(w)
			code := 0
			if c.state == doctor.Ill || name == "a proxy that is not believed" {
				code = 1
			}
			found := w.examined(code)
			for _, f := range found {
				if not := notForPeople.FindString(f.Says); not != "" {
					t.Errorf("%s says %q: %s", f.Check, not, f.Says)
				}
			}
			if !slices.ContainsFunc(found, func(f doctor.Finding) bool {
				return f.Check == c.check && f.State == c.state && f.Says != "" && strings.Contains(f.Mend, c.mend)
			}) {
				t.Errorf("%+v", found)
			}
		})
	}
}

// notForPeople is what tells the operator nothing: words for programs, a cause twice, what whoever signs in is told.
var notForPeople = regexp.MustCompile(`(forbidden|unavailable|internal): |refused.*refused|sign in another way`)

// directory makes one that is on.
func (w *ward) directory(id string, hosts ...string) {
	w.Helper()
	secret := filepath.Join(w.TempDir(), "secret")
	w.must(os.WriteFile(secret, []byte("secret"), 0o600))
	w.run(0, "directory", "create", id, "--secret-file", secret, "name="+id, "hosts="+strings.Join(hosts, ","),
		"bind_dn=cn=x", "base=dc=x", "networks=127.0.0.0/8")
}

// servesOne is a directory with one person.
func servesOne(op ber.Tag, id int64, _ *ber.Packet) [][]byte {
	if op == ldaptest.Search {
		return [][]byte{ldaptest.Entry(id, "uid=alice,dc=x", map[string]string{"entryUUID": "1"}),
			ldaptest.Result(id, 5, 0, "")}
	}
	return [][]byte{ldaptest.Result(id, 1, 0, "")}
}

// The first says nothing before the second was asked.
//
// Rule: DOCTOR-2
func TestTheDoctorAsksNobodyTooLateBecauseAnotherSaysNothing(t *testing.T) {
	w, asked := newWard(t), make(chan struct{})
	var once sync.Once
	slow := ldaptest.StartGremlin(t, func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
		<-asked
		return servesOne(op, id, request)
	})
	quick := ldaptest.StartGremlin(t, func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
		once.Do(func() { close(asked) })
		return servesOne(op, id, request)
	})
	t.Cleanup(func() { once.Do(func() { close(asked) }) })
	w.directory("first", slow.URL)
	w.directory("second", quick.URL)
	if found := w.examined(0); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

func baseOf(w *ward) string {
	for _, s := range w.environ {
		if base, ok := strings.CutPrefix(s, "PORTICO_BASE_URL="); ok {
			return base
		}
	}
	return ""
}
