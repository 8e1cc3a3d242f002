package directory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
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
	meanwhile func()) (s websession.SignIn, asked bool, err error) {
	all, must, err := d.asked(ctx, t)
	if err != nil || len(all) == 0 {
		return s, false, err
	}
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(meanwhile)
	if t.Unseen || !bindable(t.Password) {
		return s, true, errWrong
	}
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	for _, upstream := range all {
		one, err := d.open(upstream)
		if err != nil {
			return s, true, err
		}
		s, err := one.judge(ctx, t, must)
		if !errIs(err, errNobody) {
			return s, true, err
		}
	}
	return s, true, errWrong
}

// asked returns the directories that are asked in this order, and the identity that the
// person must turn out to have. Who is connected to a directory is judged there alone, an
// account without is judged here unless all people of its domain sign in there, and an
// unknown name is looked for wherever it may be. Administrators with a password here are
// judged here: a broken directory must be mendable.
func (d *Directories) asked(ctx context.Context,
	t storage.Typed) ([]storage.Upstream, storage.UpstreamIdentity, error) {
	var none storage.UpstreamIdentity
	all, err := d.enabled(ctx)
	if err != nil || len(all) == 0 || t.User.Admin && t.HasHash {
		return nil, none, err
	}
	if t.User.ID == "" {
		return slices.DeleteFunc(all, func(u storage.Upstream) bool { return !isFor(u, t.Login) }), none, nil
	}
	mine, err := d.with.Store.ListIdentities(ctx, t.User.ID)
	if err != nil {
		return nil, none, err
	}
	for _, identity := range mine {
		for _, upstream := range all {
			if upstream.ID == identity.UpstreamID {
				return []storage.Upstream{upstream}, identity, nil
			}
		}
	}
	return slices.DeleteFunc(all, func(u storage.Upstream) bool {
		return !u.Exclusive || !slices.Contains(u.Domains, domainOf(t.User.Email))
	}), none, nil
}

// judge asks one directory. An unknown name costs what a known one does.
func (d directory) judge(ctx context.Context, t storage.Typed,
	must storage.UpstreamIdentity) (websession.SignIn, error) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	default:
		return websession.SignIn{}, errBusy
	}
	who, found, err := d.find(ctx, strings.TrimSpace(t.Login))
	if err != nil {
		return websession.SignIn{}, d.told(ctx, err)
	}
	known := found && (must.UpstreamID == "" || must.Subject == who.subject && must.Issuer == d.config.Subject)
	room, key := known, d.tryKey(who.subject)
	if known {
		room, err = d.with.Store.CountTry(ctx, key, d.with.Ambient.Now(), subjectBurst, subjectEvery)
		if err != nil {
			return websession.SignIn{}, err
		}
	}
	if !room {
		_, err := d.prove(ctx, "cn="+d.with.Ambient.UID()+","+d.config.Base, d.with.Ambient.Token())
		if err == nil && !known {
			err = errNobody
		}
		return websession.SignIn{}, orWrong(d.told(ctx, err))
	}
	said, err := d.prove(ctx, who.dn, t.Password)
	if err != nil {
		return websession.SignIn{}, errors.Join(d.told(ctx, err), d.with.Store.ReturnTry(ctx, key, subjectEvery))
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

func orWrong(err error) error {
	if err == nil {
		return errWrong
	}
	return err
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

// told notes what an administrator has to know.
func (d directory) told(ctx context.Context, err error) error {
	if fault.Is(err, fault.Unavailable) {
		d.with.Log.WarnContext(ctx, "a directory can't be asked", "directory", d.ID, "cause", fault.From(err).Unwrap())
	}
	return err
}
