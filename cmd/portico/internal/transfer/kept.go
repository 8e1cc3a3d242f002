package transfer

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/portico-id/portico/internal/ambient"
)

// Kept gives the tokens of a sign-in, and renews them.
type Kept struct {
	File    string
	Ambient *ambient.Source

	mu sync.Mutex
}

// Token implements Tokens. Who is signed out meanwhile, or signed in at another server,
// has none for this one.
func (k *Kept) Token(ctx context.Context, client *http.Client, base *url.URL, spent string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s, err := k.read(base); err != nil || k.good(s, spent) {
		return s.Access, err
	}
	unlock, err := lock(k.File + ".lock")
	if err != nil {
		return "", refusal("%s", err)
	}
	defer unlock()
	s, err := k.read(base) // another command may have renewed it while this one waited
	if err != nil || k.good(s, spent) {
		return s.Access, err
	}
	return k.renew(ctx, client, base, s)
}

func (k *Kept) good(s SignedIn, spent string) bool {
	return s.Access != spent && k.Ambient.Now().Before(s.Ends)
}

func (k *Kept) read(base *url.URL) (SignedIn, error) {
	s, found, err := ReadSignedIn(k.File)
	if err != nil {
		return s, refusal("%s", err)
	}
	if at, err := parseServer(s.Server); !found || err != nil || *at != *base {
		return SignedIn{}, refusal("nobody is signed in at %s: run portico login", base)
	}
	return s, nil
}

// renew spends the refresh token. A file that can't be written ends the command: the
// next one would come with a token that was used.
func (k *Kept) renew(ctx context.Context, client *http.Client, base *url.URL, s SignedIn) (string, error) {
	answer, err := ask(ctx, client, tokenURL(base),
		url.Values{"grant_type": {"refresh_token"}, "refresh_token": {s.Refresh}, "client_id": {s.ClientID}})
	switch {
	case err != nil:
		return "", err
	case answer.Error == "invalid_grant":
		return "", refusal("the sign-in is over: run portico login")
	case answer.Access == "":
		return "", answer.refused()
	}
	s = answer.kept(s, k.Ambient.Now())
	if err := s.Write(k.File); err != nil {
		return "", refusal("the sign-in can't be kept: %s", err)
	}
	return s.Access, nil
}
