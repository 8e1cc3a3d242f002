package provider

import (
	"context"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
)

// atDirectory is the judging of passwords that directories know.
type atDirectory struct{ *Provider }

// judge asks a directory, after the work of a password that is kept here: how long it
// takes tells nobody where the name is known, and nobody waits in the queue of hashes for
// a directory.
func (p atDirectory) judge(ctx context.Context, typed storage.Typed, one try) (websession.SignIn, bool, error) {
	s, asked, err := p.directories.Judge(ctx, typed,
		func() error { return p.passwords.VerifyNothing(ctx, typed.Password) })
	if !asked {
		return s, false, err
	}
	if err != nil {
		return s, true, p.failed(ctx, typed.User, err)
	}
	hash, err := p.store.FindPasswordHash(ctx, s.User.ID)
	if err != nil {
		return s, true, err
	}
	s.Proof.Password, s.Proof.TwoFactor = storage.PasswordDigest(hash), s.User.TwoFactor
	return s, true, p.attempts.succeeded(ctx, one)
}

// missed is the answer to a password that is kept here and was not it: an unknown name's,
// also where a directory is slow or can't be asked.
func (p atDirectory) missed(ctx context.Context, typed storage.Typed) error {
	return p.failed(ctx, typed.User, p.directories.Miss(ctx, typed))
}

// failed notes a try that failed. It counts, whether a directory could be asked or not:
// tries that are free would be hashes for nothing.
func (p atDirectory) failed(ctx context.Context, user storage.User, err error) error {
	if !fault.Is(err, fault.Unauthenticated) && !fault.Is(err, fault.Unavailable) {
		return err
	}
	noted := p.failedSignIn(ctx, user)
	if fault.Is(err, fault.Unavailable) && fault.Is(noted, fault.Unauthenticated) {
		return err
	}
	return noted
}

// refused serves the sign-in page to somebody whom a directory refuses or can't judge;
// the other ways to sign in stand on it.
func (p atDirectory) refused(w http.ResponseWriter, r *http.Request, v visit, f *fault.Error) error {
	status := http.StatusForbidden
	if f.Kind == fault.Unavailable {
		status = http.StatusServiceUnavailable
	}
	v.page.Error = webpage.Detail(f)
	return p.loginPage(w, r, status, v)
}

func ofDirectory(f *fault.Error) bool { return strings.HasPrefix(f.Reason, DirectoryReasons) }
