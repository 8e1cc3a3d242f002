package accounts

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// eventWords say what happened to a person's account, by the kind in the trail.
// What is not among them is not shown to people.
var eventWords = map[string]texts.Text{
	"user.created":               texts.Say("own.event.created"),
	"user.signed_in":             texts.Say("own.event.signed-in"),
	"user.sign_in_failed":        texts.Say("own.event.sign-in-failed"),
	"user.signed_out_everywhere": texts.Say("own.event.signed-out-everywhere"),
	"session.ended":              texts.Say("own.event.session-ended"),
	"user.factor_added":          texts.Say("own.event.factor-added"),
	"user.factor_removed":        texts.Say("own.event.factor-removed"),
	"user.factor_refused":        texts.Say("own.event.factor-refused"),
	"user.recovery_code_used":    texts.Say("own.event.recovery-code-used"),
	"user.recovery_codes_made":   texts.Say("own.event.recovery-codes-made"),
	"user.identity_linked":       texts.Say("own.event.identity-linked"),
	"user.identity_unlinked":     texts.Say("own.event.identity-unlinked"),
	"user.identity_ended":        texts.Say("own.event.identity-ended"),
	"user.signed_out_upstream":   texts.Say("own.event.identity-ended"),
	"scim.user_taken_over":       texts.Say("own.event.taken-over"),
	"user.claimed":               texts.Say("own.event.claimed"),
	"user.password_set":          texts.Say("own.event.password-set"),
	"user.address_changed":       texts.Say("own.event.address-changed"),
	"user.updated":               texts.Say("own.event.updated"),
	"user.portrait_set":          texts.Say("own.event.portrait-set"),
	"user.portrait_deleted":      texts.Say("own.event.portrait-deleted"),
	"user.promoted":              texts.Say("own.event.promoted"),
	"user.demoted":               texts.Say("own.event.demoted"),
	"user.disabled":              texts.Say("own.event.disabled"),
	"user.enabled":               texts.Say("own.event.enabled"),
	"link.created":               texts.Say("own.event.link-created"),
	"consent.granted":            texts.Say("own.event.consent-granted"),
	"consent.denied":             texts.Say("own.event.consent-denied"),
	"device.allowed":             texts.Say("own.event.device-allowed"),
	"device.denied":              texts.Say("own.event.device-denied"),
	"consent.withdrawn":          texts.Say("own.event.consent-withdrawn"),
}

// Event is something that happened to a person's account. Who else did it is not
// told, and neither is where they were.
type Event struct {
	ID      int64
	At      time.Time
	Kind    string
	By      string // byPerson, byAdministrator or byServer
	Address string // of the person; empty where somebody else did it
	AppID   string // that it is about; empty: none
	AppName string // empty: none, or it is gone
}

// Who did what happened to an account.
const (
	byPerson        = "person"
	byAdministrator = "administrator"
	byServer        = "server"
)

// Events returns a page of what happened to the person's account, newest first,
// and the next cursor.
func (a *Accounts) Events(ctx context.Context, userID string, page storage.PageRequest) ([]Event, string, error) {
	filter := storage.AuditFilter{Subject: userID, Kinds: slices.Sorted(maps.Keys(eventWords))}
	trail, next, err := a.with.Store.ListAudit(ctx, filter, page)
	if err != nil {
		return nil, "", err
	}
	events := make([]Event, len(trail))
	for i, e := range trail {
		events[i] = event(userID, e)
	}
	return events, next, a.nameApps(ctx, events)
}

// nameApps says what the apps are called that the events are about.
func (a *Accounts) nameApps(ctx context.Context, events []Event) error {
	var ids []string
	for _, e := range events {
		if e.AppID != "" && !slices.Contains(ids, e.AppID) {
			ids = append(ids, e.AppID)
		}
	}
	called, err := a.with.Store.ListCalled(ctx, ids)
	names := map[string]string{}
	for _, one := range called {
		if one.Kind == storage.CalledClient {
			names[one.ID] = one.Name
		}
	}
	for i, e := range events {
		events[i].AppName = names[e.AppID]
	}
	return err
}

func event(userID string, e storage.AuditEvent) Event {
	event := Event{ID: e.ID, At: e.Act.At, Kind: e.Kind, By: by(e.Act.Actor, userID)}
	if event.By == byPerson || e.Kind == "user.sign_in_failed" || e.Kind == "user.factor_refused" {
		event.Address = e.Act.Address
	}
	var detail struct {
		ClientID string `json:"client_id"`
	}
	if e.Detail != "" && json.Unmarshal([]byte(e.Detail), &detail) == nil {
		event.AppID = detail.ClientID
	}
	return event
}

// by takes whoever was not signed in yet, or not any more, for the person themselves.
func by(actor storage.Actor, userID string) string {
	switch {
	case actor.Kind == storage.ActorUser && (actor.ID == userID || actor.ID == ""):
		return byPerson
	case actor.Kind == storage.ActorUser, actor.Kind == storage.ActorOperator:
		return byAdministrator
	}
	return byServer
}
