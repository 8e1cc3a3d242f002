// Package connections is the companies that send their people and groups (SCIM), as
// administrators of the server see them: who they are, the tokens that they prove
// themselves with, and what they asked last; on pages, by /admin/v1/connections and on
// the command line.
//
// What companies send is package provider/scim's. Start at New for the rules; NewDesk
// for the pages, NewAPI for the API.
package connections

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// Reasons of the faults, beside those of storage.SCIMStore.
const (
	ReasonField        = "invalid_field"
	ReasonNoConnection = "connection_not_found"
)

// The fields of a connection and of a token.
const (
	FieldName    = "name"
	FieldDomains = "domains"
	FieldPrefix  = "group_prefix"
	FieldLabel   = "label"
	FieldDays    = "days"
)

// Limits of fields.
const (
	maxName    = 100
	maxPrefix  = 50
	maxDomains = 50
	maxDays    = 1095
)

// SomeDays is how long a token lasts unless it is said.
const SomeDays = 365

// Options are what Connections are made of. Every field is needed.
type Options struct {
	Store   storage.SCIMStore
	Ambient *ambient.Source
	BaseURL string
}

// Connections are the rules. They are safe for concurrent use.
type Connections struct{ with Options }

// New returns the rules.
func New(o Options) *Connections { return &Connections{o} }

// Prefix is where connections lie, below the base URL; TokenPrefix is what their tokens
// begin with.
const (
	Prefix      = "/scim/v2"
	TokenPrefix = "scim_"
)

// URL is the address that the company enters.
func (c *Connections) URL(connection storage.SCIMConnection) string {
	return c.with.BaseURL + Prefix + "/" + connection.ID
}

// Change is what a connection is to be; nil leaves a field as it is.
type Change struct {
	Name        *string
	Domains     *[]string // of the company's addresses: it vouches for them
	GroupPrefix *string
	Disabled    *bool
}

var domainPattern = pattern.Of(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

// apply makes the connection what the change says, or tells everything that is wrong.
func (c Change) apply(to *storage.SCIMConnection) error {
	var faults fault.List
	if c.Name != nil {
		to.Name = strings.TrimSpace(*c.Name)
	}
	if to.Name == "" || !isLine(to.Name, maxName) {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, "The name must be a text of 1 to %d characters in one line.",
			maxName).At(FieldName))
	}
	if c.GroupPrefix != nil {
		to.GroupPrefix = strings.TrimLeft(*c.GroupPrefix, " ")
	}
	if !isLine(to.GroupPrefix, maxPrefix) {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, "The prefix must be a text of at most %d characters in one line.",
			maxPrefix).At(FieldPrefix))
	}
	if c.Domains != nil {
		faults.Add(setDomains(to, *c.Domains))
	}
	if c.Disabled != nil {
		to.Disabled = *c.Disabled
	}
	return faults.Err()
}

func setDomains(to *storage.SCIMConnection, domains []string) error {
	to.Domains = nil
	for _, d := range domains {
		if d = strings.ToLower(strings.TrimSpace(d)); d != "" && !slices.Contains(to.Domains, d) {
			to.Domains = append(to.Domains, d)
		}
	}
	bad := func(d string) bool {
		ascii, err := idna.Lookup.ToASCII(d)
		return err != nil || len(ascii) > 253 || !domainPattern().MatchString(ascii)
	}
	if slices.ContainsFunc(to.Domains, bad) || len(to.Domains) > maxDomains {
		return fault.Newf(fault.Invalid, ReasonField, "Name at most %d domains, such as example.com.",
			maxDomains).At(FieldDomains)
	}
	return nil
}

func isLine(s string, limit int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= limit &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Create adds a connection. Invalid, a fault.List; Conflict (storage.ReasonNameTaken).
func (c *Connections) Create(ctx context.Context, act storage.Act, change Change) (storage.SCIMConnection, error) {
	made := storage.SCIMConnection{ID: c.with.Ambient.UID(), CreatedAt: act.At}
	if err := change.apply(&made); err != nil {
		return made, err
	}
	return made, named(c.with.Store.CreateSCIMConnection(ctx, act, made))
}

// Update changes the connection. Errors as Create; NotFound. Who is disabled is refused
// from then on.
func (c *Connections) Update(ctx context.Context, act storage.Act, id string,
	change Change) (storage.SCIMConnection, error) {
	connection, err := c.with.Store.UpdateSCIMConnection(ctx, act, id, change.apply)
	return connection, named(err)
}

// Find returns the connection, or NotFound.
func (c *Connections) Find(ctx context.Context, id string) (storage.SCIMConnection, error) {
	connection, err := c.with.Store.FindSCIMConnection(ctx, id)
	return connection, named(err)
}

// List returns all connections by name.
func (c *Connections) List(ctx context.Context) ([]storage.SCIMConnection, error) {
	return c.with.Store.ListSCIMConnections(ctx)
}

// Delete ends the connection; its people and groups stay, and are nobody's. NotFound.
func (c *Connections) Delete(ctx context.Context, act storage.Act, id string) error {
	return named(c.with.Store.DeleteSCIMConnection(ctx, act, id))
}

// Tokens returns the tokens of the connection, oldest first.
func (c *Connections) Tokens(ctx context.Context, id string) ([]storage.SCIMToken, error) {
	return c.with.Store.ListSCIMTokens(ctx, id)
}

// AddToken makes a token that lasts so many days, and returns it with its text, which
// nobody can read again. Invalid; Conflict (storage.ReasonTokensFull); NotFound.
func (c *Connections) AddToken(ctx context.Context, act storage.Act, id, label string,
	days int) (storage.SCIMToken, string, error) {
	var faults fault.List
	if label = strings.TrimSpace(label); label == "" || !isLine(label, maxName) {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, "The label must be a text of 1 to %d characters in one line.",
			maxName).At(FieldLabel))
	}
	if days < 1 || days > maxDays {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, "A token lasts 1 to %d days.", maxDays).At(FieldDays))
	}
	if err := faults.Err(); err != nil {
		return storage.SCIMToken{}, "", err
	}
	text := TokenPrefix + c.with.Ambient.Token()
	hash := sha256.Sum256([]byte(text))
	token := storage.SCIMToken{ID: c.with.Ambient.UID(), ConnectionID: id, Label: label, Hash: hash[:],
		CreatedAt: act.At, EndsAt: act.At.Add(time.Duration(days) * 24 * time.Hour)}
	return token, text, named(c.with.Store.AddSCIMToken(ctx, act, token))
}

// EndToken ends a token at once. NotFound.
func (c *Connections) EndToken(ctx context.Context, act storage.Act, id, tokenID string) error {
	return named(c.with.Store.DeleteSCIMToken(ctx, act, id, tokenID))
}

// Calls returns the last calls of the connection, newest first.
func (c *Connections) Calls(ctx context.Context, id string) ([]storage.SCIMCall, error) {
	return c.with.Store.ListSCIMCalls(ctx, id)
}

func named(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, ReasonNoConnection, "There is no such connection or token.").Because(err)
	}
	if fault.HasReason(err, storage.ReasonNameTaken) {
		return fault.From(err).At(FieldName)
	}
	return err
}
