package apps

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The fields of the form that adds a claim.
const (
	fieldClaim  = "claim"
	fieldSource = "source"
	fieldValue  = "value"
)

// claimsRoutes are the pages on which administrators say what an app is told beside
// the usual claims.
func (a *Admin) claimsRoutes(app string) []httpio.Route {
	return []httpio.Route{
		httpio.At(app + "/claims").Get(a.gate.Show(a.ofApp(a.showClaims))).Post(a.gate.Form(a.ofApp(a.addClaim))),
		a.grave(app+"/claims/remove", a.askRemoveClaim, a.removeClaim),
	}
}

func claimsPath(c storage.Client) string { return adminAppPath(c.ID) + "/claims" }

func claimForm(c storage.Client, values url.Values) templates.Form {
	return templates.Form{ID: "claim-form", Action: claimsPath(c), Submit: texts.Say("parts.add"),
		Inputs: []templates.Input{
			{Kind: templates.InputText, Name: fieldClaim, Label: texts.Say("app-admin.claims.name"),
				Hint: texts.Say("app-admin.claims.name-hint"), Value: values.Get(fieldClaim), Required: true, Max: 100},
			{Kind: templates.InputChoice, Name: fieldSource, Label: texts.Say("app-admin.claims.source"), Required: true,
				Options: options(values.Get(fieldSource), []choice{
					{clientprofile.SourceGroups, texts.Say("app-admin.claims.groups"), texts.Say("app-admin.claims.groups-hint")},
					{clientprofile.SourceRole, texts.Say("app-admin.claims.role"), texts.Say("app-admin.claims.role-hint")},
					{clientprofile.SourceFixed, texts.Say("app-admin.claims.fixed"), texts.Say("app-admin.claims.fixed-hint")},
				})},
			{Kind: templates.InputText, Name: fieldValue, Label: texts.Say("app-admin.claims.value"),
				Hint: texts.Say("app-admin.claims.value-hint"), Value: values.Get(fieldValue), Max: 200},
			{Kind: templates.InputText, Name: FieldGroup, Label: texts.Say("app-admin.access.group"),
				Hint: texts.Say("app-admin.claims.group-hint"), Value: values.Get(FieldGroup), Max: 320},
		}}
}

// showClaims serves the page of what an app is told.
func (a *Admin) showClaims(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return a.claimsPage(w, r, c, http.StatusOK, claimForm(c, url.Values{fieldSource: {clientprofile.SourceGroups}}))
}

func (a *Admin) claimsPage(w http.ResponseWriter, r *http.Request, c storage.Client, status int,
	form templates.Form) error {
	view := templates.AppClaimsPage{
		Desk: adminDesk(r), Back: templates.Link{URL: adminAppPath(c.ID), Text: texts.Own(c.Name)}, Name: c.Name, Form: form,
	}
	claims := claimsOf(c)
	groups, err := a.groupsOf(r.Context(), claims)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		view.Claims = append(view.Claims, templates.ClaimRow{Name: claim.Name, What: claimWords(claim, groups),
			RemoveURL: removeClaimURL(c, claim)})
	}
	return a.portal.with.Web.Send(w, status, func(out io.Writer) error { return a.portal.with.Pages.AppClaims(out, view) })
}

func removeClaimURL(c storage.Client, claim ClaimJSON) string {
	return claimsPath(c) + "/remove?" + url.Values{fieldClaim: {claim.Name}, fieldValue: {claim.Value},
		FieldGroup: {claim.GroupID}}.Encode()
}

// groupsOf returns what the groups that the claims speak of are called, by their ids.
func (a *Admin) groupsOf(ctx context.Context, claims []ClaimJSON) (map[string]string, error) {
	var ids []string
	for _, claim := range claims {
		if claim.GroupID != "" {
			ids = append(ids, claim.GroupID)
		}
	}
	called, err := a.portal.apps.store.ListCalled(ctx, ids)
	names := map[string]string{}
	for _, one := range called {
		if one.Kind == storage.CalledGroup {
			names[one.ID] = one.Name
		}
	}
	return names, err
}

// claimWords says what a claim tells.
func claimWords(claim ClaimJSON, groups map[string]string) texts.Text {
	switch group, known := groups[claim.GroupID]; {
	case claim.Source == clientprofile.SourceFixed:
		return texts.Say("app-admin.claims.says-fixed", "Value", claim.Value)
	case claim.Source == clientprofile.SourceGroups:
		return texts.Say("app-admin.claims.says-groups")
	case known:
		return texts.Say("app-admin.claims.says-role", "Value", claim.Value, "Group", group)
	}
	return texts.Say("app-admin.claims.says-nobody", "Value", claim.Value)
}

// addClaim serves the form that adds one.
func (a *Admin) addClaim(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	claim, err := a.portal.apps.claimOf(r.Context(), values)
	if err == nil {
		err = a.portal.apps.AddClaim(r.Context(), v.Act, c, claim)
	}
	if err != nil {
		form := claimForm(c, values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return a.claimsPage(w, r, c, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, claimsPath(c)+"?done=edited")
}

// claimOf reads the form. What its source has no use for is left out.
func (a *Apps) claimOf(ctx context.Context, values url.Values) (ClaimJSON, error) {
	trimmed := func(field string) string { return strings.TrimSpace(values.Get(field)) }
	claim := ClaimJSON{Name: trimmed(fieldClaim), Source: values.Get(fieldSource)}
	if claim.Source != clientprofile.SourceGroups {
		claim.Value = trimmed(fieldValue)
	}
	if claim.Source != clientprofile.SourceRole {
		return claim, nil
	}
	group, err := a.Named(ctx, AccessGroups, trimmed(FieldGroup))
	claim.GroupID = group.GroupID
	return claim, err
}

// askRemoveClaim serves the question before an app is told something no more, and
// its answer.
func (a *Admin) askRemoveClaim(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	name, fits := claimIn(r)
	if !slices.ContainsFunc(claimsOf(c), fits) {
		return noSuchClaim()
	}
	return a.ask(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("app-admin.claims.remove-which", "Claim", name), Submit: texts.Say("parts.remove"),
		Stops: []texts.Text{texts.Say("app-admin.claims.remove-stops")}, Action: r.URL.RequestURI(),
	})
}

// claimIn returns which claim a page means: it says all of it but the source.
func claimIn(r *http.Request) (name string, fits func(ClaimJSON) bool) {
	query := r.URL.Query()
	meant := ClaimJSON{Name: query.Get(fieldClaim), Value: query.Get(fieldValue), GroupID: query.Get(FieldGroup)}
	return meant.Name, func(claim ClaimJSON) bool {
		meant.Source = claim.Source
		return claim == meant
	}
}

func (a *Admin) removeClaim(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	_, fits := claimIn(r)
	if err := a.portal.apps.DeleteClaim(r.Context(), v.Act, c, fits); err != nil {
		return err
	}
	return webpage.See(w, r, claimsPath(c)+"?done=edited")
}
