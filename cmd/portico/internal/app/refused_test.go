package app

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What counts is what whoever starts the server reads, not all that an error has in it.
//
// Rule: SERVER-22
func TestASettingThatIsFoundWrongLateIsSaidByItsName(t *testing.T) {
	dir := t.TempDir()
	short, used := filepath.Join(dir, "short"), filepath.Join(dir, "used")
	for _, file := range []string{short, used} {
		if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for settings, want := range map[string]string{
		"ADMIN_EMAIL=first@example.test ADMIN_PASSWORD_FILE=" + short: "PORTICO_ADMIN_PASSWORD_FILE: The password",
		"BRAND_LOGO=" + short:                     "PORTICO_BRAND_LOGO: The file",
		"REDIS_URL=redis://127.0.0.1:1/first":     "PORTICO_REDIS_URL: The URL",
		"SMTP_URL=smtp://127.0.0.1:99999":         "PORTICO_SMTP_URL: expected a port",
		"TLS_CERT=" + short + " TLS_KEY=" + short: "PORTICO_TLS_CERT: The certificate",
		"LISTEN=host.invalid:0":                   "PORTICO_LISTEN: The address host.invalid:0 can't be listened on: lookup host.invalid",
		"DATA_DIR=" + used:                        "PORTICO_DATA_DIR: ",
	} {
		if said := refused(t, settings); !strings.Contains(said, want) {
			t.Errorf("%s: %q, want word of %s", settings, said, want)
		}
	}
}

// Whoever may not listen at a port learns what is missing: a unit of systemd seldom lets a service.
//
// Rule: SERVER-22
func TestAPortThatNeedsARightSaysWhich(t *testing.T) {
	err := unusable(":443", &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EACCES)})
	if !strings.Contains(err.Error(), "CAP_NET_BIND_SERVICE") {
		t.Error(err)
	}
}

// refused starts a server of the settings, which must not start, and returns what it says.
func refused(t *testing.T, settings string) string {
	t.Helper()
	c := configure(t)
	environ := []string{"PORTICO_LISTEN=127.0.0.1:0", "PORTICO_DATA_DIR=" + c.DataDir}
	for _, setting := range strings.Fields(settings) {
		environ = append(environ, "PORTICO_"+setting)
	}
	var said bytes.Buffer
	if code := Main(t.Context(), []string{"serve"}, nil, &said, &said, environ); code != 1 {
		t.Errorf("%s: exit code %d", settings, code)
	}
	return said.String()
}
