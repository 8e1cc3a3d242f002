// Package transfer is a client that moves files to a Portico and back, over its
// HTTP API alone: the work of portico upload and portico download.
//
// It outlives broken connections and restarts of the server, and goes on where it
// was when it is itself started again. It knows nothing of databases. Start at
// Client; upload.go and download.go are the two directions.
package transfer

import (
	"cmp"
	"crypto"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/outbound"
)

// Scopes that the two directions need.
const (
	UploadScope   = "data:read data:write data:create"
	DownloadScope = "data:read"
)

// Patience is how long a server may be away before a transfer gives up.
const Patience = 2 * time.Minute

// Options are what a Client is made of.
type Options struct {
	Server   string // base URL
	Tokens   Tokens
	Ambient  *ambient.Source
	Key      crypto.Signer           // P-256, which the tokens are bound to (RFC 9449); nil: to none
	Patience time.Duration           // 0: Patience
	Progress func(done, total int64) // hears how many bytes have been moved, one call at a time; may be nil
	Note     func(text string)       // hears what a person should know meanwhile; may be nil
}

// Client moves files. One Client is for one file at a time.
type Client struct {
	base     *url.URL
	http     *http.Client
	tokens   Tokens
	ambient  *ambient.Source
	patience time.Duration
	progress func(done, total int64)
	note     func(string)
	waits    atomic.Bool // for the server, as was said
}

// New returns a Client. An error says what is wrong with the address.
func New(o Options) (*Client, error) {
	base, client, err := o.connect()
	if err != nil {
		return nil, err
	}
	c := &Client{
		base: base, http: client, tokens: o.Tokens, ambient: o.Ambient, patience: o.Patience,
		progress: func(int64, int64) {}, note: func(string) {},
	}
	c.patience = cmp.Or(c.patience, Patience)
	var telling sync.Mutex // parts go at the same time
	if o.Progress != nil {
		c.progress = func(done, total int64) { telling.Lock(); defer telling.Unlock(); o.Progress(done, total) }
	}
	if o.Note != nil {
		c.note = func(text string) { telling.Lock(); defer telling.Unlock(); o.Note(text) }
	}
	return c, nil
}

// connect returns the server, and what calls go by.
func (o Options) connect() (*url.URL, *http.Client, error) {
	base, err := parseServer(o.Server)
	if err != nil {
		return nil, nil, err
	}
	client := newHTTP()
	if o.Key != nil {
		client.Transport = &dpop.Transport{Key: o.Key, Ambient: o.Ambient, TokenURL: tokenURL(base), Next: client.Transport}
	}
	return base, client, nil
}

// parseServer lets tokens and files go over TLS only, or not leave the machine.
func parseServer(server string) (*url.URL, error) {
	base, err := url.Parse(server)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("expected the address of a server, as in https://id.example.com")
	}
	if base.Scheme == "http" && !outbound.ThisMachine(base.Hostname()) {
		return nil, errors.New("expected https: plain http is only for this machine")
	}
	return &url.URL{Scheme: base.Scheme, Host: base.Host}, nil
}

// newHTTP sends nothing to where it was not told to. How long an answer may take
// has no limit: completing an upload takes as long as reading it does.
func newHTTP() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext
	transport.MaxIdleConnsPerHost = senders + 1
	transport.WriteBufferSize = 256 << 10
	transport.ReadBufferSize = 256 << 10
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
