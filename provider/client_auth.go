package provider

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

type provenClientKey struct{}

// provenClient returns the client that authenticateClient has proven for this
// request. Outside of one there is none, and the framework's paths fail closed.
func provenClient(ctx context.Context) (fosite.Client, error) {
	if c, ok := ctx.Value(provenClientKey{}).(*client); ok {
		return c, nil
	}
	return nil, fosite.ErrInvalidClient
}

func withProvenClient(ctx context.Context, c *client) context.Context {
	return context.WithValue(ctx, provenClientKey{}, c)
}

// credentials are what a request says about its client.
type credentials struct {
	id, secret string
	rawID      string // the header's parts before percent-decoding
	rawSecret  string
	beside     string // a client_id in the body beside the header
	hasSecret  bool
	inHeader   bool
}

// authenticateClient proves who the client is: by an assertion, Basic header or body
// fields, never two of them (decision C3, RFC 6749 section 2.3). The call counts against the
// limit of its class, and the answer says so.
func (p *Provider) authenticateClient(w http.ResponseWriter, r *http.Request, form url.Values,
	class ratelimit.Class) (*client, error) {
	if signsAssertion(form) {
		return p.proveBySignature(w, r, form, class)
	}
	ctx := r.Context()
	given, err := readCredentials(r, form)
	if err != nil {
		return nil, p.calls.failed(ctx, w.Header(), class, "", err)
	}
	c, secret, err := p.lookUp(ctx, given)
	if err != nil {
		return nil, p.calls.failed(ctx, w.Header(), class, "", err)
	}
	used := c.secretID(p.ambient.Now(), secret, given.rawSecret)
	if used == "" && given.hasSecret {
		if used, err = (foreignSecrets{p}).proves(ctx, c, secret, given.rawSecret); err != nil {
			return nil, p.calls.failed(ctx, w.Header(), class, c.ID, err)
		}
	}
	switch {
	case c.byCertificate() && (given.inHeader || given.hasSecret):
		return nil, p.calls.failed(ctx, w.Header(), class, c.ID, errTwoPlaces)
	case c.byCertificate():
		if err := p.certificates.prove(w, r, c, class); err != nil {
			return nil, p.refuseAssertion(ctx, w, class, c, jwt.Claims{}, err)
		}
	case c.Public() && (given.hasSecret || given.inHeader && !c.profile.BasicMayJustName()):
		p.tellSecret(ctx, c, given)
		return nil, p.calls.failed(ctx, w.Header(), class, c.ID,
			errClientAuth.Because(errText("a public client sent a header or a secret")))
	case c.AuthMethod == storage.AuthPrivateKey:
		p.tell(ctx, c, storage.FailureSecret, "no client assertion", "one that a key of the app has signed")
		return nil, p.calls.failed(ctx, w.Header(), class, c.ID,
			errClientAuth.Because(errText("the client proves itself by its keys alone")))
	case !c.Public() && used == "":
		p.tellSecret(ctx, c, given)
		return nil, p.calls.failed(ctx, w.Header(), class, c.ID,
			errClientAuth.Because(errText("the secret is missing or wrong")))
	case given.beside != "" && !(c.profile.BasicMayJustName() && given.beside == c.ID):
		return nil, p.calls.failed(ctx, w.Header(), class, c.ID, errTwoPlaces)
	}
	if used != "" {
		p.watch.SecretUsed(used, p.ambient.Now())
	}
	httpio.From(ctx).ClientID = c.ID
	return c, p.calls.client(ctx, w.Header(), class, c)
}

// lookUp finds the client under its percent-decoded id, or under the raw one
// that curl users send.
func (p *Provider) lookUp(ctx context.Context, given credentials) (*client, string, error) {
	c, err := p.clients.find(ctx, given.id)
	if fault.Is(err, fault.NotFound) && given.rawID != given.id {
		c, err = p.clients.find(ctx, given.rawID)
	}
	if fault.Is(err, fault.NotFound) {
		return nil, "", errClientAuth.Because(err)
	}
	return c, given.secret, err
}

func readCredentials(r *http.Request, form url.Values) (credentials, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		id, secret := form.Get("client_id"), form.Get("client_secret")
		if id == "" {
			return credentials{}, errClientAuth.Because(errText("no client credentials"))
		}
		return credentials{id: id, rawID: id, secret: secret, rawSecret: secret, hasSecret: secret != ""}, nil
	}
	if form.Has("client_secret") {
		return credentials{}, errTwoPlaces
	}
	if len(headers) > 1 {
		return credentials{}, fault.New(fault.Invalid, "invalid_request", "There is more than one Authorization header.")
	}
	given, err := readBasic(headers[0])
	if err == nil {
		given.beside = form.Get("client_id")
	}
	return given, err
}

// readBasic reads HTTP Basic credentials. RFC 6749 section 2.3.1 has id and
// secret form-encoded before base64; the raw parts are kept for those who
// don't.
func readBasic(header string) (credentials, error) {
	refuse := func(why string) (credentials, error) {
		return credentials{}, errClientAuth.Because(errText(why))
	}
	scheme, encoded, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return refuse("the Authorization header is not Basic")
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return refuse("the Basic credentials are not base64")
	}
	id, secret, ok := strings.Cut(string(decoded), ":")
	if !ok {
		return refuse("the Basic credentials have no colon")
	}
	given := credentials{
		id: formDecoded(id), secret: formDecoded(secret),
		rawID: id, rawSecret: secret, hasSecret: secret != "", inHeader: true,
	}
	for _, part := range []string{given.id, given.secret, given.rawID, given.rawSecret} {
		if !httpio.IsText(part) { // no client's id or secret, and not to be asked of a database
			return refuse("the Basic credentials are not text")
		}
	}
	return given, nil
}

func formDecoded(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	return s
}

// secretID returns the id of the live secret that one of the texts is, or "".
// It compares against every live secret in constant time. A plain hash is
// enough for 256 random bits (decision C4).
func (c *client) secretID(now time.Time, texts ...string) string {
	id := ""
	for _, text := range texts {
		sum := sha256.Sum256([]byte(text))
		for _, live := range c.LiveSecrets(now) {
			if subtle.ConstantTimeCompare(sum[:], live.Hash) == 1 {
				id = live.ID
			}
		}
	}
	return id
}
