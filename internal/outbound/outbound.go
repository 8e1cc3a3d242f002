// Package outbound sends requests to addresses that other people configured:
// back-channel logout, webhooks, the keys of clients.
//
// Such an address may point at what only this server can reach: its own ports,
// the cloud's metadata, the company's printers. So a Client talks to public
// addresses alone, over https alone; it looks at the address it really
// connects to, which no answer of a name server can change any more; and it
// follows no redirect, obeys no proxy of the environment, waits for a bounded
// time and reads a bounded answer.
//
// It is not for addresses that the operator configured (the database, mail,
// Redis, an object store, a virus scanner), which lead where the operator wants.
// Whoever else calls out does it through this package; a test of the house has
// the exceptions. Start at Client.Post, Client.Get and Client.Check; address.go knows what
// is public.
//
// Nothing needs to be set: a server whose own base URL is plain http, which
// only a development machine's is, may call programs beside it (see Beside);
// networks of one's own are named.
package outbound

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Reasons of the faults of Post.
const (
	ReasonAddress     = "address_not_allowed" // Forbidden: the URL is none that may be called
	ReasonUnreachable = "unreachable"         // Unavailable: no whole answer came in time
)

// What Networks are named by.
const (
	BySetting = "PORTICO_OWN_NETWORKS"
	ByField   = "the field networks" // of an upstream or a directory, for which the setting opens nothing
)

// Options say how a Client behaves. Zero fields take the defaults.
type Options struct {
	// Networks may be called beside public addresses, over plain http too.
	Networks []netip.Prefix
	Named    string // by what, for whoever is told that another one is not called; BySetting

	Timeout   time.Duration // for everything from the look-up to the end of the answer; 5 s
	MaxAnswer int64         // bytes of an answer's body that are read; 64 KiB

	// Resolve returns the addresses of a host's name; that of the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Client sends requests. It is safe for concurrent use.
type Client struct {
	plain     *http.Client // http: to Networks only
	secure    *http.Client // https: to public addresses and Networks
	near      bool         // there are Networks
	named     string
	allowed   map[*http.Client]func(netip.Addr) bool
	resolve   func(ctx context.Context, host string) ([]netip.Addr, error)
	timeout   time.Duration
	maxAnswer int64
}

// New returns a client.
func New(o Options) *Client {
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 64<<10)
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	own := func(a netip.Addr) bool { return near(o.Networks, a) }
	all := func(a netip.Addr) bool { return own(a) || public(a) }
	named := cmp.Or(o.Named, BySetting)
	c := &Client{plain: newHTTPClient(own, named), secure: newHTTPClient(all, named), near: len(o.Networks) > 0,
		named: named, resolve: o.Resolve, timeout: o.Timeout, maxAnswer: o.MaxAnswer}
	c.allowed = map[*http.Client]func(netip.Addr) bool{c.plain: own, c.secure: all}
	return c
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // its beginning, MaxAnswer bytes at most
}

// Post sends the body and returns the answer, whatever its status; a redirect
// is an answer like any other. Faults: Forbidden (ReasonAddress), Unavailable
// (ReasonUnreachable). The detail of a refusal names the address that the URL
// leads to: whoever has to mend the one or the other can't without.
func (c *Client) Post(ctx context.Context, rawURL, contentType string, body []byte) (Answer, error) {
	return c.PostWith(ctx, rawURL, http.Header{"Content-Type": {contentType}}, body)
}

// PostWith is Post with further headers.
func (c *Client) PostWith(ctx context.Context, rawURL string, header http.Header, body []byte) (Answer, error) {
	return c.send(ctx, http.MethodPost, rawURL, header, bytes.NewReader(body))
}

// Get fetches what is at the URL, as Post sends.
func (c *Client) Get(ctx context.Context, rawURL, accept string) (Answer, error) {
	return c.GetWith(ctx, rawURL, http.Header{"Accept": {accept}})
}

// GetWith is Get with headers of the caller's.
func (c *Client) GetWith(ctx context.Context, rawURL string, header http.Header) (Answer, error) {
	return c.send(ctx, http.MethodGet, rawURL, header, http.NoBody)
}

func (c *Client) send(ctx context.Context, method, rawURL string, header http.Header, body io.Reader) (Answer, error) {
	client, err := c.clientFor(rawURL)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, rawURL, body)
	if err != nil {
		return Answer{}, notAllowed("The URL is malformed.").Because(err)
	}
	maps.Copy(r.Header, header)
	r.Header.Set("User-Agent", "Portico")
	response, err := client.Do(r)
	if err != nil {
		return Answer{}, failure(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, c.maxAnswer))
	if err != nil {
		return Answer{}, failure(err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: answer}, nil
}

// lookup bounds how long Check waits for a name.
const lookup = 2 * time.Second

// Check refuses a URL that Post would refuse as things are: Forbidden
// (ReasonAddress). It reports whether the host's name is known; one that is not
// is no fault, since it may be yet.
func (c *Client) Check(ctx context.Context, rawURL string) (known bool, err error) {
	return c.judge(rawURL, func(host string) ([]netip.Addr, error) { return c.addresses(ctx, host) })
}

// CheckUnseen is Check for those who are not to learn what names mean in the
// server's own network: a name is not looked up, and passes.
func (c *Client) CheckUnseen(rawURL string) error {
	_, err := c.judge(rawURL, literal)
	return err
}

// ThisMachine reports whether a host of a URL is the machine itself, so that
// what is said to it crosses no network.
func ThisMachine(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

func literal(host string) ([]netip.Addr, error) {
	if host == "localhost" {
		host = "127.0.0.1"
	}
	a, err := netip.ParseAddr(host)
	return []netip.Addr{a}, err
}

func (c *Client) judge(rawURL string, lookUp func(host string) ([]netip.Addr, error)) (known bool, err error) {
	client, err := c.clientFor(rawURL)
	if err != nil {
		return false, err
	}
	if client == c.plain && !c.near {
		return false, notAllowed("The URL must begin with https.")
	}
	u, _ := url.Parse(rawURL)
	addresses, err := lookUp(u.Hostname())
	if err != nil || len(addresses) == 0 {
		return false, nil
	}
	if slices.ContainsFunc(addresses, c.allowed[client]) {
		return true, nil
	}
	if client == c.plain && slices.ContainsFunc(addresses, c.allowed[c.secure]) {
		return true, notAllowed("The URL must begin with https.")
	}
	return true, leadsTo(addresses[0], c.named)
}

// Discreet is what a record says of a call, for those who are not to learn what
// names mean in the server's own network: without the address that one leads to.
func Discreet(record, rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil || !strings.HasPrefix(record, leading) {
		return record
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return record
	}
	return "The URL leads to a network that this server does not call (PORTICO_OWN_NETWORKS names those that it may call)."
}

func (c *Client) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if known, err := literal(host); err == nil {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	return c.resolve(ctx, host)
}

func (c *Client) clientFor(rawURL string) (*http.Client, error) {
	u, err := url.Parse(rawURL)
	switch {
	case err != nil || u.Hostname() == "":
		return nil, notAllowed("The URL is not absolute.")
	case u.User != nil:
		return nil, notAllowed("The URL holds a user name.")
	case u.Scheme == "https":
		return c.secure, nil
	case u.Scheme == "http":
		return c.plain, nil
	}
	return nil, notAllowed("The URL is neither https nor http.")
}

// Refused reports whether a URL was not called because it may not be: trying
// again is of no use.
func Refused(err error) bool { return fault.HasReason(err, ReasonAddress) }

func notAllowed(detail string) *fault.Error {
	return fault.New(fault.Forbidden, ReasonAddress, detail)
}

// failure finds the refusal of the dialler below what the standard library
// wrapped around it.
func failure(err error) error {
	if f := new(fault.Error); errors.As(err, &f) {
		return f
	}
	return fault.New(fault.Unavailable, ReasonUnreachable, "No answer came.").Because(err)
}
