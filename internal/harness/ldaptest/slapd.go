// Package ldaptest runs real directories for tests: OpenLDAP's slapd, in a directory of
// its own, and one that fails as the test wants it to.
package ldaptest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// What a Slapd has from the beginning. The service account sees everything.
const (
	Suffix   = "dc=works,dc=test"
	People   = "ou=people," + Suffix
	Groups   = "ou=groups," + Suffix
	Service  = "cn=portico," + Suffix
	Password = "password of the service account"
)

// Slapd is an OpenLDAP that may be stopped, and started again as it was.
type Slapd struct {
	testing.TB
	URL  string // ldap://
	TLS  string // ldaps://
	CA   string // PEM
	dir  string
	slow *exec.Cmd
}

// config is slapd's. It lets a bind without a password succeed for everybody, as many a
// directory does.
const config = `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
moduleload ppolicy
allow bind_anon_cred bind_v2
pidfile %[1]s/pid
TLSCACertificateFile %[1]s/ca.pem
TLSCertificateFile %[1]s/cert.pem
TLSCertificateKeyFile %[1]s/key.pem
database mdb
maxsize 1073741824
suffix "` + Suffix + `"
rootdn "` + Service + `"
rootpw "` + Password + `"
directory %[1]s/db
dbnosync
index objectClass,uid,mail,member,memberUid,entryUUID eq
overlay memberof
overlay ppolicy
ppolicy_default "cn=policy,` + Suffix + `"
`

const root = `dn: ` + Suffix + `
objectClass: dcObject
objectClass: organization
o: Works
dc: works

dn: cn=policy,` + Suffix + `
objectClass: device
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
pwdMustChange: TRUE
pwdMaxAge: 86400
pwdLockout: TRUE
pwdMaxFailure: 50

dn: ` + People + `
objectClass: organizationalUnit
ou: people

dn: ` + Groups + `
objectClass: organizationalUnit
ou: groups

`

// Start runs one until the test ends, with the entries of the LDIF.
func Start(t testing.TB, ldif string) *Slapd {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: needs slapd")
	}
	s := &Slapd{TB: t, dir: t.TempDir()}
	s.CA = Certificates(t, s.dir)
	s.URL, s.TLS = "ldap://"+freeport.Address(t), "ldaps://"+freeport.Address(t)
	s.write("slapd.conf", fmt.Sprintf(config, s.dir))
	s.write("data.ldif", root+ldif)
	if err := os.Mkdir(filepath.Join(s.dir, "db"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.run("", "/usr/sbin/slapadd", "-q", "-f", filepath.Join(s.dir, "slapd.conf"), "-l", filepath.Join(s.dir, "data.ldif"))
	s.Go()
	t.Cleanup(s.Stop)
	return s
}

func (s *Slapd) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *Slapd) run(input, program string, args ...string) {
	s.Helper()
	command := exec.Command(program, args...)
	command.Stdin = strings.NewReader(input)
	if out, err := command.CombinedOutput(); err != nil {
		s.Fatalf("%s (Debian packages slapd and ldap-utils): %v\n%s", program, err, out)
	}
}

// Go starts it, and waits until it answers.
func (s *Slapd) Go() {
	s.Helper()
	s.slow = exec.Command("/usr/sbin/slapd", "-d", "0", "-f", filepath.Join(s.dir, "slapd.conf"), "-h", s.URL+" "+s.TLS)
	s.goes()
}

func (s *Slapd) goes() {
	s.Helper()
	if err := s.slow.Start(); err != nil {
		s.Fatalf("%s can't be started (install the Debian package slapd): %v", s.slow.Path, err)
	}
	for deadline := time.After(10 * time.Second); ; {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.TLS, "ldaps://"))
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-deadline:
			s.Fatalf("slapd does not come up: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Stop ends it.
func (s *Slapd) Stop() {
	s.Helper()
	if s.slow == nil {
		return
	}
	if err := s.slow.Process.Signal(os.Interrupt); err != nil {
		s.Error(err)
	}
	_ = s.slow.Wait() // it was told to
	s.slow = nil
}

// Change makes the changes of an LDIF.
func (s *Slapd) Change(ldif string) {
	s.Helper()
	s.run(ldif, "/usr/bin/ldapmodify", "-x", "-c", "-H", s.URL, "-D", Service, "-w", Password)
}

// PersonLDIF is the entry of somebody with a password.
func PersonLDIF(uid, password string, more ...string) string {
	entry := "dn: uid=" + uid + "," + People + "\nobjectClass: inetOrgPerson\nuid: " + uid + "\ncn: " + uid +
		" Person\nsn: Person\nmail: " + uid + "@works.test\nuserPassword: " + password + "\n"
	return entry + strings.Join(append(more, "\n"), "\n")
}

// GroupLDIF is the entry of a group of those with the DNs.
func GroupLDIF(name string, members ...string) string {
	return "dn: " + GroupDN(name) + "\nobjectClass: groupOfNames\ncn: " + name + "\nmember: " +
		strings.Join(members, "\nmember: ") + "\n\n"
}

// PersonDN and GroupDN are of the entries that PersonLDIF and GroupLDIF make.
func PersonDN(uid string) string { return "uid=" + uid + "," + People }

// GroupDN is of an entry of GroupLDIF.
func GroupDN(name string) string { return "cn=" + name + "," + Groups }
