// Package metadoc is clients that nobody registers: their client_id is the address of a
// document that says what they are (draft-ietf-oauth-client-id-metadata-document). An
// assistant has the same one at every server.
//
// A document is read when somebody signs in, within bounds, and never when tokens are
// asked for: what it said last is kept as a client like any other, which administrators
// see, change and disable. What a client may be is packages registration and apps', and
// whose documents count is package policy's. Start at Documents.Admit; address.go knows
// what can be such an address.
package metadoc

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/fetched"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// Whose documents count, beside a list of hosts: the words of the policy.
const (
	Off = "off"
	All = "all"
	not = "-" // before a host or an address that is blocked, whoever else counts
)

// Bounds of documents.
const (
	MaxDocument = 5 << 10
	timeout     = 3 * time.Second
	least, most = 5 * time.Minute, 24 * time.Hour

	// noted is how often it is noted that a document still stands; patience is how long
	// people sign in after it was noted last.
	noted    = 24 * time.Hour
	patience = 7 * 24 * time.Hour
)

// Clients are the rules of what a client may be: package apps.
type Clients interface {
	Enrol(ctx context.Context, act storage.Act, wanted storage.Client,
		keep func(storage.Client) error) (made storage.Client, secret string, err error)
	Become(ctx context.Context, act storage.Act, wanted storage.Client) (storage.Client, error)
	Find(ctx context.Context, id string) (storage.Client, error)
}

// Options are what Documents are made of. Every field is needed.
type Options struct {
	Clients Clients // the rules of what a client may be
	Store   storage.EnrolmentStore
	Ambient *ambient.Source
	Hosts   func() string // Off, or All or hosts and what is blocked, with blanks between them, at the moment

	// Get fetches what others publish: outbound.Client.Get, for answers that are longer
	// than MaxDocument.
	Get func(ctx context.Context, address, accept string) (outbound.Answer, error)

	// Read makes a client what a document says: registration.Read.
	Read func(document []byte, was storage.Client) (storage.Client, error)

	Changed func() // a client is other than it was
}

// Documents are those of clients. They are safe for concurrent use.
type Documents struct {
	with Options
	kept *fetched.Documents[reading]
}

// reading is a document as it was at a time.
type reading struct {
	document []byte
	at       time.Time
}

// New returns Documents.
func New(o Options) *Documents {
	d := &Documents{with: o}
	d.kept = fetched.New(fetched.Options[reading]{Ambient: o.Ambient, Timeout: timeout,
		Least: least, Most: most, Get: d.read, Ends: func(err error) bool { return fault.Is(err, fault.Invalid) }})
	return d
}

// Supported reports whether the documents of anybody count.
func (d *Documents) Supported() bool { return whose(d.with.Hosts()) != Off }

// errNone is deliberately one answer for all clients that are none.
var errNone = fault.New(fault.Invalid, "invalid_client", "The app is not registered here, or it is disabled.")

// Admit has the client that the address describes sign somebody in: it is there as the
// document says, when Admit returns nil. Whoever is disabled, and whose documents do not
// count, has none fetched. mayFetch is asked before anything is. Invalid (invalid_client).
func (d *Documents) Admit(ctx context.Context, act storage.Act, address string, mayFetch func() error) error {
	if Check(address) != nil || !d.Counts(address) {
		return errNone
	}
	was, err := d.with.Clients.Find(ctx, clientprofile.ID(address))
	known := err == nil
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if known && was.Disabled {
		return errNone
	}
	// What another server has read since counts more than what is kept here. Of one whose
	// clock was ahead nobody knows when it did: what is read now counts.
	since := earlier(was.UpdatedAt, act.At)
	late := func(read reading) bool { return known && read.at.Before(since) }
	found, err := d.kept.Find(ctx, address, func(read reading) bool { return !late(read) }, mayFetch)
	switch {
	case err != nil && known && !fault.Is(err, fault.Invalid) && act.At.Sub(was.UpdatedAt) < patience:
		return nil // it is as it was: nobody is locked out by a host that is down, nor by who uses up the fetches
	case fault.Is(err, fault.TooMany):
		return err
	case err != nil:
		return fault.New(fault.Invalid, "invalid_client",
			"The app says what it is at an address where nothing fit for it could be read.").Because(err)
	case !known:
		return d.enrol(ctx, act, address, found.document)
	case late(found):
		return nil // its host is down, or it was fetched too often: it is as it was
	}
	return d.renew(ctx, act, was, found.document)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func (d *Documents) read(ctx context.Context, address string) (reading, http.Header, error) {
	at := d.with.Ambient.Now()
	document, header, err := d.get(ctx, address)
	return reading{document, at}, header, err
}

// get fetches a document. What is no fit document is Invalid, and comes with a header.
func (d *Documents) get(ctx context.Context, address string) (document []byte, _ http.Header, err error) {
	answer, err := d.with.Get(ctx, address, "application/json")
	if err != nil {
		return nil, nil, err
	}
	if answer.Status >= http.StatusInternalServerError || answer.Status == http.StatusTooManyRequests {
		return nil, nil, fault.New(fault.Unavailable, "", "The host has no answer now.")
	}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	switch {
	case answer.Status != http.StatusOK:
		err = errors.New("it is not answered with 200")
	case kind != "application/json" && !(strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")):
		err = errors.New("it is not JSON by its type")
	case len(answer.Body) > MaxDocument:
		err = errors.New("it is longer than 5 KiB")
	default:
		err = judge(address, answer.Body)
	}
	if err != nil {
		return nil, answer.Header, fault.New(fault.Invalid, "", "The document does not fit.").Because(err)
	}
	return answer.Body, answer.Header, nil
}

// judge holds a document to what it has to say, and to what nobody can say who publishes
// it for all to read.
func judge(address string, document []byte) error {
	var members map[string]json.RawMessage
	var said struct {
		ClientID     string   `json:"client_id"`
		Name         string   `json:"client_name"`
		RedirectURIs []string `json:"redirect_uris"`
		AuthMethod   string   `json:"token_endpoint_auth_method"`
	}
	if err := errors.Join(json.Unmarshal(document, &members), json.Unmarshal(document, &said)); err != nil {
		return err
	}
	for name := range members {
		if strings.HasPrefix(name, "client_secret") {
			return errors.New("it has a secret")
		}
	}
	switch {
	case said.ClientID != address:
		return errors.New("its client_id is not its address")
	case strings.TrimSpace(said.Name) == "" || len(said.RedirectURIs) == 0:
		return errors.New("it lacks client_name or redirect_uris")
	case said.AuthMethod != "none" && said.AuthMethod != "":
		return errors.New("its client would prove itself, which is not offered")
	}
	return nil
}

// enrol keeps a client that is seen for the first time, by the rules for those that
// register themselves.
func (d *Documents) enrol(ctx context.Context, act storage.Act, address string, document []byte) error {
	wanted, err := d.with.Read(document, storage.Client{})
	if err != nil {
		return unfit(err)
	}
	wanted.Origin = address
	_, _, err = d.with.Clients.Enrol(ctx, act, wanted, func(client storage.Client) error {
		client.ID = clientprofile.ID(address)
		act.Actor = storage.Actor{Kind: storage.ActorClient, ID: client.ID}
		return d.with.Store.EnrolClient(ctx, act, client, storage.Enrolment{ClientID: client.ID, TokenHash: []byte{},
			Address: act.Address, Network: ratelimit.Network(act.Address), CreatedAt: act.At}, nil)
	})
	if fault.Is(err, fault.Conflict) {
		return nil // somebody signs in at the same time
	}
	return unfit(err)
}

// renew makes the client what its document says by now, and notes now and then that it
// stands. What runs in browsers alone becomes native with an address on people's own device, and
// stays so: a native one can do all that the other can.
func (d *Documents) renew(ctx context.Context, act storage.Act, was storage.Client, document []byte) error {
	wanted, err := d.with.Read(document, was)
	if was.Type == storage.ClientNative {
		wanted.Type = was.Type
	}
	switch {
	case err != nil:
		return unfit(err)
	case same(was, wanted) && act.At.Sub(was.UpdatedAt) < noted:
		return nil
	}
	act.Actor = storage.Actor{Kind: storage.ActorClient, ID: was.ID}
	_, err = d.with.Clients.Become(ctx, act, wanted)
	d.with.Changed()
	if fault.Is(err, fault.Conflict) {
		return nil // somebody changed it meanwhile, and it is that
	}
	return unfit(err)
}

// same reports whether a document says of the client what it is.
func same(was, wanted storage.Client) bool {
	return was.Name == wanted.Name && was.Type == wanted.Type && slices.Equal(was.RedirectURIs, wanted.RedirectURIs) &&
		slices.Equal(was.PostLogoutRedirectURIs, wanted.PostLogoutRedirectURIs) && slices.Equal(was.Scopes, wanted.Scopes) &&
		was.HomeURI == wanted.HomeURI && was.LogoURI == wanted.LogoURI && was.PolicyURI == wanted.PolicyURI &&
		was.TermsURI == wanted.TermsURI && was.InitiateLoginURI == wanted.InitiateLoginURI &&
		was.IDTokenAlg == wanted.IDTokenAlg && was.CertificateNeeded == wanted.CertificateNeeded &&
		was.ProofNeeded == wanted.ProofNeeded && was.RequirePushed == wanted.RequirePushed
}

// unfit is the refusal of a client that may not be what its document says.
func unfit(err error) error {
	if err == nil || fault.Is(err, fault.TooMany) || !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Forbidden) {
		return err
	}
	return fault.New(fault.Invalid, "invalid_client",
		"The app says what it is at an address where nothing fit for it could be read.").Because(err)
}
