package storagetest

import (
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func clientChecks() []check {
	return []check{
		{"CreateClient adds a client that FindClient returns with every field and secret", createdClientIsFound},
		{"CreateClient refuses a taken id", takenClientIDIsRefused},
		{"FindClient returns disabled clients too", disabledClientIsFound},
		{"an absent client is NotFound to every method", absentClient},
		{"ListClients returns pages by name, with their secrets", listClients},
		{"ListClients finds name, id and owner, ignoring case and accents", listClientsSearches},
		{"ListClients with an owner keeps that owner's", listClientsOfOwner},
		{"ListClients keeps what somebody can open", listOpenable},
		{"RegisterClient adds so many clients of an owner at most", registerClients},
		{"UpdateClient replaces everything but OwnerUserID, Disabled, Secrets and CreatedAt, of what was read last",
			updateClient},
		{"SetClientDisabled revokes every grant of that client only", disableClient},
		{"SetClientDisabled repeated changes nothing", disableClientTwice},
		{"SetClientDisabled enables what a clock disabled that was ahead, for tokens from now on", disableClientAhead},
		{"DeleteClient removes the client with secrets, consents, grants and codes", deleteClient},
		{"FindPostLogoutClients returns enabled clients with exactly that URI, ordered by id", postLogoutClients},
		{"ListBrowserOrigins returns Origins of enabled clients and redirect URIs of enabled public ones", browserOrigins},
	}
}

func createdClientIsFound(w *World) {
	client := storage.Client{
		ID: w.Source.ClientID(), Name: "Näme", Type: storage.ClientService,
		Profile: storage.ProfileStandard, OwnerUserID: "U", Origin: storage.OriginToken,
		RedirectURIs: []string{"https://b", "https://a"}, PostLogoutRedirectURIs: []string{"https://c"},
		Origins: []string{"https://d"}, Scopes: []string{"z", "a"}, OptionalScopes: []string{"a"},
		DefaultScopes: []string{"z"},
		OwnClaims:     "[]",
		Vouched:       true, BackchannelLogoutURI: "https://e",
		ClientSecurity: storage.ClientSecurity{
			IDTokenAlg: "ES256", AccessTokenAlg: "PS256", AuthMethod: storage.AuthPrivateKey,
			JWKS: `{"keys":[]}`, KeysURI: "https://f", AssertionAlg: "EdDSA", LegacyAudience: true,
			ProofNeeded: true, CertificateNeeded: true, CertificateField: "g", CertificateName: "h",
			RequirePushed: true, RequireSigned: true,
		},
		ClientExchange: storage.ClientExchange{ExchangeFor: []string{"https://r"}, Impersonates: true,
			IntroducesTo: []string{"https://s c"}},
		HomeURI: "https://i", InitiateLoginURI: "https://j", SecondFactor: true,
		LeanIDToken: true, Devices: true, PlainJWT: true, RequirePKCE: true, FirstParty: true, Internal: true,
		Restricted: true, Disabled: true,
		Secrets: []storage.ClientSecret{
			{ID: "newer", Hash: []byte{1, 0, 2}, CreatedAt: w.Now(), LastUsedAt: w.Now(), Label: "k",
				EndsAt: w.Now().Add(time.Hour)},
			{ID: "older", Hash: []byte{3}, CreatedAt: w.Now()},
		},
		CreatedAt: w.Now(), UpdatedAt: w.Now().Add(time.Second),
	}
	w.Must(w.Store.CreateClient(w.Ctx(), w.Act(), client))
	got, err := w.Store.FindClient(w.Ctx(), client.ID)
	w.Must(err)
	w.Equal(client, got)
	w.Audited(client.ID, "client.created")
}

func takenClientIDIsRefused(w *World) {
	client := w.Client()
	other := client
	other.Name = "Other"
	w.Refused(w.Store.CreateClient(w.Ctx(), w.Act(), other), fault.Conflict, "")
	got, err := w.Store.FindClient(w.Ctx(), client.ID)
	w.Must(err)
	w.Equal(client, got)
}

func disabledClientIsFound(w *World) {
	client := w.Client()
	w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, true))
	got, err := w.Store.FindClient(w.Ctx(), client.ID)
	w.Must(err)
	w.Equal(true, got.Disabled)
}

func absentClient(w *World) {
	w.Client()
	ctx, act := w.Ctx(), w.Act()
	_, findErr := w.Store.FindClient(ctx, "nobody")
	for name, err := range map[string]error{
		"FindClient":   findErr,
		"UpdateClient": w.Store.UpdateClient(ctx, act, storage.Client{ID: "nobody"}),
		"AddClientSecret": w.Store.AddClientSecret(ctx, act, "nobody",
			storage.ClientSecret{ID: "s", Hash: []byte{1}, CreatedAt: w.Now()}),
		"DeleteClientSecret": w.Store.DeleteClientSecret(ctx, act, "nobody", "s"),
		"SetClientDisabled":  w.Store.SetClientDisabled(ctx, act, "nobody", true),
		"DeleteClient":       w.Store.DeleteClient(ctx, act, "nobody"),
	} {
		if !fault.Is(err, fault.NotFound) {
			w.Errorf("%s: %v, want not found", name, err)
		}
	}
}

func (w *World) ownedClient(id, owner string, secrets ...storage.ClientSecret) storage.Client {
	w.Helper()
	client := storage.Client{
		ID: id, Type: storage.ClientWeb, Profile: storage.ProfilePlatform, OwnerUserID: owner, Secrets: secrets,
		CreatedAt: w.Now(), UpdatedAt: w.Now(),
	}
	w.Must(w.Store.CreateClient(w.Ctx(), w.Act(), client))
	return client
}

// allClients reads page after page.
func (w *World) allClients(owner string, limit int) [][]storage.Client {
	w.Helper()
	var pages [][]storage.Client
	for after := ""; ; {
		page, err := w.Store.ListClients(w.Ctx(), storage.ClientFilter{Owner: owner},
			storage.PageRequest{After: after, Limit: limit})
		w.Must(err)
		pages = append(pages, page.Rows)
		if page.Next == "" {
			return pages
		}
		after = page.Next
	}
}

func listClients(w *World) {
	b := w.ownedClient("b", "", storage.ClientSecret{ID: "b2", Hash: []byte{2}, CreatedAt: w.Now()},
		storage.ClientSecret{ID: "b1", Hash: []byte{1}, CreatedAt: w.Now()})
	c := w.ownedClient("c", "someone")
	a := w.ownedClient("a", "", storage.ClientSecret{ID: "a1", Hash: []byte{3}, CreatedAt: w.Now()})
	w.Equal([][]storage.Client{{a, b}, {c}}, w.allClients("", 2))
	w.Equal([][]storage.Client{{a, b, c}}, w.allClients("", 3))
}

func listClientsSearches(w *World) {
	w.namedUser("U1", "owner@example.test", "", "José Álvarez")
	for id, name := range map[string]string{"c1": "Wiki", "c2": "Émeraude", "c3": "Alvar"} {
		w.Must(w.Store.CreateClient(w.Ctx(), w.Act(), storage.Client{
			ID: id, Name: name, Type: storage.ClientWeb, OwnerUserID: map[string]string{"c1": "U1"}[id],
			CreatedAt: w.Now(), UpdatedAt: w.Now(),
		}))
	}
	for query, want := range map[string][]string{
		"wik": {"c1"}, "EMERAUDE": {"c2"}, "c3": {"c3"}, "alvar": {"c3", "c1"}, "U1": {"c1"},
		"": {"c3", "c2", "c1"}, "nothing": nil,
	} {
		found, err := w.Store.ListClients(w.Ctx(), storage.ClientFilter{Query: query}, storage.PageRequest{})
		w.Must(err)
		var ids []string
		for _, c := range found.Rows {
			ids = append(ids, c.ID)
		}
		w.Equal(want, ids)
	}
	w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), "c2", true))
	disabled, err := w.Store.ListClients(w.Ctx(), storage.ClientFilter{Disabled: new(true)}, storage.PageRequest{})
	w.Must(err)
	w.Equal(1, disabled.Total)
	those, err := w.Store.ListClients(w.Ctx(), storage.ClientFilter{IDs: []string{"c1", "c3", "gone"}},
		storage.PageRequest{})
	w.Must(err)
	w.Equal(2, those.Total)
}

func registerClients(w *World) {
	user := w.User()
	const atMost = 2
	register := func(id, owner string) error {
		return w.Store.RegisterClient(w.Ctx(), w.Act(), storage.Client{ID: id, Name: id, Type: storage.ClientWeb,
			Profile: storage.ProfilePlatform, OwnerUserID: owner, CreatedAt: w.Now(), UpdatedAt: w.Now()}, atMost)
	}
	w.Must(register("a", user.ID))
	w.Must(register("b", user.ID))
	w.Refused(register("c", user.ID), fault.TooMany, storage.ReasonClientsFull)
	w.Refused(register("d", "nobody"), fault.NotFound, "")
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), "a"))
	w.Must(register("c", user.ID))
}

func listOpenable(w *World) {
	user := w.User()
	for id, change := range map[string]func(*storage.Client){
		"vouched":    func(c *storage.Client) { c.Vouched = true },
		"first":      func(c *storage.Client) { c.FirstParty, c.HomeURI, c.InitiateLoginURI = true, "", "https://i" },
		"let-in":     func(c *storage.Client) {},
		"stranger":   func(c *storage.Client) {},
		"homeless":   func(c *storage.Client) { c.Vouched, c.HomeURI = true, "" },
		"restricted": func(c *storage.Client) { c.Vouched, c.Restricted = true, true },
		"named":      func(c *storage.Client) { c.Vouched, c.Restricted = true, true },
		"disabled":   func(c *storage.Client) { c.Vouched, c.Disabled = true, true },
	} {
		c := storage.Client{ID: id, Name: id, Type: storage.ClientWeb, Profile: storage.ProfilePlatform,
			HomeURI: "https://h", CreatedAt: w.Now(), UpdatedAt: w.Now()}
		change(&c)
		w.Must(w.Store.CreateClient(w.Ctx(), w.Act(), c))
	}
	w.Must(w.Store.AllowClient(w.Ctx(), w.Act(), "named", storage.ClientAccess{UserID: user.ID}))
	w.allow(w.Request("let-in"), user.ID, "openid")
	found, err := w.Store.ListClients(w.Ctx(), storage.ClientFilter{Opener: user.ID}, storage.PageRequest{})
	w.Must(err)
	var ids []string
	for _, c := range found.Rows {
		ids = append(ids, c.ID)
	}
	w.Equal([]string{"first", "let-in", "named", "vouched"}, ids)
}

func listClientsOfOwner(w *World) {
	w.ownedClient("a", "")
	b, d := w.ownedClient("b", "U1"), w.ownedClient("d", "U1")
	w.ownedClient("c", "U2")
	w.Equal([][]storage.Client{{b}, {d}}, w.allClients("U1", 1))
	w.Equal([][]storage.Client{nil}, w.allClients("U3", 1))
}

// readClient is the client as it is now.
func readClient(w *World, id string) storage.Client {
	w.Helper()
	client, err := w.Store.FindClient(w.Ctx(), id)
	w.Must(err)
	return client
}

func updateClient(w *World) {
	client := w.ownedClient("a", "U1", storage.ClientSecret{ID: "a1", Hash: []byte{3}, CreatedAt: w.Now()})
	changed := storage.Client{
		ID: "a", Name: "New", Type: storage.ClientSPA, Profile: storage.ProfileStandard, OwnerUserID: "U2",
		RedirectURIs: []string{"https://r"}, PostLogoutRedirectURIs: []string{"https://p"}, Origins: []string{"https://o"},
		Scopes: []string{"s"}, OptionalScopes: []string{"s"}, OwnClaims: "[]", Vouched: true,
		BackchannelLogoutURI: "https://b", LeanIDToken: true, Devices: true, PlainJWT: true,
		RequirePKCE: true, FirstParty: true,
		Internal: true, Restricted: true,
		Disabled: true, CreatedAt: w.Now().Add(time.Hour), UpdatedAt: client.UpdatedAt,
	}
	w.Clock.Advance(time.Minute)
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), changed))
	want := changed
	want.OwnerUserID, want.Disabled = client.OwnerUserID, client.Disabled
	want.Secrets, want.CreatedAt, want.UpdatedAt = client.Secrets, client.CreatedAt, w.Now()
	got, err := w.Store.FindClient(w.Ctx(), "a")
	w.Must(err)
	w.Equal(want, got)
	w.Refused(w.Store.UpdateClient(w.Ctx(), w.Act(), changed), fault.Conflict, storage.ReasonChanged)
	w.Audited("a", "client.updated", "client.created")
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), got)) // at the same time
	w.Refused(w.Store.UpdateClient(w.Ctx(), w.Act(), got), fault.Conflict, storage.ReasonChanged)
}

func disableClient(w *World) {
	user, client, other := w.User(), w.Client(), w.Client()
	grant, otherGrant := w.Grant(user.ID, client.ID), w.Grant(user.ID, other.ID)
	code := w.Code(user.ID, client.ID)
	w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, true))
	w.Equal("revoked", w.grantState(grant.ID))
	w.Equal("live", w.grantState(otherGrant.ID))
	w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, false))
	w.Equal("revoked", w.grantState(grant.ID))
	w.Refused(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, w.grantOf(code)), fault.Gone, storage.ReasonRevoked)
}

func disableClientTwice(w *World) {
	client := w.Client()
	for range 2 {
		w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, true))
	}
	w.Audited(client.ID, "client.disabled", "client.created")
}

// disableClientAhead enables again what was disabled by a clock that was a little ahead, as
// another server's may be, so that tokens of before stay ended, and by one that was wrong.
func disableClientAhead(w *World) {
	for ahead, want := range map[time.Duration]bool{storage.SeenAhead - 2*time.Second: false, time.Hour: true} {
		client, act := w.Client(), w.Act()
		act.At = act.At.Add(ahead)
		w.Must(w.Store.SetClientDisabled(w.Ctx(), act, client.ID, true))
		w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, false))
		tokens := map[time.Duration]bool{-time.Second: false, time.Second: want, ahead + 2*time.Second: true}
		for issued, active := range tokens {
			query := storage.TokenQuery{JTI: w.Source.UID(), ClientID: client.ID, IssuedAt: w.Now().Add(issued)}
			if got := w.active(query); got != active {
				w.Errorf("by a clock %s ahead, a token of %s from now is active: %t", ahead, issued, got)
			}
		}
	}
}

func deleteClient(w *World) {
	user := w.User()
	client := w.ownedClient("a", "", storage.ClientSecret{ID: "a1", Hash: []byte{3}, CreatedAt: w.Now()})
	grant, code, request := w.Grant(user.ID, client.ID), w.Code(user.ID, client.ID), w.Request(client.ID)
	w.allow(request, user.ID, "openid")
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), client.ID))
	_, err := w.Store.FindClient(w.Ctx(), client.ID)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindCode(w.Ctx(), code.Hash)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
	w.Refused(err, fault.NotFound, "")
	w.Equal("absent", w.grantState(grant.ID))
	again := w.ownedClient("a", "", storage.ClientSecret{ID: "a1", Hash: []byte{4}, CreatedAt: w.Now()})
	got, err := w.Store.FindClient(w.Ctx(), "a")
	w.Must(err)
	w.Equal(again, got)
}

func postLogoutClients(w *World) {
	const uri = `https://c.example.test/out?a=1&b=%20_"quoted"`
	for id, uris := range map[string][]string{
		"b": {"https://other", uri}, "a": {uri}, "off": {uri},
		"longer": {uri + "x"}, "inside": {"x" + uri}, "case": {`https://C.example.test/out?a=1&b=%20_"quoted"`}, "none": nil,
		"like": {`https://c.example.test/out?a=1&b=%20X"quoted"`},
	} {
		w.Must(w.Store.CreateClient(w.Ctx(), w.Act(), storage.Client{
			ID: id, Type: storage.ClientWeb, PostLogoutRedirectURIs: uris, Disabled: id == "off",
			CreatedAt: w.Now(), UpdatedAt: w.Now(),
		}))
	}
	clients, err := w.Store.FindPostLogoutClients(w.Ctx(), uri)
	w.Must(err)
	var ids []string
	for _, client := range clients {
		ids = append(ids, client.ID)
	}
	w.Equal([]string{"a", "b"}, ids)
}

func browserOrigins(w *World) {
	for _, c := range []storage.Client{
		{ID: "a", Type: storage.ClientSPA, RedirectURIs: []string{"https://spa/cb", "https://spa/2"},
			Origins: []string{"https://o1"}},
		{ID: "b", Type: storage.ClientSPA, RedirectURIs: []string{"https://spa/cb"}},
		{ID: "c", Type: storage.ClientWeb, RedirectURIs: []string{"https://web/cb"},
			Origins: []string{"https://o1", "https://o2"}},
		{ID: "d", Type: storage.ClientSPA, RedirectURIs: []string{"https://off/cb"},
			Origins: []string{"https://off"}, Disabled: true},
		{ID: "e", Type: storage.ClientNative, RedirectURIs: []string{"http://localhost/cb"}},
		{ID: "f", Type: storage.ClientNative, RedirectURIs: []string{"http://127.0.0.1/cb"}, Disabled: true},
	} {
		c.CreatedAt, c.UpdatedAt = w.Now(), w.Now()
		w.Must(w.Store.CreateClient(w.Ctx(), w.Act(), c))
	}
	all, err := w.Store.ListBrowserOrigins(w.Ctx())
	w.Must(err)
	slices.Sort(all.Origins)
	slices.Sort(all.SPA)
	w.Equal(storage.BrowserOrigins{Origins: []string{"https://o1", "https://o2"},
		SPA: []string{"https://spa/2", "https://spa/cb"}, Native: []string{"http://localhost/cb"}}, all)
}
