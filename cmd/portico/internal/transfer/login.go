package transfer

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// SignIn asks for a person as a device, has show say what they need, and waits.
func SignIn(ctx context.Context, o Options, clientID, scope string, show func(Device)) (SignedIn, error) {
	base, client, err := o.connect()
	if err != nil {
		return SignedIn{}, err
	}
	begun, err := ask(ctx, client, base.JoinPath("/authentication/v2/device_authorization").String(),
		url.Values{"client_id": {clientID}, "scope": {scope}})
	if err == nil && begun.Code == "" {
		err = begun.refused()
	}
	if err != nil {
		return SignedIn{}, err
	}
	show(begun.Device)
	answer, err := awaitPerson(ctx, o, client, tokenURL(base), begun.Device, clientID)
	return answer.kept(SignedIn{Server: base.String(), ClientID: clientID}, o.Ambient.Now()), err
}

// awaitPerson asks as often as it may until the person has decided. A server that is away
// for a while is no decision.
func awaitPerson(ctx context.Context, o Options, client *http.Client, to string, device Device,
	clientID string) (answered, error) {
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {device.Code},
		"client_id": {clientID}}
	ends := o.Ambient.Now().Add(time.Duration(device.ExpiresIn) * time.Second)
	for pause := time.Duration(max(device.Interval, 1)) * time.Second; ; {
		select {
		case <-ctx.Done():
			return answered{}, ctx.Err()
		case <-time.After(pause):
		}
		said, err := ask(ctx, client, to, form)
		refused := new(refusedError)
		switch {
		case errors.As(err, &refused), err != nil && o.Ambient.Now().After(ends):
			return said, err
		case err != nil, said.Error == "authorization_pending":
		case said.Error == "slow_down":
			pause += 5 * time.Second
		case said.Access == "" || said.Refresh == "":
			return said, said.refused()
		default:
			return said, nil
		}
	}
}

// SignOut has the server end the sign-in. It is over as well where the server does not
// know it any more.
func SignOut(ctx context.Context, o Options, s SignedIn) error {
	base, client, err := o.connect()
	if err != nil {
		return err
	}
	said, err := ask(ctx, client, base.JoinPath("/authentication/v2/revoke").String(),
		url.Values{"token": {s.Refresh}, "token_type_hint": {"refresh_token"}, "client_id": {s.ClientID}})
	if err == nil && said.Error != "" && said.Error != "invalid_client" {
		err = said.refused()
	}
	return err
}

// Replace keeps a new sign-in, and ends the one that was kept, which nobody could end
// later: or the new one itself, when it can't be kept. It waits for a command that is
// renewing the one before. What it could not end goes on at the server that it returns.
func (s SignedIn) Replace(ctx context.Context, file string) (left string, err error) {
	before, found, err := s.take(file)
	if err != nil {
		return "", errors.Join(err, SignOut(ctx, Options{Server: s.Server}, s))
	}
	if found && SignOut(ctx, Options{Server: before.Server}, before) != nil {
		left = before.Server
	}
	return left, nil
}

// take puts the sign-in into the file, and returns the one that was there.
func (s SignedIn) take(file string) (before SignedIn, found bool, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return before, false, err
	}
	unlock, err := lock(file + ".lock")
	if err != nil {
		return before, false, err
	}
	defer unlock()
	before, found, err = ReadSignedIn(file)
	return before, found && err == nil, s.Write(file)
}
