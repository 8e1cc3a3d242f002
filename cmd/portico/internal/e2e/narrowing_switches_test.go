package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// departures are those of people who signed in by their employer's provider.
func departures() map[string]narrowing {
	return map[string]narrowing{
		"their employer is switched off": {func(d *dock) { d.command("", "upstream", "disable", d.upstream) }, ofNobody},
		"their employer is removed": {func(d *dock) { d.command("", "upstream", "delete", d.upstream, "--yes") },
			ofNobody},
	}
}

// estrangements are the ways to end what came of an upstream, a registration, a document and a
// service that goes on, each with what dies of it.
func estrangements() map[string]narrowing {
	command := func(d *dock, args ...string) { d.command("", args...) }
	return map[string]narrowing{
		"an upstream that vouches for them is switched off": {func(d *dock) {
			command(d, "upstream", "disable", d.upstream)
		}, ofEmployer},
		"an upstream that vouches for them is removed": {func(d *dock) {
			command(d, "upstream", "delete", d.upstream, "--yes")
		}, ofEmployer},
		"an upstream vouches for nobody any more": {func(d *dock) {
			command(d, "upstream", "set", d.upstream, "assertion_clients=")
		}, ofEmployer},
		"the app that an upstream vouches to is disabled": {func(d *dock) {
			command(d, "client", "disable", d.broker.ID)
		}, ofEmployer},
		"the app that registered itself is disabled": {func(d *dock) {
			command(d, "client", "disable", d.registered.ID)
		}, ofRegistered},
		"the app that registered itself ends that": {(*dock).endsItself, ofRegistered},
		"its own service may go on nowhere": {func(d *dock) {
			command(d, "client", "update", d.service.ID, "--exchange-for", "")
		}, append([]string{"account's, exchanged"}, handedOn...)},
		"its own service may pass for nobody": {func(d *dock) {
			command(d, "client", "update", d.service.ID, "--impersonates=false")
		}, []string{"impersonated"}},
		"its own service may not enter the hub any more": {func(d *dock) {
			command(d, "app", "remove", "--hub", d.hub, "--client", d.service.ID)
		}, handedOn},
		"the app is for devices no more": {func(d *dock) {
			command(d, "client", "update", d.app.ID, "--devices=false")
		}, []string{"device", "device, sent"}},
		"the resource is for others": {func(d *dock) {
			command(d, "resource", "set", d.orders, "everyone=false", "clients="+d.service.ID)
		}, ofOrders},
		"the resource has nothing to read any more": {func(d *dock) {
			command(d, "resource", "set", d.orders, "scope=data:write")
		}, ofOrders},
		"the resource demands two factors": {func(d *dock) {
			command(d, "resource", "set", d.orders, "acr="+storage.ACRTwoFactors)
		}, ofSent},
		"the resource is another service's": {func(d *dock) {
			command(d, "resource", "set", d.orders, "client_id="+d.app.ID)
		}, []string{"sent", "account's, sent on"}},
		"the app introduces nobody any more": {func(d *dock) {
			command(d, "client", "update", d.app.ID, "--introduce-to", "")
		}, []string{"introduced"}},
	}
}

// Rule: TOKEN-35
func TestEveryActThatTakesSomethingAwayIsAmongTheNarrowings(t *testing.T) {
	known := narrowings()
	maps.Copy(known, estrangements())
	maps.Copy(known, departures())
	maps.Copy(known, leavings(nil))
	of := map[string]string{
		"SetClientDisabled": "the app is disabled", "DeleteClient": "the app is deleted",
		"DisallowClient":  "they are taken off the app's list",
		"SetUserDisabled": "the person is disabled", "DeleteUser": "the person is deleted",
		"EndSessions": "they are signed out everywhere", "RevokeGrant": "the app revokes its grant",
		"WithdrawConsent": "they withdraw the app's access", "WithdrawApp": "the app may not enter the hub any more",
		"SetResourceDisabled": "the resource is disabled", "DeleteResource": "the resource is deleted",
		"SetUpstreamDisabled": "their employer is switched off", "DeleteUpstream": "their employer is removed",
		"DeleteServiceAccount": "the service account is deleted", "DeleteServiceAccountKey": "its key is deleted",
		"SetServiceAccountStatus": "the service account is disabled",
		"DeleteClientMember":      "the colleague manages the app no more",
		"DeleteUserGroupMember":   "they leave the group that the app is for",
		"EndIdentity":             "their directory has them no more", "RemoveHubMember": "they leave the hub",
		"RemoveProjectMember": "they leave the project", "RemoveFolderGrant": "the colleague's right in the folder is taken",
		"DeleteSCIMUser": "their company switches them off",
	}
	for elsewhere, tests := range map[string][]string{
		// They end less than is ended here, and are shown where they are.
		"storage/storagetest": {"EndRechecked", "EndSession", "EndUpstreamSessions", "RevokeToken", "UnlinkIdentity",
			"DeleteGroup", "DeleteUserGroup", "RemoveGroupMember", "RemoveTwinMember", "DeleteDirectory", "DeleteSCIMConnection",
			"DeleteSCIMGroup", "DeleteClientSecret", "EndArchive", "SetServiceAccountKeyStatus", "SetTwinModelStatus"},
		// Nothing was issued by them, or what they take away is no right.
		"nothing": {"DeleteClientInvitation", "DeleteClientLogo", "DeleteDocument", "DeleteInitialToken", "DeletePortrait",
			"DeleteSCIMToken", "DeleteSigningKeys", "DeleteWebhook", "EndScan", "EndUpload", "RemoveAuthenticator",
			"RemoveFactors", "RemoveLinks", "RemovePasskey", "RemoveRefs", "TakeForm", "TakeMails"},
	} {
		for _, one := range tests {
			of[one] = elsewhere
		}
	}
	for _, act := range takingAway(t) {
		switch where, said := of[act]; {
		case !said:
			t.Errorf("storage has %s: say in this test what it takes away, and add it to the narrowings", act)
		case where != "nothing" && where != "storage/storagetest" && known[where].narrow == nil:
			t.Errorf("%s: there is no narrowing %q", act, where)
		}
	}
}

// Rule: TOKEN-35
func TestEveryAttributeThatTakesSomethingAwayIsAmongTheNarrowings(t *testing.T) {
	known := narrowings()
	maps.Copy(known, estrangements())
	of := map[string]string{
		"Client.Scopes": "reading is taken from the app", "Client.RedirectURIs": "its redirect URI is another",
		"Client.RequirePKCE": "PKCE is demanded of it", "Client.Internal": "the internal app is none any more",
		"Client.Restricted": "the app is for nobody", "Client.Disabled": "the app is disabled",
		"Client.Devices": "the app is for devices no more", "Client.ExchangeFor": "its own service may go on nowhere",
		"Client.Impersonates": "its own service may pass for nobody",
		"Client.IntroducesTo": "the app introduces nobody any more",
		"Resource.Identifier": "the resource moves, and another has its address",
		"Resource.Scopes":     "the resource has nothing to read any more",
		"Resource.Everyone":   "the resource is for others", "Resource.ClientID": "the resource is another service's",
		"Resource.Disabled": "the resource is disabled", "Resource.ACR": "the resource demands two factors",
	}
	for why, attributes := range map[string]string{
		"it is never another": "Client.ID Client.Type Client.OwnerUserID Client.Origin Client.CreatedAt " +
			"Resource.ID Resource.CreatedAt",
		"it goes with another": "Client.UpdatedAt Resource.Key Resource.Clients Resource.TokensFrom Resource.UpdatedAt " +
			"Resource.MaxAge",
		"it is for people to see": "Client.Name Client.LogoURI Client.PolicyURI Client.TermsURI Client.HomeURI Client.Vouched " +
			"Resource.Name",
		"it says how to prove who asks next": "Client.Secrets Client.AuthMethod Client.JWKS Client.KeysURI " +
			"Client.AssertionAlg Client.LegacyAudience Client.CertificateField Client.CertificateName Client.ProofNeeded " +
			"Client.CertificateNeeded Client.RequirePushed Client.RequireSigned Client.Profile",
		"it says how the next sign-in is": "Client.SecondFactor Client.FirstParty Client.OptionalScopes " +
			"Client.DefaultScopes Client.InitiateLoginURI Resource.DefaultScopes",
		"it says how the next token is": "Client.IDTokenAlg Client.AccessTokenAlg Client.OwnClaims Client.LeanIDToken " +
			"Client.PlainJWT Resource.Algorithm Resource.Lifetime Resource.ProofNeeded",
		"it says who is told what, or where signing out leads": "Client.PostLogoutRedirectURIs Client.Origins " +
			"Client.BackchannelLogoutURI",
	} {
		for _, one := range strings.Fields(attributes) {
			of[one] = why
		}
	}
	for _, kept := range []any{storage.Client{}, storage.Resource{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(kept)) {
			name := reflect.TypeOf(kept).Name() + "." + field.Name
			where, said := of[name]
			switch {
			case field.Anonymous:
			case !said:
				t.Errorf("%s: say in this test what it takes away when it is another, and add it to the narrowings", name)
			case !strings.HasPrefix(where, "it ") && known[where].narrow == nil:
				t.Errorf("%s: there is no narrowing %q", name, where)
			}
		}
	}
	if all := reflect.VisibleFields(reflect.TypeFor[storage.Client]()); len(all) < 40 {
		t.Errorf("%d attributes: the test no longer finds them", len(all))
	}
}

// takingAway are the acts of the store that take something away, by their names.
func takingAway(t *testing.T) (acts []string) {
	taking := regexp.MustCompile(`^(Delete|Disable|Disallow|End|Remove|Revoke|Take|Unlink|Withdraw)[A-Z]|^Set\w+(Disabled|Status)$`)
	files, err := filepath.Glob("../../../../storage/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			contract, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			for _, method := range contract.Methods.List {
				if len(method.Names) == 1 && taking.MatchString(method.Names[0].Name) {
					acts = append(acts, method.Names[0].Name)
				}
			}
			return false
		})
	}
	if len(acts) < 40 {
		t.Errorf("%d acts: the test no longer finds them", len(acts))
	}
	return acts
}
