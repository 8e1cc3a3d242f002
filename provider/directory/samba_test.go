package directory_test

import (
	"fmt"
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
		s.create(name)
	}
	for i := range 5 { // in a circle: the first holds the last
		s.change("group", "add", level(i))
	}
	s.change("group", "addmembers", level(0), "alice")
	for i := range 5 {
		s.change("group", "addmembers", level((i+1)%5), level(i))
	}
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

func level(i int) string { return fmt.Sprintf("level %d", i) }

func (s *samba) create(name string) {
	s.Helper()
	s.change("user", "create", name, secret+" 1A!", "--mail-address="+name+"@works.test", "--given-name="+name)
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
	s := startSamba(t)
	eachEngine(t, func(t *testing.T, w *world) {
		s.works(w)
		s.change("user", "enable", "bob")
		s.create("gone")
	})
}

// works signs people in, and walks, as the guide says.
func (s *samba) works(w *world) {
	w.Helper()
	password := secret + " 1A!"
	_, err := w.Rules.Create(w.Context(), w.act(), "works", "ad", directory.Change{Secret: &password,
		Config: config(map[string]any{"hosts": []string{"ldaps://127.0.0.1"}, "ca": s.ca, "join": "all", "groups_come": true,
			"bind_dn": "CN=Administrator,CN=Users,DC=works,DC=test", "base": "CN=Users,DC=works,DC=test",
			"group_base": "CN=Users,DC=works,DC=test"}).Config})
	w.must(err)
	for _, name := range []string{"alice", "alice@works.test", "ALICE"} {
		if !w.in(name, password) {
			w.Errorf("%s is out", name)
		}
	}
	if _, _, err := w.try("alice", "wrong"); !fault.Is(err, fault.Unauthenticated) {
		w.Errorf("a wrong password: %v", err)
	}
	if said := w.walk(false); said.Outcome != storage.WalkDone || said.People < 3 {
		w.Fatalf("the walk says %+v", said)
	}
	alice := w.user("alice@works.test")
	nested := func(when string) {
		w.Helper()
		got := w.groupsOf(alice.ID)
		for i := range 5 {
			if !slices.Contains(got, level(i)) {
				w.Errorf("%s she is in %v", when, got)
			}
		}
	}
	nested("after a walk")
	if !w.in("alice", password) {
		w.Error("after a walk she is out")
	}
	nested("after a sign-in")
	s.change("user", "disable", "bob")
	s.change("user", "delete", "gone")
	w.walk(false)
	for name, out := range map[string]bool{"alice": false, "bob": true, "gone": true} {
		if user := w.user(name + "@works.test"); user.Disabled != out {
			w.Errorf("%s: disabled %v", name, user.Disabled)
		}
	}
	if w.in("bob", password) {
		w.Error("he is in")
	}
}
