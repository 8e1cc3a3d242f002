package directory

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/outbound"
)

// Limits of what a directory may take of us.
const (
	dialTime   = 3 * time.Second // with TLS
	callTime   = 5 * time.Second // one operation
	signInTime = 8 * time.Second // all of a sign-in
	restTime   = 30 * time.Second
	maxCalls   = 16       // sign-ins at one directory at once
	maxIdle    = 4        // connections of the service account that are kept
	maxClear   = 16 << 10 // bytes that are read before TLS
)

// remote is what is known of a directory's servers. Passwords of people go over
// connections of their own, which are never kept.
type remote struct {
	config   Config
	password string // of the service account
	dialer   func(ctx context.Context, network, address string) (net.Conn, error)
	roots    *x509.CertPool
	ambient  *ambient.Source
	slots    chan struct{}
	idle     chan *link

	mu     sync.Mutex
	rests  map[string]time.Duration // hosts that failed, until then, by a clock that nobody sets
	why    error                    // the last one did
	closed bool                     // no connection is kept any more
}

func newRemote(config Config, password string, ambient *ambient.Source) *remote {
	r := &remote{config: config, password: password, ambient: ambient,
		dialer: outbound.Dialer(outbound.ReadNetworks(config.Networks)),
		slots:  make(chan struct{}, maxCalls), idle: make(chan *link, maxIdle), rests: map[string]time.Duration{}}
	if config.CA != "" {
		r.roots = x509.NewCertPool()
		r.roots.AppendCertsFromPEM([]byte(config.CA))
	}
	return r
}

// link is a connection to a host.
type link struct {
	*ldap.Conn
	line *capped
	raw  net.Conn
	host string
	old  bool // it has served before
}

// cut ends the connection without a word.
func (l *link) cut() { _ = l.raw.Close() }

// dial connects, with TLS before anything else is said.
func (r *remote) dial(ctx context.Context, host string) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	u, err := url.Parse(host)
	if err != nil {
		return nil, err
	}
	port := map[string]string{"ldap": "389", "ldaps": "636"}[u.Scheme]
	raw, err := r.dialer(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)))
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	conn, secure := raw, r.config.StartTLS || u.Scheme == "ldaps"
	if r.config.StartTLS {
		err = startTLS(raw)
	}
	if secure && err == nil {
		shaken := tls.Client(raw, &tls.Config{ServerName: u.Hostname(), RootCAs: r.roots, MinVersion: tls.VersionTLS12})
		conn, err = shaken, shaken.HandshakeContext(ctx)
	}
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	line := &capped{Conn: conn}
	l := &link{Conn: ldap.NewConn(line, secure), line: line, raw: raw, host: host}
	l.SetTimeout(callTime)
	l.Start()
	return l, nil
}

// startTLS asks for TLS (RFC 4511 §4.14) and reads the answer and not a byte more: what
// a server says in clear behind it is not taken for what it says within TLS.
func startTLS(conn net.Conn) error {
	request := ber.NewSequence("LDAPMessage")
	request.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, 1, "messageID"))
	extended := ber.Encode(ber.ClassApplication, ber.TypeConstructed, ldap.ApplicationExtendedRequest, nil, "")
	extended.AppendChild(ber.NewString(ber.ClassContext, ber.TypePrimitive, 0, "1.3.6.1.4.1.1466.20037", ""))
	request.AppendChild(extended)
	if _, err := conn.Write(request.Bytes()); err != nil {
		return err
	}
	answer, err := ber.ReadPacket(io.LimitReader(conn, maxClear))
	if err != nil {
		return err
	}
	return ldap.GetLDAPError(answer)
}

// hosts are those that do not rest, and why the last one does.
func (r *remote) hosts() (all []string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, host := range r.config.Hosts {
		if r.ambient.Elapsed() >= r.rests[host] {
			all = append(all, host)
		}
	}
	return all, r.why
}

func (r *remote) rest(host string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rests[host], r.why = r.ambient.Elapsed()+restTime, why
}

// reach connects to the first host that lets it. Where all rest, the failure is that for which
// they do.
func (r *remote) reach(ctx context.Context) (l *link, err error) {
	hosts, err := r.hosts()
	for _, host := range hosts {
		if l, err = r.dial(ctx, host); err == nil {
			return l, nil
		}
		if gone(ctx) {
			break
		}
		if r.rest(host, err); ctx.Err() != nil {
			break // the next one had no time
		}
	}
	return nil, errUnreachable.Because(err)
}

// gone reports whether whoever asked has gone: that says nothing of the host. The limit of
// a form or a request cancels, too, and is the cause then.
func gone(ctx context.Context) bool { return errors.Is(context.Cause(ctx), context.Canceled) }

// failed lets the host rest whose connection broke.
func (r *remote) failed(ctx context.Context, l *link, why error) {
	if !gone(ctx) {
		r.rest(l.host, why)
	}
}

// serve does the work on a connection of the service account. One that fails is thrown
// away; where it was an old one, or its host does not answer, another is tried. A host that
// went on answering until our time was over has not failed: it would rest for everybody.
func (r *remote) serve(ctx context.Context, work func(*link) error) error {
	for {
		l, err := r.take(ctx)
		if err != nil {
			return err
		}
		stop, before := context.AfterFunc(ctx, l.cut), l.line.sent.Load()
		if err = work(l); stop() && err == nil {
			r.keep(l)
			return nil
		}
		l.cut()
		if err == nil || gone(ctx) || !broken(err) {
			return err
		}
		over, answered := ctx.Err() != nil, l.line.sent.Load()-before > 1 // else it was asked nothing more
		if over && !answered || !over && !l.old {
			r.rest(l.host, err)
		}
		if over {
			return errUnreachable.Because(err)
		}
	}
}

func (r *remote) take(ctx context.Context) (*link, error) {
	select {
	case l := <-r.idle:
		return l, nil
	default:
	}
	for {
		l, err := r.reach(ctx)
		if err != nil || r.config.BindDN == "" {
			return l, err
		}
		stop := context.AfterFunc(ctx, l.cut)
		err = l.Bind(r.config.BindDN, r.password)
		if stop() && err == nil {
			return l, nil
		}
		l.cut()
		if broken(err) {
			r.failed(ctx, l, err)
		}
		if !broken(err) || ctx.Err() != nil { // to ask again would count against it
			return nil, errUnreachable.Because(err)
		}
	}
}

func (r *remote) keep(l *link) {
	l.old = true
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		l.cut()
		return
	}
	select {
	case r.idle <- l:
	default:
		l.cut()
	}
}

// close ends the connections that are kept, and keeps none any more.
func (r *remote) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for {
		select {
		case l := <-r.idle:
			l.cut()
		default:
			return
		}
	}
}
