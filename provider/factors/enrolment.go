package factors

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Enrolment is an authenticator that nobody has yet.
type Enrolment struct {
	Token  string // stands for it in the address of its form
	Secret string // as people type it
	URI    string // as authenticator apps read it
	secret []byte
}

const (
	enrolmentLabel = "enrolment of an authenticator"
	enrolmentLife  = time.Hour
)

// Begin returns the enrolment that the token stands for, if it is one of the
// user's and not over, or else a new one.
func (f *Factors) Begin(user storage.User, token string) Enrolment {
	now := f.with.Ambient.Now()
	secret, ok := f.open(user.ID, token, now)
	if !ok {
		secret = f.with.Ambient.Bytes(secretBytes)
		until := binary.BigEndian.AppendUint64(nil, uint64(now.Add(enrolmentLife).Unix()))
		token = base64.RawURLEncoding.EncodeToString(f.with.Ring.Seal(enrolmentLabel,
			append(until, secret...), []byte(user.ID)))
	}
	return Enrolment{Token: token, Secret: text(secret), URI: keyURI(f.with.Name(), user.Email, secret), secret: secret}
}

func (f *Factors) open(userID, token string, now time.Time) (secret []byte, ok bool) {
	box, err := sealing.Decode(token)
	if err != nil {
		return nil, false
	}
	plain, _, err := f.with.Ring.Open(enrolmentLabel, box, []byte(userID))
	if err != nil || now.Unix() > int64(binary.BigEndian.Uint64(plain)) {
		return nil, false
	}
	return plain[8:], true
}

// Enrol gives the session's user the authenticator that the enrolment is about,
// when code is one of its, and returns recovery codes if it is their first factor:
// nobody can read them again. The session is one of two factors then; all others
// of the user end, and all tokens. Invalid (ReasonWrongCode), TooMany, Conflict
// (storage.ReasonHasFactor).
func (f *Factors) Enrol(ctx context.Context, act storage.Act, user storage.User, session storage.LoginSession,
	e Enrolment, code string) ([]string, error) {
	return f.enrol(ctx, act, user, session, storage.Proof{}, e, code)
}

func (f *Factors) enrol(ctx context.Context, act storage.Act, user storage.User, session storage.LoginSession,
	proof storage.Proof, e Enrolment, code string) ([]string, error) {
	key, err := f.count(ctx, user.ID)
	if err != nil {
		return nil, err
	}
	step, ok := stepOf(e.secret, textkey.Code(code), act.At)
	if !ok {
		return nil, wrongCode()
	}
	if err := f.with.Store.ForgetTries(ctx, key); err != nil {
		return nil, err
	}
	codes, hashes := f.newCodes(user.ID)
	act.Mails = append(act.Mails, f.letter(act, user, templates.LetterFactorAdded, texts.Say("security.authenticator")))
	first, err := f.with.Store.AddAuthenticator(ctx, act, storage.Authenticator{
		UserID: user.ID, Secret: f.with.Ring.Seal(secretLabel, e.secret, []byte(user.ID)), LastStep: step, CreatedAt: act.At,
	}, hashes, strengthened(session, "otp"), proof)
	return ifFirst(first, codes), err
}

// Offer returns the enrolment that the token stands for, or a new one, to be shown.
func (f *Factors) Offer(user storage.User, token string) (templates.Offer, error) {
	e := f.Begin(user, token)
	code, err := picture(e.URI)
	return templates.Offer{Token: e.Token, Secret: e.Secret, QR: code}, err
}

// TakeOffer is Enrol for somebody who signs in, whose first factor it is, by the proof so
// far: Gone when that counts no more. It returns the page with their recovery codes, which
// leads on.
func (f *Factors) TakeOffer(ctx context.Context, act storage.Act, user storage.User, proof storage.Proof, token, code,
	then string) (templates.RevealPage, error) {
	codes, err := f.enrol(ctx, act, user, storage.LoginSession{}, proof, f.Begin(user, token), code)
	return revealed(texts.Say("security.added"), codes, then), err
}

// revealed is the page with recovery codes.
func revealed(heading texts.Text, codes []string, then string) templates.RevealPage {
	return templates.RevealPage{
		Heading: heading, Lead: texts.Say("security.codes-lead"),
		Items: []templates.Revealed{{
			ID: "recovery-codes", Label: texts.Say("security.codes"), Value: strings.Join(codes, "\n"), Lines: true,
		}},
		Next: templates.Link{URL: then, Text: texts.Say("security.kept")},
	}
}

// strengthened is a session in which a factor was added: it was proven too.
func strengthened(session storage.LoginSession, by ...string) storage.LoginSession {
	session.ACR = storage.ACRTwoFactors
	session.AMR = slices.Clone(session.AMR)
	for _, one := range append(by, "mfa") {
		if !slices.Contains(session.AMR, one) {
			session.AMR = append(session.AMR, one)
		}
	}
	return session
}

// ifFirst returns the recovery codes that came with a first factor.
func ifFirst(first bool, codes []string) []string {
	if !first {
		return nil
	}
	return codes
}
