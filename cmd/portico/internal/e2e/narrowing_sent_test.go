package e2e

import (
	"net/http"
	"strings"
)

// errand is a token of the person that was sent to a service of its own resource, two
// that the service exchanged it for, of which one does not tell that, a signed address
// that it got with such a one, and one of the service account for the resource, with what
// that was exchanged for; and a device that asks for such a token.
type errand struct {
	service                                 client
	orders                                  string // the resource
	sent, exchanged, impersonated, accounts string
	exchangedGet, accountsOn                string
	sentAgain                               string // a refresh token
	asking                                  string // the code of a device that asks for the resource
}

const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"

// addressed registers the service and the resource.
func (d *dock) addressed() {
	d.Helper()
	e := &d.errand
	e.service = d.client("--type", "service", "--profile", "standard", "--scope", "data:read", "--exchange-for", d.URL)
	e.orders = "https://" + strings.ToLower(d.userID) + ".example.test/orders"
	d.registersOrders()
}

func (d *dock) registersOrders() {
	d.Helper()
	d.command("", "resource", "create", d.orders, "scope=data:read", "everyone=true", "client_id="+d.service.ID)
}

// sends waits until the server knows the resource, and issues the tokens.
func (d *dock) sends() {
	d.Helper()
	e := &d.errand
	d.command("", "app", "provision", "--hub", d.hub, "--client", e.service.ID, "--level", "control")
	eventually(d, patience, "the resource is there", func() bool {
		return d.token(d.machine.owner, "grant_type", "client_credentials", "scope", "data:read", "resource",
			e.orders).Status == http.StatusOK
	})
	sent := d.person.tokens(d.app, "scope", "data:read", "resource", e.orders)
	e.sent, e.sentAgain = sent.text("access_token"), sent.text("refresh_token")
	e.asking = d.person.allowsDevice(d.app, "data:read", "resource", e.orders)
	e.exchanged = d.goesOn(e.sent)
	e.exchangedGet = d.address(e.exchanged)
	d.command("", "client", "update", e.service.ID, "--impersonates")
	eventually(d, patience, "the service passes for the person", func() bool {
		e.impersonated = d.goesOn(e.sent)
		return claimsOf(d, e.impersonated)["act"] == nil
	})
	e.accounts = d.token(d.machine.owner, "grant_type", jwtBearer, "assertion", d.machine.sign(""),
		"resource", e.orders).text("access_token")
	e.accountsOn = d.goesOn(e.accounts)
}

// goesOn is what the service exchanges a token for that it was sent.
func (d *dock) goesOn(sent string) string {
	d.Helper()
	return d.token(d.service, "grant_type", exchangeGrant, "subject_token", sent, "resource", d.URL,
		"subject_token_type", "urn:ietf:params:oauth:token-type:access_token").text("access_token")
}

// takenIn reports whether the service may go by a token that its resource was sent.
func (e errand) takenIn(at *site, token string) bool {
	got := at.send(introspectPath, e.service, "token", token)
	return strings.Contains(got.Body, `"active":true`) && strings.Contains(got.Body, "data:read")
}

func (d *dock) sentCarriers() map[string]func(at *site) bool {
	return map[string]func(at *site) bool{
		"sent":               func(at *site) bool { return d.takenIn(at, d.sent) },
		"exchanged":          func(at *site) bool { return d.reads(at, d.exchanged) },
		"impersonated":       func(at *site) bool { return d.reads(at, d.impersonated) },
		"exchanged get":      func(at *site) bool { return d.takes("GET", d.exchangedGet, at) },
		"account's, sent on": func(at *site) bool { return d.takenIn(at, d.accounts) },
		"account's, exchanged": func(at *site) bool {
			return at.bearing(d.accountsOn, "GET", "/project/v1/hubs", "").Status == http.StatusOK
		},
	}
}

func (d *dock) sentOnce() map[string]func(at *site) bool {
	return map[string]func(at *site) bool{
		"sent, refreshed": func(at *site) bool { return gives(d, at.refresh(d.app, d.sentAgain)) },
		"device, sent": func(at *site) bool {
			return gives(d, at.token(d.app, "grant_type", deviceGrant, "device_code", d.asking))
		},
	}
}
