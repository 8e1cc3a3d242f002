// Package webhooks tells addresses of what happens in projects: who is to be
// told of what, the notices themselves, and the worker that delivers them.
//
// A notice follows from a change in the feed (storage.EventStore), is signed,
// and is attempted for a day. Notices of one thing go to an address one after
// the other, in the order of its changes, each at least once. Which addresses
// may be called is internal/outbound's; who administers a project is package
// administration's. Start at Rules; at notice.go for what is sent, and at
// Courier for the delivering.
package webhooks

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Fields of what is set up, as the sources of faults.
const (
	FieldURL    = "url"
	FieldEvents = "events"
	FieldSecret = "secret"
	FieldFolder = "folder"
)

const (
	maxURL    = 2048 // characters
	minSecret = 16   // characters, as the next
	maxSecret = 256

	secretBytes = 32 // of one that is made

	secretLabel = "webhook secret"
)

// Options are what Rules are made of. Every field is needed.
type Options struct {
	Store    storage.WebhookStore
	Ambient  *ambient.Source
	Ring     *sealing.Ring
	Outbound *outbound.Client
}

// Rules are those of setting up webhooks. They act for whoever the change names;
// that they may is for its callers to know. It is safe for concurrent use.
type Rules struct{ with Options }

// New returns Rules.
func New(o Options) *Rules { return &Rules{with: o} }

// NewWebhook is a webhook to be.
type NewWebhook struct {
	ProjectID string
	FolderID  string   // uid; empty: the whole project
	Events    []string // none: all
	URL       string
	Secret    string // empty: one is made

	// ByServer says that who makes it administers the server: names are looked up, so
	// that they learn at once of one that is not called. To others it would tell what
	// names mean in the server's network.
	ByServer bool
}

// Create adds a webhook and returns it with its secret, which nobody can read
// again.
func (a *Rules) Create(ctx context.Context, change storage.Change, wanted NewWebhook) (storage.Webhook, string, error) {
	if err := a.check(ctx, wanted); err != nil {
		return storage.Webhook{}, "", err
	}
	if wanted.Secret == "" {
		wanted.Secret = keyPrefix + base64.StdEncoding.EncodeToString(a.with.Ambient.Bytes(secretBytes))
	}
	hook := storage.Webhook{
		ID: a.with.Ambient.UUID(), ProjectID: wanted.ProjectID, FolderID: wanted.FolderID,
		Events: slices.Compact(slices.Sorted(slices.Values(wanted.Events))), URL: wanted.URL,
		CreatedAt: change.At, CreatedBy: change.Caller.UserID,
	}
	hook.Secret = a.with.Ring.Seal(secretLabel, []byte(wanted.Secret), []byte(hook.ID))
	if err := a.with.Store.CreateWebhook(ctx, change, hook); err != nil {
		if fault.HasReason(err, storage.ReasonParentAbsent) {
			return hook, "", fault.From(err).At(FieldFolder)
		}
		return hook, "", fault.OrAbsent(err, "project")
	}
	return hook, wanted.Secret, nil
}

// check gathers everything that is wrong.
func (a *Rules) check(ctx context.Context, wanted NewWebhook) error {
	var list fault.List
	if len(wanted.URL) > maxURL || strings.ContainsFunc(wanted.URL, notPrintable) {
		list.Add(invalid(FieldURL, "The URL must be an https address of at most 2048 characters, without a user name."))
	} else if err := a.reaches(ctx, wanted); err != nil {
		list.Add(invalid(FieldURL, fault.From(err).Detail))
	}
	for _, name := range wanted.Events {
		if !slices.Contains(Events(), name) {
			list.Add(invalid(FieldEvents, "The events are "+strings.Join(Events(), ", ")+"."))
			break
		}
	}
	n := utf8.RuneCountInString(wanted.Secret)
	if wanted.Secret != "" && (n < minSecret || n > maxSecret || strings.ContainsFunc(wanted.Secret, notPrintable)) {
		list.Add(invalid(FieldSecret, "A secret has 16 to 256 printable ASCII characters, none of them a blank."))
	}
	return list.Err()
}

func (a *Rules) reaches(ctx context.Context, wanted NewWebhook) error {
	if !wanted.ByServer {
		return a.with.Outbound.CheckUnseen(wanted.URL)
	}
	_, err := a.with.Outbound.Check(ctx, wanted.URL)
	return err
}

func notPrintable(c rune) bool { return c <= ' ' || c > '~' }

func invalid(field, detail string) *fault.Error {
	return fault.New(fault.Invalid, "invalid_field", detail).At(field)
}

// List returns the project's webhooks, oldest first.
func (a *Rules) List(ctx context.Context, projectID string) ([]storage.Webhook, error) {
	return a.with.Store.ListWebhooks(ctx, projectID)
}

// Find returns the project's webhook. NotFound.
func (a *Rules) Find(ctx context.Context, projectID, id string) (storage.Webhook, error) {
	hook, err := a.with.Store.FindWebhook(ctx, projectID, id)
	return hook, fault.OrAbsent(err, "webhook")
}

// Delete removes the webhook with its deliveries. NotFound.
func (a *Rules) Delete(ctx context.Context, change storage.Change, projectID, id string) error {
	return fault.OrAbsent(a.with.Store.DeleteWebhook(ctx, change, projectID, id), "webhook")
}

// Deliveries returns a page of what the webhook was or is to be told, newest
// first, and the next cursor. NotFound.
func (a *Rules) Deliveries(ctx context.Context, projectID, id string,
	page storage.PageRequest) ([]storage.WebhookDelivery, string, error) {
	if _, err := a.Find(ctx, projectID, id); err != nil {
		return nil, "", err
	}
	return a.with.Store.ListDeliveries(ctx, id, page)
}

// DeliveriesUnseen is Deliveries for who does not administer the server: it does not say
// which address a name led to.
func (a *Rules) DeliveriesUnseen(ctx context.Context, projectID, id string,
	page storage.PageRequest) ([]storage.WebhookDelivery, string, error) {
	all, next, err := a.Deliveries(ctx, projectID, id, page)
	for i, d := range all {
		all[i].Failure = outbound.Discreet(d.Failure, d.URL)
	}
	return all, next, err
}

// Redeliver makes a delivery due again, whatever became of it. NotFound.
func (a *Rules) Redeliver(ctx context.Context, projectID, id string, delivery int64) error {
	if _, err := a.Find(ctx, projectID, id); err != nil {
		return err
	}
	return fault.OrAbsent(a.with.Store.Redeliver(ctx, id, delivery, a.with.Ambient.Now()), "delivery")
}
