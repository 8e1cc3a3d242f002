package ldaptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// ds389 is what dscreate makes of an instance.
const ds389 = `[general]
config_version = 2
full_machine_name = localhost
strict_host_checking = False
start = False

[slapd]
instance_name = works
root_dn = ` + Service + `
root_password = ` + Password + `
port = %s
secure_port = %s
self_sign_cert = True

[backend-userroot]
suffix = ` + Suffix + `
create_suffix_entry = True
`

// inDefaults are the places of 389 Directory Server that are the machine's.
var inDefaults = regexp.MustCompile(`= (/etc|/var|/run|/dev/shm|/tmp)`)

// Start389 runs a 389 Directory Server until the test ends, all of it in a directory of
// its own, with the entries of the LDIF.
func Start389(t testing.TB, ldif string) *Slapd {
	t.Helper()
	dir := t.TempDir()
	s := &Slapd{TB: t, dir: dir}
	port, secure := freeport.Take(t), freeport.Take(t)
	s.URL, s.TLS = "ldap://localhost:"+port, "ldaps://localhost:"+secure
	defaults, err := os.ReadFile("/usr/share/dirsrv/inf/defaults.inf")
	if err != nil {
		t.Fatalf("389 Directory Server is not there (Debian package 389-ds-base): %v", err)
	}
	text := inDefaults.ReplaceAllString(string(defaults), "= "+dir+"$1")
	for _, one := range []string{"with_systemd = 0", "user = root", "group = root", "inst_dir = " + dir + "/inst"} {
		name, _, _ := strings.Cut(one, " ")
		text = regexp.MustCompile("(?m)^"+name+" = .*$").ReplaceAllString(text, one)
	}
	for _, folder := range []string{"share/dirsrv/inf", "etc/default", "run", "var", "dev/shm", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, folder),
			0o755); err != nil { // #nosec G301 -- it looks whether others may read
			t.Fatal(err)
		}
	}
	s.write("share/dirsrv/inf/defaults.inf", text)
	s.write("works.inf", fmt.Sprintf(ds389, port, secure))
	t.Setenv("PREFIX", dir)
	s.run("", "cp", "-r", "/etc/dirsrv", filepath.Join(dir, "etc"))
	s.run("", "dscreate", "from-file", filepath.Join(dir, "works.inf"))
	ca, err := os.ReadFile(filepath.Join(dir, "etc/dirsrv/slapd-works/ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	s.CA = string(ca)
	s.slow = exec.Command("ns-slapd", "-D", filepath.Join(dir, "etc/dirsrv/slapd-works"), "-i",
		filepath.Join(dir, "run/pid"), "-d", "0")
	s.goes()
	t.Cleanup(s.Stop)
	s.Change(added(units + ldif))
	return s
}

const units = `dn: ` + People + `
objectClass: organizationalUnit
ou: people

dn: ` + Groups + `
objectClass: organizationalUnit
ou: groups

`

// added is an LDIF of entries as one of changes.
func added(ldif string) string {
	return regexp.MustCompile(`(?m)^(dn: .*)$`).ReplaceAllString(ldif, "$1\nchangetype: add")
}
