package factors

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/internal/webauthn"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// A challenge is nothing that is kept: it says until when it is good, and is
// sealed together with whom it was given to. Once it was answered it is noted.
const (
	challengeLabel = "passkey challenge"
	challengeBody  = 24 // random bytes, and the end
	challengeLife  = time.Hour
)

func (f *Factors) challenge(to string) string {
	until := f.with.Ambient.Now().Add(challengeLife)
	body := binary.BigEndian.AppendUint64(f.with.Ambient.Bytes(challengeBody-8), uint64(until.Unix()))
	return base64.RawURLEncoding.EncodeToString(append(body, f.with.Ring.MAC(challengeLabel, body, []byte(to))...))
}

// spendChallenge takes a challenge that was given to somebody, of those who bring
// it at once from one. False: it is none, or was taken.
func (f *Factors) spendChallenge(ctx context.Context, to, challenge string) (bool, error) {
	raw, err := sealing.Decode(challenge)
	now := f.with.Ambient.Now()
	if err != nil || len(raw) <= challengeBody {
		return false, nil
	}
	body := raw[:challengeBody]
	if !f.with.Ring.CheckMAC(challengeLabel, raw[challengeBody:], body, []byte(to)) ||
		now.Unix() > int64(binary.BigEndian.Uint64(body[challengeBody-8:])) {
		return false, nil
	}
	_, fresh, err := f.with.Store.TakeForm(ctx, f.with.Ring.MAC(challengeLabel, body), now)
	return fresh, err
}

// AskPasskey returns what a page asks for a passkey with: one of these, or any
// when there are none. The answer is good for an hour, once, and from whom it was
// asked. Nothing where browsers keep no passkeys.
func (f *Factors) AskPasskey(from string, passkeys []storage.Passkey) templates.PasskeyAsk {
	if !f.keeps {
		return templates.PasskeyAsk{}
	}
	ask := templates.PasskeyAsk{Challenge: f.challenge(from), Party: f.party.ID}
	for _, p := range passkeys {
		ask.Credentials = append(ask.Credentials, base64.RawURLEncoding.EncodeToString(p.Credential))
	}
	return ask
}

// ProvePasskey judges the answer of a browser, and returns the passkey that gave
// it. Invalid (ReasonWrongPasskey) whatever is wrong with it.
func (f *Factors) ProvePasskey(ctx context.Context, act storage.Act, from, answer string) (storage.Passkey, error) {
	a, err := webauthn.Parse(answer)
	if err != nil || !f.keeps {
		return storage.Passkey{}, wrongPasskey().Because(err)
	}
	p, err := f.with.Store.FindPasskey(ctx, a.ID)
	if fault.Is(err, fault.NotFound) {
		return p, f.refused(ctx, act, "", wrongPasskey().Because(err))
	}
	if err != nil {
		return p, err
	}
	return p, f.usePasskey(ctx, act, from, p, a)
}

func (f *Factors) usePasskey(ctx context.Context, act storage.Act, from string, p storage.Passkey,
	a webauthn.Answer) error {
	challenge := challengeIn(a)
	counter, err := f.party.Verify(challenge, p.PublicKey, a)
	if err != nil || len(a.User) > 0 && string(a.User) != p.UserID {
		return f.refused(ctx, act, p.UserID, wrongPasskey().Because(err))
	}
	fresh, err := f.spendChallenge(ctx, from, challenge)
	if err != nil {
		return err
	}
	if !fresh {
		return f.refused(ctx, act, p.UserID, wrongPasskey())
	}
	err = f.with.Store.UsePasskey(ctx, p.ID, int64(counter), act.At)
	if fault.HasReason(err, storage.ReasonSpent) { // a copy of the key is about, or it was just removed
		return f.refused(ctx, act, p.UserID, wrongPasskey().Because(err))
	}
	return err
}

// challengeIn returns the challenge that the browser says it answers.
func challengeIn(a webauthn.Answer) string {
	var said struct {
		Challenge string `json:"challenge"`
	}
	_ = json.Unmarshal(a.ClientData, &said) // what is none is refused with the rest
	return said.Challenge
}

func wrongPasskey() *fault.Error {
	return fault.New(fault.Invalid, ReasonWrongPasskey,
		"The passkey was not accepted. Load the page again and try once more, or choose another way.").At(FieldPasskey)
}

// AskForNew returns what a page has a passkey made with, in the session.
func (f *Factors) AskForNew(ctx context.Context, user storage.User, sessionID string) (templates.PasskeyAsk, error) {
	return f.askForNew(ctx, user, inSession(sessionID))
}

// OfferPasskey is AskForNew for somebody who signs in, in the browser.
func (f *Factors) OfferPasskey(ctx context.Context, user storage.User, browser string) (templates.PasskeyAsk, error) {
	return f.askForNew(ctx, user, signingIn(user, browser))
}

func (f *Factors) askForNew(ctx context.Context, user storage.User, from string) (templates.PasskeyAsk, error) {
	has, err := f.Find(ctx, user.ID)
	ask := f.AskPasskey(from, has.Passkeys)
	ask.UserID = base64.RawURLEncoding.EncodeToString([]byte(user.ID))
	ask.Account, ask.Name, ask.Algorithms = user.Email, user.Title(), webauthn.Algorithms()
	return ask, err
}

func inSession(id string) string { return "session " + id }

func signingIn(user storage.User, browser string) string {
	return "sign-in of " + user.ID + " in " + browser
}

// maxLabel is how long the name of a passkey is at most, in characters.
const maxLabel = 60

// EnrolPasskey gives the session's user the passkey that the browser has made, and
// returns recovery codes as Enrol does. Invalid (ReasonWrongPasskey,
// ReasonNoLabel), Conflict (storage.ReasonHasFactor, storage.ReasonPasskeyFull).
func (f *Factors) EnrolPasskey(ctx context.Context, act storage.Act, user storage.User, session storage.LoginSession,
	label, answer string) ([]string, error) {
	return f.enrolPasskey(ctx, act, user, session, storage.Proof{}, inSession(session.ID), label, answer)
}

// TakePasskey is EnrolPasskey for somebody who signs in, as TakeOffer is Enrol.
func (f *Factors) TakePasskey(ctx context.Context, act storage.Act, user storage.User, proof storage.Proof,
	browser string, form url.Values, then string) (templates.RevealPage, error) {
	codes, err := f.enrolPasskey(ctx, act, user, storage.LoginSession{}, proof, signingIn(user, browser),
		form.Get(FieldLabel), form.Get(FieldPasskey))
	return revealed(texts.Say("security.passkey-added"), codes, then), err
}

func (f *Factors) enrolPasskey(ctx context.Context, act storage.Act, user storage.User, session storage.LoginSession,
	proof storage.Proof, from, label, answer string) ([]string, error) {
	label = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(label, ""),
		func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }), " ")
	if textkey.Blank(label) || utf8.RuneCountInString(label) > maxLabel {
		return nil, fault.Newf(fault.Invalid, ReasonNoLabel, "Give the passkey a name of at most %d characters.",
			maxLabel).At(FieldLabel)
	}
	a, err := webauthn.Parse(answer)
	if err != nil || !f.keeps {
		return nil, wrongPasskey().Because(err)
	}
	challenge := challengeIn(a)
	counter, err := f.party.Registered(challenge, a)
	if err != nil {
		return nil, wrongPasskey().Because(err)
	}
	if fresh, err := f.spendChallenge(ctx, from, challenge); err != nil {
		return nil, err
	} else if !fresh {
		return nil, wrongPasskey()
	}
	codes, hashes := f.newCodes(user.ID)
	act.Mails = append(act.Mails, f.letter(act, user, templates.LetterFactorAdded, passkeyNamed(label)))
	first, err := f.with.Store.AddPasskey(ctx, act, storage.Passkey{
		ID: f.with.Ambient.UID(), UserID: user.ID, Credential: a.ID, PublicKey: a.PublicKey, Counter: int64(counter),
		Label: label, CreatedAt: act.At,
	}, hashes, strengthened(session, "pop", "user"), proof)
	return ifFirst(first, codes), err
}

func passkeyNamed(label string) texts.Text { return texts.Say("security.passkey-named", "Name", label) }

// RemovePasskey takes a passkey of the user's own away, and ends what
// RemoveAuthenticator does. NotFound (ReasonNone); Conflict (storage.ReasonLastWayIn).
func (f *Factors) RemovePasskey(ctx context.Context, act storage.Act, user storage.User, p storage.Passkey,
	keepSession string) error {
	act.Mails = append(act.Mails, f.letter(act, user, templates.LetterFactorRemoved, passkeyNamed(p.Label)))
	return none(f.with.Store.RemovePasskey(ctx, act, user.ID, p.ID, keepSession))
}
