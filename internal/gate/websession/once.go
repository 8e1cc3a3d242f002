package websession

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// A form acts once however often it is sent: by a second click on a slow line, by
// a reload, by a browser that tries again. Each form that we show has a token of
// its own in its address, and sent with something else in it, after going back, it is
// another. Whoever sends it first carries it out, to the end even
// if nobody waits for the answer any more; everybody else waits for that and is
// sent where the first was sent. What the form makes known is not in its answer:
// it is sealed, and shown once on the page that the answer leads to.

// Limits of a form that was sent.
const (
	formSlack = 20 * time.Second       // after its limit, until nobody carries it out any more
	formPoll  = 100 * time.Millisecond // between two looks whether it was
	shownLife = 5 * time.Minute        // of a page that is shown once
)

const (
	shownPath     = "/shown/"
	shownVariable = "form"
	shownLabel    = "shown once"
	turnLabel     = "turn of "
)

// reasonUnknown is the reason of the fault of a form that may have acted.
const reasonUnknown = "form_unknown"

// Sealed are the labels under which something is kept.
func Sealed() map[storage.SealedColumn][]string {
	return map[storage.SealedColumn][]string{storage.SealedForms: {shownLabel, parkedLabel}}
}

// once is a form under way.
type once struct {
	gate  *Gate
	token string
	form  storage.SentForm
}

// Form serves a form that only our own pages may send, and carries it out once,
// for whom it was shown to. When their sign-in is over the form waits until they
// have signed in; from a browser that nobody knows it is Unauthenticated with
// ReasonSignInFirst.
func (g *Gate) Form(page Page) httpio.Endpoint { return g.form(page, false) }

func (g *Gate) form(page Page, grave bool) httpio.Endpoint {
	page = g.judge(page)
	return g.protected(g.sent(grave || g.admins, func(w http.ResponseWriter, r *http.Request, v Visit) error {
		return g.filledIn(w, r, v, httpio.MaxHeld, page)
	}))
}

// Stream serves a form with files, which takes as long as its bytes take to come,
// and what a script of a page sends. It is served each time that it is sent: what it
// does must be the same thing then.
func (g *Gate) Stream(page Page) httpio.Endpoint { return g.protected(g.sent(false, g.judge(page))) }

// sent serves a form of somebody who is known here. What is refused, and whose sign-in is
// over, is taken to its end all the same, or the browser would show that the connection broke.
func (g *Gate) sent(grave bool, page Page) httpio.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		visit, signedIn, err := g.sessions.visit(r)
		if err != nil {
			return err
		}
		if !signedIn && g.sessions.KnownBrowser(r, r.URL.Query().Get(FormPerson)) == "" {
			return fault.New(fault.Unauthenticated, ReasonSignInFirst,
				"Nobody is signed in here any more, so nothing was changed.")
		}
		err = g.let(w, r, visit, grave, page)
		httpio.PassOver(w, r)
		return err
	}
}

// let lets a form through to whom it was shown. A visit of nobody is of one who was signed in.
func (g *Gate) let(w http.ResponseWriter, r *http.Request, visit Visit, grave bool, page Page) error {
	by := r.URL.Query().Get(FormPerson)
	switch {
	case visit.UserID == "":
		return g.wait(w, r, by, false)
	case by != "" && by != visit.UserID:
		return fault.New(fault.Conflict, ReasonAnother,
			"Somebody else is signed in here now than when this form was shown, so nothing was changed.")
	case grave && !visit.recent():
		return g.wait(w, r, visit.UserID, true)
	}
	return page(w, r, visit)
}

// ReasonAnother is the reason of the Conflict fault of a form that was shown to
// somebody else.
const ReasonAnother = "another_person"

// wait lets the form wait until the person has signed in.
func (g *Gate) wait(w http.ResponseWriter, r *http.Request, person string, again bool) error {
	to, err := g.sessions.park(w, r, person)
	if err != nil {
		return err
	}
	return signInFirst(w, r, to, again)
}

// Open serves a form of people who need not be signed in, as Form does. It has no file: of
// nobody's bytes we keep no more than a form of texts has.
func (g *Gate) Open(form httpio.Handler) httpio.Endpoint {
	return g.protected(func(w http.ResponseWriter, r *http.Request) error {
		page := func(w http.ResponseWriter, r *http.Request, _ Visit) error { return form(w, r) }
		return g.filledIn(w, r, Visit{}, httpio.MaxForm, page)
	})
}

// filledIn is Once of the request's form as it was filled in: browsers that go back show
// the form as it was, token and all, and what is typed then is another matter. What of it
// arrives when the browser breaks off, for another click, is nothing that was typed.
func (g *Gate) filledIn(w http.ResponseWriter, r *http.Request, v Visit, most int64, page Page) error {
	token := r.URL.Query().Get(FormToken)
	if token == "" {
		return g.Once(w, r, v, "", page)
	}
	turn, whole := httpio.Held(w, r, most)
	if !whole { // which ended its context: who still waits is to be told why
		ctx, done := context.WithTimeout(context.WithoutCancel(r.Context()), g.sessions.limit)
		defer done()
		return g.Once(w, r.WithContext(ctx), v, "", page)
	}
	if v.ID != "" { // of nobody what comes to nothing leaves nothing behind
		var err error
		if turn, err = g.turn(r, v.ID, token, turn); err != nil {
			return err
		}
	}
	return g.Once(w, r, v, token+turn, page)
}

// turn is Turn of a form of the session, which is another one, too, when another form of the
// same thing was sent before it: Enable before a Disable that somebody goes back to, a
// level before the one that is on the page before, what adds somebody before what removes them,
// and what makes a group before what deletes that.
func (g *Gate) turn(r *http.Request, sessionID, token, held string) (string, error) {
	turn, err := g.Turn(r.Context(), sessionID, token, held)
	if err != nil {
		return turn, err
	}
	thing, list := about(r)
	sent, err := g.Turn(r.Context(), sessionID, thing, token+turn)
	if err == nil && list != thing {
		_, err = g.Turn(r.Context(), sessionID, list, token+turn)
	}
	return turn + sent, err
}

// about says which thing a form is about, such as /apps/ID, and among which that is: as much of
// its address as leads to the first id, and the first two steps before that. A form without
// an id is about all of these, such as /admin/groups of a new one.
func about(r *http.Request) (thing, list string) {
	id := slices.IndexFunc(strings.Split(httpio.From(r.Context()).Route, "/"),
		func(step string) bool { return strings.HasPrefix(step, "{") })
	steps := strings.Split(strings.TrimSuffix(r.URL.EscapedPath(), "/new"), "/")
	if id < 0 {
		id = len(steps)
	}
	list = strings.Join(steps[:min(id, len(steps), 3)], "/")
	if id >= len(steps) {
		return list, list
	}
	return strings.Join(steps[:id+1], "/"), list
}

// Turn names what somebody, or their session, sends with a token, and is another one each
// time that this is not what came before: who sends one thing, then another, and the first
// once more, has that done once more. What is kept tells nobody what was typed.
func (g *Gate) Turn(ctx context.Context, who, token, held string) (string, error) {
	if held != "" {
		held = encode(keyOf(token, held)[:12])
	}
	store := g.sessions.store
	now := g.sessions.ambient.Now()
	last, _, err := store.TakeForm(ctx, keyOf(turnLabel+who, token), now)
	count, before, _ := strings.Cut(last.To, ".")
	if err != nil || held == before {
		return last.To, err
	}
	number, err := strconv.ParseInt(count, 10, 64)
	if err != nil { // the first, or the first of another day: what came of those before is known still
		number = last.At.UnixMilli()
	}
	last.To = strconv.FormatInt(number+1, 10) + "." + held
	last.At = now // it is known for as long as what came of it
	return last.To, store.KeepForm(ctx, last)
}

// protected is an endpoint that no other site can make a browser ask for.
func (g *Gate) protected(form httpio.Handler) httpio.Endpoint {
	return httpio.Endpoint{Handler: g.protect(httpio.Handle(g.writeError, form))}
}

// Once lets the page act for the form with the token, unless it did before.
// Without a token nobody can tell that the form is sent again.
func (g *Gate) Once(w http.ResponseWriter, r *http.Request, v Visit, token string, page Page) error {
	if token == "" {
		token = g.sessions.ambient.Token()
	}
	form, mine, err := g.take(w, r, keyOf(v.ID, token))
	if err != nil {
		return err
	}
	o := &once{gate: g, token: token, form: form}
	if !mine {
		return o.goOn(w, r)
	}
	v.show, v.left = o.show, r.Context().Done()
	return o.carryOut(w, r, func(w http.ResponseWriter, r *http.Request) error { return page(w, r, v) })
}

// OnceAs is Once for a form by which the person signs in: what it makes known is
// shown to them.
func (g *Gate) OnceAs(w http.ResponseWriter, r *http.Request, userID string, page Page) error {
	v := Visit{}
	v.ID = signingIn(userID)
	return g.Once(w, r, v, r.URL.Query().Get(FormToken), page)
}

// signingIn stands for the session of somebody who has none yet.
func signingIn(userID string) string { return "signing in " + userID }

// take waits while somebody else carries the form out, as long as they take their time for it.
func (g *Gate) take(w http.ResponseWriter, r *http.Request, key []byte) (storage.SentForm, bool, error) {
	ctx := r.Context()
	for last := (storage.SentForm{}); ; {
		now := g.sessions.ambient.Now()
		form, mine, err := g.sessions.store.TakeForm(ctx, key, now)
		if err != nil || mine || form.To != "" {
			return form, mine, err
		}
		if last.Key != nil && !form.At.Equal(last.At) {
			httpio.AtLeisure(w)
		}
		last = form
		// What began further ahead did so by a clock that was wrong.
		if age := now.Sub(form.At); age > g.sessions.limit+formSlack || age < -storage.ClocksApart {
			return form, false, fault.New(fault.Conflict, reasonUnknown,
				"This was sent before, and the server stopped while it was being done. Look whether it was done, and send it again from the page if it was not.")
		}
		select {
		case <-ctx.Done():
			return form, false, ctx.Err()
		case <-time.After(formPoll):
		}
	}
}

// carryOut lets the page act and notes where it sends the browser. One that sends
// it nowhere, such as a form with a mistake in it, may be sent again. It is carried out
// within its limit, unless the page lifts that as it lifts any (httpio.AtLeisure).
func (o *once) carryOut(w http.ResponseWriter, r *http.Request, page httpio.Handler) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	defer cancel(nil)
	limit := time.AfterFunc(o.gate.sessions.limit, func() { cancel(context.DeadlineExceeded) })
	defer limit.Stop()
	to, err := o.act(w, r.WithContext(ctx), limit, page)
	// What came of it is noted though its time is over.
	noted, done := context.WithTimeout(context.WithoutCancel(ctx), formSlack/2)
	defer done()
	store := o.gate.sessions.store
	if errors.Is(err, storage.ErrUnsure) { // whoever sends it again is told that at once, too
		o.form.At = o.form.At.Add(-o.gate.sessions.limit - formSlack - time.Second)
		_ = store.KeepForm(noted, o.form)
		return fault.New(fault.Unavailable, reasonUnknown,
			"The database does not say whether this was kept. Look whether it was done, and send it again from the page if it was not.").
			Because(err)
	}
	if err != nil || to == "" {
		if failed := store.DropForm(noted, o.form.Key); err == nil {
			err = failed
		}
		return err
	}
	o.form.To = to
	if err := store.KeepForm(noted, o.form); err != nil {
		return err
	}
	return o.goOn(w, r)
}

// act lets the page act, and returns where it sends the browser.
func (o *once) act(w http.ResponseWriter, r *http.Request, limit *time.Timer, page httpio.Handler) (string, error) {
	var beats sync.WaitGroup
	defer beats.Wait()
	done := make(chan struct{})
	defer close(done)
	answer := &answer{ResponseWriter: w, lift: func() {
		if limit.Stop() {
			beats.Go(func() { o.beat(r.Context(), done) })
		}
	}}
	err := page(answer, r)
	return answer.to, err
}

// beat notes until it is done that the form is at work still, for whoever waits for that.
func (o *once) beat(ctx context.Context, done <-chan struct{}) {
	m := o.gate.sessions
	tick := time.NewTicker(m.limit / 4)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C: // if that fails there is a next time
			_ = m.store.KeepForm(ctx, storage.SentForm{Key: o.form.Key, At: m.ambient.Now()})
		}
	}
}

// goOn sends the browser to where the form leads.
func (o *once) goOn(w http.ResponseWriter, r *http.Request) error {
	to := o.form.To
	if !o.form.PageUntil.IsZero() {
		to = shownPath + o.token
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// answer holds back where a page sends the browser, until that is kept.
type answer struct {
	http.ResponseWriter
	to   string
	lift func() // the limit of the form
}

// SetWriteDeadline is for http.ResponseController.
func (a *answer) SetWriteDeadline(deadline time.Time) error {
	if deadline.IsZero() {
		a.lift()
	}
	return http.NewResponseController(a.ResponseWriter).SetWriteDeadline(deadline)
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if status == http.StatusSeeOther {
		a.to = a.Header().Get("Location")
		return
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(body []byte) (int, error) {
	if a.to != "" {
		return len(body), nil
	}
	return a.ResponseWriter.Write(body)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// show seals the page, and keeps it with the form.
func (o *once) show(w http.ResponseWriter, r *http.Request, page any, then string) error {
	text, err := json.Marshal(page)
	if err != nil {
		return err
	}
	m := o.gate.sessions
	o.form.Page = m.ring.Seal(shownLabel, text, o.form.Key)
	o.form.PageUntil = m.ambient.Now().Add(shownLife)
	http.Redirect(w, r, then, http.StatusSeeOther)
	return nil
}

// Shown is a page that a form of the visitor leads to.
type Shown struct {
	Page  []byte // JSON of what Visit.Show was given; nil: its time is over
	Again bool   // it was shown before
	Then  string // where it leads on to
}

// Shown serves the addresses of pages that are shown once.
func (g *Gate) Shown(page func(w http.ResponseWriter, r *http.Request, v Visit, s Shown) error) httpio.Endpoint {
	return g.Show(func(w http.ResponseWriter, r *http.Request, v Visit) error {
		if r.Method == http.MethodHead { // shows nothing, so it uses nothing up
			w.Header().Set("Cache-Control", "no-store")
			return nil
		}
		token, err := httpio.PathID(r, shownVariable)
		if err != nil {
			return err
		}
		m := g.sessions
		form, err := m.store.ShowForm(r.Context(), keyOf(v.ID, token), v.Act.At)
		if fault.Is(err, fault.NotFound) {
			form, err = m.store.ShowForm(r.Context(), keyOf(signingIn(v.UserID), token), v.Act.At)
		}
		if err != nil && !fault.Is(err, fault.NotFound) { // what waits there is not over by that
			return err
		}
		if err != nil || form.PageUntil.IsZero() {
			return fault.New(fault.NotFound, "nothing_shown",
				"There is nothing to show here, or it was made in another sign-in.").Because(err)
		}
		shown := Shown{Again: form.Shown, Then: form.To}
		if form.Page != nil {
			shown.Page, _, err = m.ring.Open(shownLabel, form.Page, form.Key)
		}
		if err != nil {
			return err
		}
		return page(w, r, v, shown)
	})
}
