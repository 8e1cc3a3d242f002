package directory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// maxPassword is in bytes. Longer ones are nobody's.
const maxPassword = 1024

// bindable refuses what a directory would take for something else: a bind without a
// password succeeds for everybody (RFC 4513 §5.1.2), and some stop reading at a NUL.
func bindable(password string) bool {
	return password != "" && len(password) <= maxPassword && !strings.ContainsRune(password, 0)
}

// Judge implements provider.Directories.
func (d *Directories) Judge(ctx context.Context, t storage.Typed,
	first func() error) (s websession.SignIn, asked bool, err error) {
	at, err := d.aimAt(ctx, t)
	if err != nil || !at.asked {
		return s, false, err
	}
	if err := first(); err != nil {
		return s, true, err
	}
	s, err = d.ask(ctx, t, at)
	return s, true, err
}

// Miss implements provider.Directories.
func (d *Directories) Miss(ctx context.Context, t storage.Typed) error {
	all, err := d.enabled(ctx)
	if err != nil {
		return err
	}
	_, err = d.ask(ctx, t, aim{at: forName(all, t.Login), nobody: true})
	return err
}

// aim is which directories are asked, in this order, and who the person must turn out
// to be.
type aim struct {
	asked  bool // a password that is kept here does not count
	at     []storage.Upstream
	more   []storage.Upstream       // that an unknown name is asked of, too: as one, for the same work
	must   storage.UpstreamIdentity // of no upstream: whoever has the name
	nobody bool                     // whatever they say, it is a wrong password
}

// ask asks the directories. One that can't be asked is in nobody's way whom the next
// one knows, by their password: after a wrong one the others are asked as of an unknown
// name, whose work and answer it has.
func (d *Directories) ask(ctx context.Context, t storage.Typed, to aim) (s websession.SignIn, err error) {
	if !bindable(t.Password) {
		return s, errWrong
	}
	to.nobody = to.nobody || t.Unseen
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	answer, all := error(errWrong), slices.Concat(to.at, to.more)
	for i, upstream := range all {
		one, err := d.open(upstream)
		if err != nil {
			return s, err
		}
		to.nobody = to.nobody || i >= len(to.at)
		s, err := one.judge(ctx, t, to, signInTime/time.Duration(len(all)))
		switch {
		case fault.Is(err, fault.Unavailable):
			answer = one.told(ctx, err)
		case errIs(err, errWrong):
			to.nobody = true
		case !errIs(err, errNobody):
			return s, err
		}
	}
	return s, answer
}

// aimAt returns whom to ask. Who is connected to a directory is judged there alone, and
// nowhere while it is off; an account without is judged here unless all people of its
// domain sign in there; and an unknown name is looked for wherever it may be, as is one
// with which somebody signed up and did not come back.
// Administrators with a password here are judged here: a broken directory must be
// mendable.
func (d *Directories) aimAt(ctx context.Context, t storage.Typed) (aim, error) {
	all, err := d.all(ctx)
	if err != nil || len(all) == 0 || t.User.Admin && t.HasHash {
		return aim{}, err
	}
	if t.User.ID == "" || !t.User.EndsAt.IsZero() {
		at := forName(all, t.Login)
		return aim{asked: len(at) > 0, at: at}, nil
	}
	mine, err := d.placeOf(ctx, all, t.User.ID)
	to, judges := aim{asked: true}, func(u storage.Upstream) bool { return claims(u, t.User.Email) }
	switch {
	case err != nil:
		return aim{}, err
	case len(mine.on) > 0:
		to.must = mine.on[0]
		judges = func(u storage.Upstream) bool { return u.ID == to.must.UpstreamID }
	case len(mine.off) > 0: // the answer is an unknown name's
		return aim{asked: true, at: forName(all, t.Login), nobody: true}, nil
	}
	to.more = slices.DeleteFunc(forName(all, t.Login), judges)
	to.at = slices.DeleteFunc(all, func(u storage.Upstream) bool { return !judges(u) })
	to.asked = len(to.at) > 0
	return to, nil
}

// Claims implements provider.Directories.
func (d *Directories) Claims(ctx context.Context, user storage.User) (ids []string, err error) {
	all, err := d.all(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	for _, u := range all {
		if claims(u, user.Email) {
			ids = append(ids, u.ID)
		}
	}
	if len(ids) > 0 {
		return ids, nil
	}
	mine, err := d.placeOf(ctx, all, user.ID)
	if len(mine.on) > 0 {
		return nil, err
	}
	return mine.off, err
}

// place is to which directories somebody is connected.
type place struct {
	on  []storage.UpstreamIdentity
	off []string // ids of those that are off
}

func (d *Directories) placeOf(ctx context.Context, all []storage.Upstream, userID string) (p place, err error) {
	mine, err := d.with.Store.ListIdentities(ctx, userID)
	for _, identity := range mine {
		at := slices.IndexFunc(all, func(u storage.Upstream) bool { return u.ID == identity.UpstreamID })
		switch {
		case at < 0:
		case all[at].Disabled:
			p.off = append(p.off, identity.UpstreamID)
		default:
			p.on = append(p.on, identity)
		}
	}
	return p, err
}

// claims reports whether people with such an address sign in by the directory alone.
func claims(u storage.Upstream, address string) bool {
	return !u.Disabled && u.Exclusive && said.Within(address, u.Domains)
}

// forName returns the directories that are asked for the name.
func forName(all []storage.Upstream, name string) (at []storage.Upstream) {
	for _, u := range all {
		if !u.Disabled && (len(u.Domains) == 0 || !strings.Contains(name, "@") || said.Within(name, u.Domains)) {
			at = append(at, u)
		}
	}
	return at
}

// judge asks one directory. An unknown name costs what a known one does.
func (d directory) judge(ctx context.Context, t storage.Typed, to aim,
	within time.Duration) (websession.SignIn, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	default:
		return websession.SignIn{}, errBusy
	}
	who, found, err := d.find(ctx, strings.TrimSpace(t.Login))
	if err != nil {
		return websession.SignIn{}, err
	}
	known := found && !to.nobody &&
		(to.must.UpstreamID == "" || to.must.Subject == who.subject && to.must.Issuer == d.config.Subject)
	room, key := known, d.tryKey(who.subject)
	if known {
		room, err = d.with.Store.CountTry(ctx, key, d.with.Ambient.Now(), subjectBurst, subjectEvery)
		if err != nil {
			return websession.SignIn{}, err
		}
	}
	if !room {
		_, err := d.prove(ctx, "cn="+d.with.Ambient.UID()+","+d.config.Base, d.with.Ambient.Token())
		return websession.SignIn{}, cmp.Or(err, refusal(known))
	}
	said, err := d.prove(ctx, who.dn, t.Password)
	if err != nil {
		return websession.SignIn{}, errors.Join(err, d.with.Store.ReturnTry(ctx, key, subjectEvery))
	}
	if said == wrong {
		return websession.SignIn{}, errWrong
	}
	if err := d.with.Store.ForgetTries(ctx, key); err != nil {
		return websession.SignIn{}, err
	}
	if said == expired {
		return websession.SignIn{}, errNewPassword
	}
	return d.arrive(ctx, who)
}

// refusal is the answer where no password was passed on.
func refusal(known bool) error {
	if known {
		return errWrong
	}
	return errNobody
}

// A person of a directory has four tries under all of their names, and one more every
// five minutes: fewer than after which directories lock accounts.
const (
	subjectBurst = 4
	subjectEvery = 5 * time.Minute
	tryLabel     = "directory try"
)

func (d directory) tryKey(subject string) []byte {
	return d.with.Ring.MAC(tryLabel, []byte(d.ID+" "+subject))
}

// told notes what an administrator has to know, and is what the person is told.
func (d directory) told(ctx context.Context, err error) error {
	d.with.Log.WarnContext(ctx, "a directory can't be asked", "directory", d.ID, "cause", fault.From(err).Unwrap())
	return unsure(err)
}
