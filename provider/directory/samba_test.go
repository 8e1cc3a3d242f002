package directory_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/storage"
)

// samba is a domain controller of Active Directory, on the ports that they have.
type samba struct {
	testing.TB
	dir, ca string
}

func startSamba(t testing.TB) *samba {
	t.Helper()
	s := &samba{TB: t, dir: t.TempDir()}
	loopback := []string{"--option=interfaces=lo", "--option=bind interfaces only=yes"}
	s.tool(append([]string{"domain", "provision", "--realm=WORKS.TEST", "--domain=WORKS", "--adminpass=" + secret + " 1A!",
		"--server-role=dc", "--dns-backend=NONE", "--targetdir=" + s.dir}, loopback...)...)
	s.ca = ldaptest.Certificates(t, s.dir)
	for _, name := range []string{"alice", "bob", "gone"} {
		s.change("user", "create", name, secret+" 1A!", "--mail-address="+name+"@works.test", "--given-name="+name)
	}
	for _, name := range []string{"inner", "middle", "outer"} {
		s.change("group", "add", name)
	}
	s.change("group", "addmembers", "inner", "alice")
	s.change("group", "addmembers", "middle", "inner")
	s.change("group", "addmembers", "outer", "middle")
	command := exec.Command("samba", append([]string{"-i", "-M", "single", "-s", filepath.Join(s.dir, "etc/smb.conf"),
		"--option=server services=ldap", "--option=tls cafile=" + filepath.Join(s.dir, "ca.pem"),
		"--option=tls certfile=" + filepath.Join(s.dir, "cert.pem"),
		"--option=tls keyfile=" + filepath.Join(s.dir, "key.pem")}, loopback...)...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Signal(os.Interrupt); _ = command.Wait() })
	for range 200 {
		if conn, err := net.Dial("tcp", "127.0.0.1:636"); err == nil {
			_ = conn.Close()
			return s
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("samba does not come up")
	return nil
}

func (s *samba) tool(args ...string) {
	s.Helper()
	if out, err := exec.Command("samba-tool", args...).CombinedOutput(); err != nil {
		s.Fatalf("samba-tool %v (Debian packages samba-ad-dc and samba-ad-provision): %v\n%s", args, err, out)
	}
}

func (s *samba) change(args ...string) {
	s.Helper()
	s.tool(append(args, "-s", filepath.Join(s.dir, "etc/smb.conf"), "-H", filepath.Join(s.dir, "private/sam.ldb"))...)
}

// Rules: LDAP-1, LDAP-8, LDAP-10
func TestSambaWorksAsItsGuideSays(t *testing.T) {
	if os.Getenv("PORTICO_OTHERS") == "" {
		t.Skip("make test-others runs it")
	}
	s, w := startSamba(t), onSQLite(t)
	password := secret + " 1A!"
	_, err := w.Rules.Create(t.Context(), w.act(), "works", "ad", directory.Change{Secret: &password,
		Config: config(map[string]any{"hosts": []string{"ldaps://127.0.0.1"}, "ca": s.ca, "join": "all", "groups_come": true,
			"bind_dn": "CN=Administrator,CN=Users,DC=works,DC=test", "base": "CN=Users,DC=works,DC=test",
			"group_base": "CN=Users,DC=works,DC=test"}).Config})
	w.must(err)
	for _, name := range []string{"alice", "alice@works.test", "ALICE"} {
		if !w.in(name, password) {
			t.Errorf("%s is out", name)
		}
	}
	if _, _, err := w.try("alice", "wrong"); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("a wrong password: %v", err)
	}
	if said := w.walk(false); said.Outcome != storage.WalkDone || said.People < 3 {
		t.Fatalf("the walk says %+v", said)
	}
	alice := w.user("alice@works.test")
	nested := func(when string) {
		t.Helper()
		got := w.groupsOf(alice.ID)
		for _, name := range []string{"inner", "middle", "outer"} {
			if !slices.Contains(got, name) {
				t.Errorf("%s she is in %v", when, got)
			}
		}
	}
	nested("after a walk")
	if !w.in("alice", password) {
		t.Error("after a walk she is out")
	}
	nested("after a sign-in")
	s.change("user", "disable", "bob")
	s.change("user", "delete", "gone")
	w.walk(false)
	for name, out := range map[string]bool{"alice": false, "bob": true, "gone": true} {
		if user := w.user(name + "@works.test"); user.Disabled != out {
			t.Errorf("%s: disabled %v", name, user.Disabled)
		}
	}
	if w.in("bob", password) {
		t.Error("he is in")
	}
}
