package storagetest

import (
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func deviceChecks() []check {
	return []check{
		{"ParkDevice keeps a request that is found by its hash at any time, and by its user code until it ends", parkDevice},
		{"ParkDevice refuses a taken hash, a taken user code and an absent client", parkDeviceRefused},
		{"PollDevice notes when a device asked last, once for each time it was found", pollDevice},
		{"AnswerDevice makes way for the code and remembers the consent", allowDevice},
		{"AnswerDevice without scopes keeps the request, denied", denyDevice},
		{"AnswerDevice is Gone, login_request_over, for one that was answered, has expired or never was", answerOver},
		{"AnswerDevice is Gone, session_over, without a session of that very user, and changes nothing", answerSignedOut},
		{"of 50 answers to one device at once one counts", raceAnswer},
		{"of 50 redemptions of a device's code at once one wins, and its grant lives on", raceDevice},
	}
}

// device parks a request of a device.
func (w *World) device(clientID string) storage.DeviceRequest {
	w.Helper()
	request := storage.DeviceRequest{
		Hash: w.Source.Bytes(32), UserCode: w.Source.Bytes(32), ClientID: clientID, Params: "scope=openid",
		Address: "192.0.2.1", CreatedAt: w.Now(), ExpiresAt: w.Now().Add(10 * time.Minute),
		PollEvery: 5 * time.Second,
	}
	w.Must(w.Store.ParkDevice(w.Ctx(), request))
	return request
}

// yes is the answer that allows the device of a user with a session.
func (w *World) yes(request storage.DeviceRequest, userID string) storage.DeviceAnswer {
	return storage.DeviceAnswer{Allowed: []string{"openid"}, LeftOut: []string{"email"}, Code: storage.AuthorizeCode{
		Hash: request.Hash, GrantID: w.Source.UID(), ClientID: request.ClientID, UserID: userID,
		SessionID: w.Session(userID).ID, Scopes: []string{"openid"}, AuthTime: w.Now(), ACR: storage.ACRPassword,
		AMR: []string{"pwd"}, IssuedAt: w.Now(), ExpiresAt: w.Now().Add(time.Minute),
	}}
}

func parkDevice(w *World) {
	request := w.device(w.Client().ID)
	got, err := w.Store.FindDevice(w.Ctx(), request.Hash)
	w.Must(err)
	w.Equal(request, got)
	got, err = w.Store.FindDeviceByUserCode(w.Ctx(), request.UserCode, request.ExpiresAt.Add(-time.Microsecond))
	w.Must(err)
	w.Equal(request, got)
	_, err = w.Store.FindDeviceByUserCode(w.Ctx(), request.UserCode, request.ExpiresAt)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindDevice(w.Ctx(), []byte("unknown"))
	w.Refused(err, fault.NotFound, "")
}

func pollDevice(w *World) {
	user := w.User()
	fresh := w.device(w.Client().ID)
	polls := func(found storage.DeviceRequest, after, every time.Duration) bool {
		w.Helper()
		noted, err := w.Store.PollDevice(w.Ctx(), found, w.Now().Add(after), every)
		w.Must(err)
		return noted
	}
	found := func() storage.DeviceRequest {
		w.Helper()
		got, err := w.Store.FindDevice(w.Ctx(), fresh.Hash)
		w.Must(err)
		return got
	}
	w.Equal(true, polls(fresh, time.Second, 5*time.Second))
	once := found()
	w.Equal([]any{w.Now().Add(time.Second), 5 * time.Second}, []any{once.PolledAt, once.PollEvery})
	w.Equal(false, polls(fresh, 2*time.Second, 5*time.Second))
	var noted atomic.Int32
	for _, err := range w.race(racers, func(store storage.Identity, _ int) error {
		ok, err := store.PollDevice(w.Ctx(), once, w.Now().Add(3*time.Second), 10*time.Second)
		if ok {
			noted.Add(1)
		}
		return err
	}) {
		w.Must(err)
	}
	w.Equal(int32(1), noted.Load())
	w.Equal(10*time.Second, found().PollEvery)
	w.Must(w.Store.AnswerDevice(w.Ctx(), w.Act(), w.yes(fresh, user.ID)))
	w.Equal(false, polls(once, 4*time.Second, 5*time.Second))
}

func parkDeviceRefused(w *World) {
	request := w.device(w.Client().ID)
	again := request
	again.Hash = []byte("other")
	w.Refused(w.Store.ParkDevice(w.Ctx(), again), fault.Conflict, "")
	again = request
	again.UserCode = []byte("other")
	w.Refused(w.Store.ParkDevice(w.Ctx(), again), fault.Conflict, "")
	again.Hash, again.ClientID = []byte("other"), "nobody"
	w.Refused(w.Store.ParkDevice(w.Ctx(), again), fault.NotFound, "")
}

func allowDevice(w *World) {
	user, client := w.User(), w.Client()
	request := w.device(client.ID)
	answer := w.yes(request, user.ID)
	w.Must(w.Store.AnswerDevice(w.Ctx(), w.Act(), answer))
	code, err := w.Store.FindCode(w.Ctx(), request.Hash)
	w.Must(err)
	w.Equal(answer.Code, code)
	_, err = w.Store.FindDevice(w.Ctx(), request.Hash)
	w.Refused(err, fault.NotFound, "")
	consent, err := w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
	w.Must(err)
	w.Equal([]string{"openid"}, consent.Scopes)
	w.Equal([]string{"email"}, consent.LeftOut)
	w.Audited(user.ID, "device.allowed", "user.signed_in", "user.created")
}

func denyDevice(w *World) {
	user := w.User()
	request := w.device(w.Client().ID)
	answer := w.yes(request, user.ID)
	answer.Allowed = nil
	w.Must(w.Store.AnswerDevice(w.Ctx(), w.Act(), answer))
	got, err := w.Store.FindDevice(w.Ctx(), request.Hash)
	w.Must(err)
	request.DeniedAt = w.Now()
	w.Equal(request, got)
	_, err = w.Store.FindDeviceByUserCode(w.Ctx(), request.UserCode, w.Now())
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindCode(w.Ctx(), request.Hash)
	w.Refused(err, fault.NotFound, "")
	w.Audited(user.ID, "device.denied", "user.signed_in", "user.created")
}

func answerOver(w *World) {
	user := w.User()
	request := w.device(w.Client().ID)
	answer, no := w.yes(request, user.ID), w.yes(request, user.ID)
	no.Allowed = nil
	late := w.Act()
	late.At = request.ExpiresAt
	w.Refused(w.Store.AnswerDevice(w.Ctx(), late, answer), fault.Gone, storage.ReasonRequestOver)
	w.Must(w.Store.AnswerDevice(w.Ctx(), w.Act(), no))
	w.Refused(w.Store.AnswerDevice(w.Ctx(), w.Act(), answer), fault.Gone, storage.ReasonRequestOver)
	w.Refused(w.Store.AnswerDevice(w.Ctx(), w.Act(), no), fault.Gone, storage.ReasonRequestOver)
	answer.Code.Hash = []byte("unknown")
	w.Refused(w.Store.AnswerDevice(w.Ctx(), w.Act(), answer), fault.Gone, storage.ReasonRequestOver)
}

func answerSignedOut(w *World) {
	user := w.User()
	request := w.device(w.Client().ID)
	answer := w.yes(request, user.ID)
	answer.Code.SessionID = w.Session(w.User().ID).ID
	w.Refused(w.Store.AnswerDevice(w.Ctx(), w.Act(), answer), fault.Gone, storage.ReasonSessionOver)
	_, err := w.Store.FindDeviceByUserCode(w.Ctx(), request.UserCode, w.Now())
	w.Must(err)
}

func raceAnswer(w *World) {
	user := w.User()
	answer := w.yes(w.device(w.Client().ID), user.ID)
	results := w.race(racers, func(store storage.Identity, i int) error {
		mine := answer
		if i%2 == 0 {
			mine.Allowed = nil
		}
		return store.AnswerDevice(w.Ctx(), w.Act(), mine)
	})
	w.oneWins(results, fault.Gone, storage.ReasonRequestOver)
}

func raceDevice(w *World) {
	user := w.User()
	answer := w.yes(w.device(w.Client().ID), user.ID)
	w.Must(w.Store.AnswerDevice(w.Ctx(), w.Act(), answer))
	results := w.race(racers, func(store storage.Identity, _ int) error {
		return store.RedeemCode(w.Ctx(), w.Act(), answer.Code.Hash, w.grantOf(answer.Code))
	})
	w.oneWins(results, fault.Gone, storage.ReasonSpent)
	grant, err := w.Store.FindGrant(w.Ctx(), answer.Code.GrantID)
	w.Must(err)
	w.Equal(true, grant.RevokedAt.IsZero())
}
