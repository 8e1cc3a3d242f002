package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func requestChecks() []check {
	return []check{
		{"ParkLoginRequest keeps a request that FindLoginRequest returns until it expires", parkRequest},
		{"ParkLoginRequest refuses a taken id and an absent client", parkRequestRefused},
		{"DecideLoginRequest notes who, when and how, and nothing else of the request", decideRequest},
		{"DecideLoginRequest with Allowed remembers the scopes, added to what is there", decideRemembers},
		{"DecideLoginRequest remembers what was left out, and the last word about each scope counts", decideLeavesOut},
		{"DecideLoginRequest without Allowed remembers nothing", decideDenied},
		{"DecideLoginRequest is NotFound for an absent or expired request, and remembers nothing", decideAbsent},
		{"AnswerLoginRequest uses a request up, which can be looked at for five minutes, and an absent one is NotFound",
			answerRequest},
	}
}

// allow answers yes to the consent question.
func (w *World) allow(request storage.LoginRequest, userID string, scopes ...string) {
	w.Helper()
	request.DecidedBy, request.DecidedAt, request.Allowed = "session", w.Now(), true
	w.Must(w.Store.DecideLoginRequest(w.Ctx(), w.Act(), request, userID, scopes))
}

func parkRequest(w *World) {
	request := w.Request(w.Client().ID)
	got, err := w.Store.FindLoginRequest(w.Ctx(), request.ID, request.ExpiresAt.Add(-time.Microsecond))
	w.Must(err)
	w.Equal(request, got)
	_, err = w.Store.FindLoginRequest(w.Ctx(), request.ID, request.ExpiresAt)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindLoginRequest(w.Ctx(), "unknown", w.Now())
	w.Refused(err, fault.NotFound, "")
}

func parkRequestRefused(w *World) {
	request := w.Request(w.Client().ID)
	w.Refused(w.Store.ParkLoginRequest(w.Ctx(), request), fault.Conflict, "")
	request.ID, request.ClientID = "other", "nobody"
	w.Refused(w.Store.ParkLoginRequest(w.Ctx(), request), fault.NotFound, "")
}

func decideRequest(w *World) {
	user, request := w.User(), w.Request(w.Client().ID)
	decision := storage.LoginRequest{ID: request.ID, Params: "other", DecidedBy: "s1",
		DecidedAt: w.Now().Add(time.Second), Allowed: true}
	w.Must(w.Store.DecideLoginRequest(w.Ctx(), w.Act(), decision, user.ID, []string{"openid"}))
	got, err := w.Store.FindLoginRequest(w.Ctx(), request.ID, w.Now())
	w.Must(err)
	request.DecidedBy, request.DecidedAt, request.Allowed = decision.DecidedBy, decision.DecidedAt, true
	w.Equal(request, got)
	w.Audited(user.ID, "consent.granted", "user.created")
}

func decideRemembers(w *World) {
	user, client := w.User(), w.Client()
	w.allow(w.Request(client.ID), user.ID, "openid", "data:read", "openid")
	first := w.Now()
	w.Clock.Advance(time.Minute)
	w.allow(w.Request(client.ID), user.ID, "email", "data:read")
	got, err := w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
	w.Must(err)
	w.Equal(storage.Consent{
		UserID: user.ID, ClientID: client.ID, Scopes: []string{"data:read", "email", "openid"},
		CreatedAt: first, UpdatedAt: w.Now(),
	}, got)
}

func decideLeavesOut(w *World) {
	user, client := w.User(), w.Client()
	for _, c := range []struct{ allowed, leftOut, want, wantOut []string }{
		{[]string{"openid"}, []string{"phone", "email"}, []string{"openid"}, []string{"email", "phone"}},
		{[]string{"openid", "email"}, nil, []string{"email", "openid"}, []string{"phone"}},
		{[]string{"openid"}, []string{"email"}, []string{"openid"}, []string{"email", "phone"}},
	} {
		request := w.Request(client.ID)
		request.DecidedBy, request.DecidedAt, request.Allowed = "session", w.Now(), true
		w.Must(w.Store.DecideLoginRequest(w.Ctx(), w.Act(), request, user.ID, c.allowed, c.leftOut...))
		got, err := w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
		w.Must(err)
		w.Equal(c.want, got.Scopes)
		w.Equal(c.wantOut, got.LeftOut)
	}
}

func decideDenied(w *World) {
	user, client := w.User(), w.Client()
	request := w.Request(client.ID)
	request.DecidedBy, request.DecidedAt = "session", w.Now()
	w.Must(w.Store.DecideLoginRequest(w.Ctx(), w.Act(), request, user.ID, []string{"openid"}))
	_, err := w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
	w.Refused(err, fault.NotFound, "")
	got, err := w.Store.FindLoginRequest(w.Ctx(), request.ID, w.Now())
	w.Must(err)
	w.Equal(request, got)
	w.Audited(user.ID, "consent.denied", "user.created")
}

func decideAbsent(w *World) {
	user, client := w.User(), w.Client()
	request := w.Request(client.ID)
	w.Clock.Advance(time.Hour)
	request.Allowed, request.DecidedBy, request.DecidedAt = true, "session", w.Now()
	w.Refused(w.Store.DecideLoginRequest(w.Ctx(), w.Act(), request, user.ID, []string{"openid"}), fault.NotFound, "")
	request.ID = "unknown"
	w.Refused(w.Store.DecideLoginRequest(w.Ctx(), w.Act(), request, user.ID, []string{"openid"}), fault.NotFound, "")
	_, err := w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
	w.Refused(err, fault.NotFound, "")
}

func answerRequest(w *World) {
	request := w.Request(w.Client().ID)
	_, err := w.Store.FindAnsweredRequest(w.Ctx(), request.ID, w.Now())
	w.Refused(err, fault.NotFound, "")
	w.Must(w.Store.AnswerLoginRequest(w.Ctx(), request.ID, w.Now()))
	w.Refused(w.Store.AnswerLoginRequest(w.Ctx(), request.ID, w.Now()), fault.NotFound, "")
	found, err := w.Store.FindAnsweredRequest(w.Ctx(), request.ID, w.Now().Add(storage.AnsweredLife-time.Second))
	w.Must(err)
	if found.ClientID != request.ClientID || found.Params != request.Params {
		w.Errorf("%+v was answered, want %+v", found, request)
	}
	for _, id := range []string{request.ID, found.ID} {
		_, err := w.Store.FindLoginRequest(w.Ctx(), id, w.Now())
		w.Refused(err, fault.NotFound, "")
	}
	_, err = w.Store.FindAnsweredRequest(w.Ctx(), request.ID, w.Now().Add(storage.AnsweredLife))
	w.Refused(err, fault.NotFound, "")
}
