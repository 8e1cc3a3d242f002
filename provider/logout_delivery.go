package provider

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/storage"
)

// logoutStore is what delivering needs of the store.
type logoutStore interface {
	storage.LogoutDeliveryStore
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
	FindClient(ctx context.Context, id string) (storage.Client, error)
}

// LogoutDeliveries tells clients that sessions have ended (OpenID Connect
// Back-Channel Logout 1.0, decision L1). What is to be told is kept in the
// store, written by whatever ends a session; a Provider has one of these, and
// Run is its worker.
type LogoutDeliveries struct {
	issuer   string
	store    logoutStore
	keys     *signing.KeySet
	outbound *outbound.Client
	ambient  *ambient.Source
	log      *slog.Logger
	holder   string // names this process among its replicas
	wake     chan struct{}
}

const (
	logoutDuty  = "logout-deliveries"
	logoutLease = time.Minute     // longer than a batch can take
	logoutPoll  = 2 * time.Second // how soon what another process queued is seen
	logoutBatch = 32              // requests at once

	// A client whose server hangs takes a part of a batch, never all of it.
	logoutPerClient = 4
)

// logoutPauses are the waits after the first attempt, the second and so on:
// six attempts in about a quarter of an hour.
var logoutPauses = [...]time.Duration{
	10 * time.Second, 30 * time.Second, 90 * time.Second, 4 * time.Minute, 9 * time.Minute,
}

// Run delivers until the context ends, and finishes what is under way then,
// which takes a few seconds at most. Any number of replicas may run it: one at a
// time delivers.
func (d *LogoutDeliveries) Run(ctx context.Context) {
	poll := time.NewTicker(logoutPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
		case <-d.wake:
		}
		if err := tracing.Round(ctx, "logouts", d.deliverDue); err != nil && ctx.Err() == nil {
			d.log.ErrorContext(ctx, "delivering logouts failed", "error", err)
		}
	}
}

func (d *LogoutDeliveries) deliverDue(ctx context.Context) error {
	_, err := d.DeliverDue(ctx)
	return err
}

// nudge makes Run look now instead of at its next turn.
func (d *LogoutDeliveries) nudge() {
	select {
	case d.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// DeliverDue attempts every delivery whose time has come, unless another
// replica is at it, and returns how many attempts it made. A client that does
// not answer well is no error.
func (d *LogoutDeliveries) DeliverDue(ctx context.Context) (int, error) {
	attempts := 0
	for ctx.Err() == nil {
		due, err := d.take(ctx)
		if err != nil || len(due) == 0 {
			return attempts, err
		}
		attempts += len(due)
		if err := d.deliver(context.WithoutCancel(ctx), due); err != nil {
			return attempts, err
		}
	}
	return attempts, nil
}

// take returns the next batch, if the duty is ours. The duty is asked for only
// when something is due, so that an idle server writes nothing; and the batch is
// read under it, so that no other replica has it as well.
func (d *LogoutDeliveries) take(ctx context.Context) ([]storage.LogoutDelivery, error) {
	now := d.ambient.Now()
	waiting, err := d.store.ListDueLogouts(ctx, now, 1, 1)
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	mine, err := d.store.AcquireLease(ctx, logoutDuty, d.holder, now, now.Add(logoutLease))
	if err != nil || !mine {
		return nil, err
	}
	return d.store.ListDueLogouts(ctx, now, logoutBatch, logoutPerClient)
}

// deliver makes the attempts side by side, notes how they went and gives the
// duty back.
func (d *LogoutDeliveries) deliver(ctx context.Context, due []storage.LogoutDelivery) error {
	failures := make([]error, len(due))
	var group sync.WaitGroup
	for i, delivery := range due {
		group.Go(func() {
			failures[i] = d.store.RecordLogoutAttempt(ctx, d.attempt(ctx, delivery))
		})
	}
	group.Wait()
	now := d.ambient.Now()
	_, err := d.store.AcquireLease(ctx, logoutDuty, d.holder, now, now)
	return errors.Join(append(failures, err)...)
}

// attempt makes one attempt with a token of its own.
func (d *LogoutDeliveries) attempt(ctx context.Context, delivery storage.LogoutDelivery) storage.DeliveryAttempt {
	now := d.ambient.Now()
	attempt := storage.DeliveryAttempt{DeliveryID: delivery.ID, At: now}
	var refused bool
	attempt.Status, attempt.Failure, refused = d.send(ctx, delivery)
	if attempt.Failure == "" {
		return attempt
	}
	if !refused && delivery.Attempts < len(logoutPauses) {
		attempt.NextAt = now.Add(logoutPauses[delivery.Attempts])
		return attempt
	}
	d.log.WarnContext(ctx, "a client could not be told of a logout", "client_id", delivery.ClientID,
		"reason", attempt.Failure)
	return attempt
}

// send returns the status of the answer, 0 without one, and what was wrong, ""
// for nothing; and whether it was that the address may not be called.
func (d *LogoutDeliveries) send(ctx context.Context, delivery storage.LogoutDelivery) (int, string, bool) {
	client, err := d.store.FindClient(ctx, delivery.ClientID)
	if err != nil {
		d.log.ErrorContext(ctx, "looking up the client of a logout failed", "error", err)
		return 0, "The client could not be looked up.", false
	}
	token, err := d.keys.SignLogout(ctx, client.IDTokenAlg, d.claims(delivery))
	if err != nil {
		d.log.ErrorContext(ctx, "signing a logout token failed", "error", err)
		return 0, "The logout token could not be signed.", false
	}
	body := url.Values{"logout_token": {token}}.Encode()
	answer, err := d.outbound.Post(ctx, delivery.URI, "application/x-www-form-urlencoded", []byte(body))
	switch status := answer.Status; {
	case err != nil:
		return 0, fault.From(err).Detail, outbound.Refused(err)
	case status >= http.StatusOK && status < http.StatusMultipleChoices: // frameworks turn an empty 200 into 204
		return status, "", false
	case status < http.StatusBadRequest:
		return status, "The client answered with a redirect, which is not followed.", false
	default:
		return status, "The client answered with status " + strconv.Itoa(status) + ".", false
	}
}

// logoutTokenLifetime is short: every attempt has a fresh token.
const logoutTokenLifetime = 2 * time.Minute

// claims are those of a logout token (Back-Channel Logout 1.0 section 2.4).
func (d *LogoutDeliveries) claims(delivery storage.LogoutDelivery) map[string]any {
	now := d.ambient.Now()
	return map[string]any{
		"iss":    d.issuer,
		"aud":    delivery.ClientID,
		"sub":    delivery.UserID,
		"sid":    delivery.SessionID,
		"iat":    now.Unix(),
		"exp":    now.Add(logoutTokenLifetime).Unix(),
		"jti":    d.ambient.UID(),
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": struct{}{}},
	}
}
