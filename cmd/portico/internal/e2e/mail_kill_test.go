package e2e

import (
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/portico-id/portico/internal/harness/smtptest"
)

// dyingSender is a server that is killed when the mail server has taken a mail and
// the answer is on its way.
type dyingSender struct {
	*site
	database string
	sink     *smtptest.Server
	process  *process
}

// killedOver lets the server die over the next attempt at a mail to the address, and
// moves time to where nobody waits for it any more.
func (d *dyingSender) killedOver(t *testing.T, address string, cause func()) {
	t.Helper()
	before, hold := len(d.sink.To(address)), make(chan struct{})
	d.sink.Change(func() { d.sink.Hang[address] = hold })
	cause()
	d.eventually("the mail server takes the mail", func() bool { return len(d.sink.To(address)) > before })
	d.process.kill()
	d.sink.Change(func() { delete(d.sink.Hang, address) })
	close(hold)
	driver, source := "postgres", d.database
	if path, is := strings.CutPrefix(d.database, "sqlite:"); is {
		driver, source = "sqlite", path
	}
	execute(t, driver, source, "UPDATE mails SET sending_until = sending_until - 3600000000 WHERE sending_until IS NOT NULL")
}

func (d *dyingSender) state(address, state string) bool {
	var list struct {
		Mails []struct{ To, State string }
	}
	d.commandJSON(&list, "", "mail", "list")
	for _, m := range list.Mails {
		if m.To == address {
			return m.State == state
		}
	}
	return false
}

// Rule: MAIL-2
func TestAServerThatIsKilledBeforeItNotesAMailSendsItTwiceAtMost(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		sink := smtptest.Start(t)
		d := &dyingSender{site: newSite(t, database, "SMTP_URL="+sink.URL()), database: database, sink: sink}
		d.process = d.spawn()
		post := func(address string) { d.command("", "mail", "test", address) }
		for _, who := range []string{"once", "twice", "before", "after"} {
			d.person(who + "@example.test")
		}
		arrived := func(address string) {
			d.eventually(address+" is told, and that is noted", func() bool { return d.state(address, "delivered") })
		}
		post("before@example.test")
		arrived("before@example.test")
		d.killedOver(t, "once@example.test", func() { post("once@example.test") })
		d.process = d.spawn()
		arrived("once@example.test")
		d.killedOver(t, "twice@example.test", func() { post("twice@example.test") })
		d.killedOver(t, "twice@example.test", func() { d.process = d.spawn() })
		d.process = d.spawn()
		d.eventually("it is given up", func() bool { return d.state("twice@example.test", "failed") })
		post("after@example.test")
		arrived("after@example.test") // what else was due would have been sent before it
		for address, want := range map[string]int{"before": 1, "once": 2, "twice": 2, "after": 1} {
			got := sink.To(address + "@example.test")
			if len(got) != want || got[0].Header.Get("Message-Id") != got[len(got)-1].Header.Get("Message-Id") {
				t.Errorf("%s: %d mails, want %d of one Message-Id", address, len(got), want)
			}
		}
	})
}

// mute is a mail server that takes connections and says nothing.
func mute(t *testing.T) (address string, heard *atomic.Int64, hangUp func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	heard = new(atomic.Int64)
	var conns []net.Conn
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
			heard.Add(1)
		}
	}()
	return listener.Addr().String(), heard, func() {
		listener.Close()
		<-over
		for _, conn := range conns {
			conn.Close()
		}
	}
}

// Rule: MAIL-2
func TestAMailServerThatSaysNothingHoldsUpNoPage(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		address, heard, hangUp := mute(t)
		defer hangUp()
		s := start(t, database, "SMTP_URL=smtp://"+address, "SIGNUP=open")
		s.tolerated = []string{"a mail could not be sent"}
		s.person("admin@example.test", "--admin")
		id := s.person("person@example.test")
		s.person("guest@example.test")
		admin := s.signedIn("admin@example.test")
		for range 9 { // more than are sent at once
			admin.press("/admin/mail/test")
		}
		s.eventually("the mail server is asked", func() bool { return heard.Load() > 0 })
		person := s.signedIn("person@example.test")
		s.signedIn("person@example.test") // a new device, of which a mail tells
		for name, got := range map[string]answer{
			"a lost password": s.visitor("").asks("/forgotten", "forgotten-form", "guest@example.test").answer,
			"signing up":      s.visitor("").asks("/sign-up", "sign-up-form", "new@example.test").answer,
			"by program":      s.ownAPI("", "POST", "/recovery", `{"email":"guest@example.test"}`),
			"a new password":  person.press("/account/password", "password", fresh, "again", fresh),
			"an invitation":   admin.press("/admin/users/" + id + "/reset"),
			"the mails":       admin.fetch("GET", "/admin/mail"),
			"the system":      admin.fetch("GET", "/admin/system"),
			"ready":           s.visitor("").fetch("GET", "/readyz"),
		} {
			if got.Status >= http.StatusBadRequest {
				t.Errorf("%s: %d\n%s", name, got.Status, got.Body)
			}
		}
		if list := s.command("", "mail", "list", "--json"); strings.Contains(list, "failed") ||
			strings.Contains(list, "delivered") || strings.Count(list, "waiting") < 13 {
			t.Errorf("an attempt is over, so the pages may have waited for it: %s", list)
		}
	})
}
