package directory

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Kinds of steps of a test.
const (
	StepName       = "name" // of a host
	StepConnection = "connection"
	StepService    = "service account"
	StepPerson     = "person"
	StepGroups     = "groups"
)

// Step is one step of a test, with what came of it; no secret is told.
type Step struct {
	Kind   string
	Of     string // host or person; may be empty
	Detail string
	Err    error // nil: it went well
}

// Name is the step in a few words.
func (s Step) Name() string { return strings.TrimSpace(s.Kind + " " + s.Of) }

// Said is what came of it, in a line.
func (s Step) Said() string {
	if s.Err != nil {
		return why(s.Err)
	}
	return cmp.Or(s.Detail, "ok")
}

// String is the step in a line.
func (s Step) String() string { return s.Name() + ": " + s.Said() }

// Test asks the directory for what a sign-in needs, step by step, and ends at the first
// that fails. With a name it looks for that person and their groups; the password of
// nobody is needed.
func (d *Directories) Test(ctx context.Context, id, login string) ([]Step, error) {
	one, err := d.find(ctx, id)
	if err != nil {
		return nil, err
	}
	one.remote = newRemote(one.config, one.password, d.with.Ambient)
	defer one.close()
	ctx, cancel := context.WithTimeout(ctx, 2*signInTime)
	defer cancel()
	var steps []Step
	for _, host := range one.config.Hosts {
		steps = append(steps, one.tryHost(ctx, host)...)
	}
	steps = append(steps, one.tryService(ctx))
	if login == "" || steps[len(steps)-1].Err != nil {
		return steps, nil
	}
	return append(steps, one.tryPerson(ctx, login)...), nil
}

// tryHost looks a host up and connects to it.
func (d directory) tryHost(ctx context.Context, host string) []Step {
	u, err := url.Parse(host)
	if err != nil {
		return []Step{{Kind: StepName, Of: host, Err: err}}
	}
	addresses, err := net.DefaultResolver.LookupHost(ctx, u.Hostname())
	look := Step{Kind: StepName, Of: u.Hostname(), Detail: strings.Join(addresses, ", "), Err: err}
	if err != nil {
		return []Step{look}
	}
	l, err := d.dial(ctx, host)
	connect := Step{Kind: StepConnection, Of: host, Err: err}
	if err == nil {
		connect.Detail = "in clear, on this machine"
		if secured, ok := l.line.Conn.(*tls.Conn); ok {
			connect.Detail = "TLS, certificate of " + secured.ConnectionState().PeerCertificates[0].Subject.String()
		}
		l.cut()
	}
	return []Step{look, connect}
}

// tryService signs the service account in and looks whether it sees anybody.
func (d directory) tryService(ctx context.Context) Step {
	found := 0
	err := d.serve(ctx, func(l *link) error {
		request := d.search(d.config.Base, 2, d.config.Filter, []string{d.config.Subject})
		request.SizeLimit = 1
		result, err := l.Search(request)
		if result != nil {
			found = len(result.Entries)
		}
		if found > 0 {
			return nil
		}
		return err
	})
	if err == nil && found == 0 {
		err = causef("it sees nobody below %q who fits %s", d.config.Base, d.config.Filter)
	}
	return Step{Kind: StepService, Err: err}
}

// tryPerson looks for somebody and their groups.
func (d directory) tryPerson(ctx context.Context, login string) []Step {
	who, found, err := d.find(ctx, login)
	if err == nil && !found {
		err = fault.New(fault.NotFound, "nobody_there", "The directory knows nobody, or several, by this name.")
	}
	step := Step{Kind: StepPerson, Of: login, Err: err}
	if err != nil {
		return []Step{step}
	}
	step.Detail = who.dn + ", " + d.config.Subject + " " + who.subject + ", address " + who.email
	if who.disabled {
		step.Detail += ", disabled"
	}
	groups, _, err := d.groupsOf(ctx, who)
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = cmp.Or(g.name, g.dn)
	}
	if len(names) > 20 {
		names = append(names[:20], "…")
	}
	return []Step{step, {Kind: StepGroups, Detail: strconv.Itoa(len(groups)) + " " + strings.Join(names, ", "), Err: err}}
}
