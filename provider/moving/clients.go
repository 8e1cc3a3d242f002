package moving

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// clientIDPattern leaves out web addresses, which are the ids of apps that say
// elsewhere what they are, and what would have to be escaped in forms.
var clientIDPattern = pattern.Of(`^[A-Za-z0-9._~@:-][A-Za-z0-9._~@/:-]{0,199}$`)

// weak is how many characters a secret has that could be guessed from its hash.
const weak = 22

func (j *judge) clients(ctx context.Context, waiting []numbered) error {
	ids := make([]string, len(waiting))
	for i, one := range waiting {
		ids[i] = one.Client.ID
	}
	found, err := j.in.FindArrivedClients(ctx, ids)
	if err != nil {
		return err
	}
	known := map[string]storage.Client{}
	for _, client := range found {
		known[client.ID] = client
	}
	for _, one := range waiting {
		if err := j.client(ctx, one, known); err != nil {
			return err
		}
	}
	return nil
}

func (j *judge) client(ctx context.Context, one numbered, known map[string]storage.Client) error {
	count, id := &j.report.Clients, one.Client.ID
	wanted, err := j.with.Client(ctx, j.wanted(*one.Client))
	var faults fault.List
	faults.Add(one.Client.check())
	faults.Add(err)
	if err := faults.Err(); err != nil {
		j.report.wrong(one.line, id, count, err)
		return nil
	}
	if before, isHere := known[id]; isHere {
		j.report.known(one.line, id, count, differing(before, wanted))
		return nil
	}
	count.New++
	switch {
	case len(wanted.Secrets) == 0 && wanted.BySecret():
		j.report.note(one.line, fmt.Sprintf("The client %s has no secret: make one.", id))
	case slices.ContainsFunc(one.Client.Secrets, func(s string) bool { return len(s) < weak }):
		j.report.note(one.line, fmt.Sprintf("The client %s has a short secret: replace it soon.", id))
	}
	return j.in.AddClient(ctx, wanted)
}

// check judges what package apps gives a client itself.
func (c Client) check() error {
	var faults fault.List
	if !clientIDPattern().MatchString(c.ID) || clientprofile.Described(c.ID) {
		faults.Add(refuse("client_id",
			"1 to 200 letters, digits and signs of . _ ~ @ / : - without accents, and no web address"))
	}
	public := (storage.Client{Type: storage.ClientType(c.Type)}).Public()
	all := len(c.Secrets) + len(c.SecretHashes)
	if all > storage.MaxClientSecrets || public && all > 0 || slices.Contains(c.Secrets, "") {
		faults.Add(refuse("client_secrets", "at most two secrets, and none for a native or spa client"))
	}
	for _, hash := range c.SecretHashes {
		faults.Add(at(password.CheckHash(hash), "client_secret_hashes"))
	}
	return faults.Err()
}

// wanted is the client that an entry would add.
func (j *judge) wanted(c Client) storage.Client {
	client := storage.Client{
		ID: c.ID, Name: cmp.Or(c.Name, c.ID), Type: storage.ClientType(c.Type),
		Profile:      cmp.Or(c.Profile, storage.ProfileStandard),
		RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs, Origins: c.Origins,
		Scopes: c.Scopes, BackchannelLogoutURI: c.BackchannelLogoutURI, LogoURI: c.LogoURI, PolicyURI: c.PolicyURI,
		TermsURI: c.TermsURI, HomeURI: c.HomeURI, RequirePKCE: c.RequirePKCE, FirstParty: c.FirstParty,
		SecondFactor: c.SecondFactor, Devices: c.Devices, Disabled: c.Disabled,
		CreatedAt: j.act.At, UpdatedAt: j.act.At,
	}
	if c.Scopes == nil && client.Type != storage.ClientService {
		client.Scopes = []string{scope.OpenID, scope.Profile, scope.Email, scope.OfflineAccess}
	}
	if c.KeysURI != "" {
		client.KeysURI, client.AuthMethod = c.KeysURI, storage.AuthPrivateKey
	}
	for _, secret := range c.Secrets {
		sum := sha256.Sum256([]byte(secret))
		client.Secrets = append(client.Secrets, storage.ClientSecret{ID: j.with.Ambient.UID(), Hash: sum[:],
			CreatedAt: j.act.At})
	}
	for _, hash := range c.SecretHashes {
		client.Secrets = append(client.Secrets, storage.ClientSecret{ID: j.with.Ambient.UID(), Hash: []byte(hash),
			CreatedAt: j.act.At})
	}
	return client
}

// told is the client as a document has it, without secrets.
func told(c storage.Client) (fields map[string]any) {
	text, _ := json.Marshal(Client{
		Name: c.Name, Type: string(c.Type), Profile: c.Profile, RedirectURIs: c.RedirectURIs,
		PostLogoutRedirectURIs: c.PostLogoutRedirectURIs, Origins: c.Origins, Scopes: c.Scopes,
		BackchannelLogoutURI: c.BackchannelLogoutURI, LogoURI: c.LogoURI, PolicyURI: c.PolicyURI, TermsURI: c.TermsURI,
		HomeURI: c.HomeURI, KeysURI: c.KeysURI, RequirePKCE: c.RequirePKCE, FirstParty: c.FirstParty,
		SecondFactor: c.SecondFactor, Devices: c.Devices, Disabled: c.Disabled,
	})
	_ = json.Unmarshal(text, &fields)
	return fields
}

// differing returns the members by which the wanted client is other than the one that
// is here. That that one has further secrets is none.
func differing(before, wanted storage.Client) (fields []string) {
	is, wants := told(before), told(wanted)
	all := maps.Clone(is)
	maps.Copy(all, wants)
	for field := range all {
		if !reflect.DeepEqual(is[field], wants[field]) {
			fields = append(fields, field)
		}
	}
	for _, secret := range wanted.Secrets {
		if secret.Foreign() != "" && len(before.Secrets) > 0 {
			continue // it may have become one of ours
		}
		same := func(s storage.ClientSecret) bool { return bytes.Equal(s.Hash, secret.Hash) }
		if !slices.ContainsFunc(before.Secrets, same) {
			fields = append(fields, "client_secrets")
			break
		}
	}
	slices.Sort(fields)
	return fields
}
