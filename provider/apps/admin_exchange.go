package apps

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// exchangeRoutes are the page on which administrators say for whom else's services an
// app may have tokens of the people who use it.
func (a *Admin) exchangeRoutes(app string) []httpio.Route {
	return []httpio.Route{
		httpio.At(app + "/exchange").Get(a.gate.Show(a.ofApp(a.showExchange))).Post(a.gate.Form(a.ofApp(a.setExchange))),
	}
}

func exchangePath(c storage.Client) string { return adminAppPath(c.ID) + "/exchange" }

// exchangeButton leads there from the page of an app that can go on anywhere.
func exchangeButton(c storage.Client) []templates.Button {
	if c.Public() || !clientprofile.Of(c).TakesResources() {
		return nil
	}
	return []templates.Button{{ID: "exchange", URL: exchangePath(c), Text: texts.Say("app-admin.exchange.button")}}
}

// exchangeValues are what the client may now, as the form has it.
func exchangeValues(c storage.Client) url.Values {
	return url.Values{FieldExchange: {strings.Join(c.ExchangeFor, "\n")}, FieldImpersonates: {onOr(c.Impersonates)},
		FieldIntroduces: {strings.Join(c.IntroducesTo, "\n")}}
}

func exchangeForm(c storage.Client, values url.Values) templates.Form {
	return templates.Form{ID: "exchange-form", Action: exchangePath(c), Submit: texts.Say("parts.save"), Edits: true,
		Seen: values.Get(templates.FieldSeen), Inputs: []templates.Input{
			linesInput(values, FieldExchange, texts.Say("app-admin.exchange.for"), texts.Say("app-admin.exchange.for-hint")),
			flagInput(values, FieldImpersonates, texts.Say("app-admin.exchange.untold"),
				texts.Say("app-admin.exchange.untold-hint")),
			linesInput(values, FieldIntroduces, texts.Say("app-admin.exchange.introduces"),
				texts.Say("app-admin.exchange.introduces-hint")),
		}}
}

// showExchange serves the page of what an app may have elsewhere.
func (a *Admin) showExchange(w http.ResponseWriter, r *http.Request, _ websession.Visit, c storage.Client) error {
	return a.exchangePage(w, r, c, http.StatusOK, exchangeForm(c, exchangeValues(c)))
}

func (a *Admin) exchangePage(w http.ResponseWriter, r *http.Request, c storage.Client, status int,
	form templates.Form) error {
	return a.portal.with.Web.Send(w, status, func(out io.Writer) error {
		return a.portal.with.Pages.Form(out, templates.FormPage{
			Desk: adminDesk(r), Back: templates.Link{URL: adminAppPath(c.ID), Text: texts.Own(c.Name)},
			Heading: texts.Say("app-admin.exchange.title", "App", c.Name), Lead: texts.Say("app-admin.exchange.lead"),
			Form: form,
		})
	})
}

// setExchange serves the form. An app that may do neither has nothing to say for itself.
func (a *Admin) setExchange(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, exchangeForm(c, exchangeValues(c))); err == nil {
		_, err = a.portal.apps.Update(r.Context(), v.Act, c.ID, Change{
			ExchangeFor:     new(webpage.Lines(values.Get(FieldExchange))),
			Impersonates:    new(values.Get(FieldImpersonates) == "on"),
			IntroducesTo:    new(webpage.Lines(values.Get(FieldIntroduces))),
			ByAdministrator: true,
		})
	}
	if err != nil {
		form := exchangeForm(c, values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return a.exchangePage(w, r, c, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, adminAppPath(c.ID)+"?done=edited")
}
