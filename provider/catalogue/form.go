package catalogue

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The flags among the fields of a form, which nothing can be wrong with.
const (
	fieldEveryone = "everyone"
	fieldProof    = "bound_access_tokens"
)

const listPath = "/admin/resources"

func pathOf(r storage.Resource) string { return listPath + "/" + r.ID }

func createForm() templates.Form {
	form := settingsForm(storage.Resource{})
	form.Action, form.Submit = listPath, texts.Say("parts.add")
	return form
}

func editForm(r storage.Resource) templates.Form {
	form := settingsForm(r)
	form.Action, form.Submit, form.Edits = pathOf(r), texts.Say("parts.save"), true
	return form
}

func settingsForm(r storage.Resource) templates.Form {
	return templates.Form{ID: "resource-form", More: texts.Say("resources.more"),
		Inputs: append(whatItIs(r), demands(r)...)}
}

func whatItIs(r storage.Resource) []templates.Input {
	lines := func(values []string) string { return strings.Join(values, "\n") }
	return []templates.Input{
		{Kind: templates.InputText, Name: FieldResource, Label: texts.Say("resources.address"), Value: r.Identifier,
			Required: true, Max: 500, Hint: texts.Say("resources.address-hint")},
		{Kind: templates.InputText, Name: FieldName, Label: texts.Say("parts.name"), Value: r.Name,
			Hint: texts.Say("resources.name-hint")},
		{Kind: templates.InputLines, Name: FieldScope, Label: texts.Say("parts.scopes"), Value: lines(r.Scopes),
			Required: true, Hint: texts.Say("resources.scopes-hint")},
		{Kind: templates.InputLines, Name: FieldDefault, Label: texts.Say("resources.default"),
			Value: lines(r.DefaultScopes), Hint: texts.Say("resources.default-hint")},
		{Kind: templates.InputFlag, Name: fieldEveryone, Label: texts.Say("resources.everyone"), Value: flag(r.Everyone)},
		{Kind: templates.InputLines, Name: FieldClients, Label: texts.Say("resources.clients"), Value: lines(r.Clients),
			Hint: texts.Say("resources.clients-hint")},
		{Kind: templates.InputText, Name: FieldClientID, Label: texts.Say("resources.own"), Value: r.ClientID,
			Hint: texts.Say("resources.own-hint")},
	}
}

// demands are the fields that are seldom needed.
func demands(r storage.Resource) []templates.Input {
	algorithms := []templates.Option{{Label: texts.Say("resources.algorithm-usual")}}
	for _, name := range clientprofile.AssertionAlgorithms() {
		algorithms = append(algorithms, templates.Option{Value: name, Label: texts.Own(name)})
	}
	return []templates.Input{
		{Kind: templates.InputList, Name: FieldAlgorithm, Label: texts.Say("resources.algorithm"), More: true,
			Value: r.Algorithm, Options: chosen(algorithms, r.Algorithm)},
		{Kind: templates.InputText, Name: FieldLifetime, Label: texts.Say("resources.lifetime"), More: true,
			Value: seconds(r.Lifetime), Hint: texts.Say("resources.lifetime-hint")},
		{Kind: templates.InputFlag, Name: fieldProof, Label: texts.Say("resources.proof"), More: true,
			Value: flag(r.ProofNeeded)},
		{Kind: templates.InputList, Name: FieldACR, Label: texts.Say("resources.strength"), More: true, Value: r.ACR,
			Hint: texts.Say("resources.strength-hint"), Options: chosen([]templates.Option{
				{Label: texts.Say("resources.strength-any")},
				{Value: storage.ACRPassword, Label: texts.Say("resources.strength-one")},
				{Value: storage.ACRTwoFactors, Label: texts.Say("resources.strength-two")},
			}, r.ACR)},
		{Kind: templates.InputText, Name: FieldMaxAge, Label: texts.Say("resources.age"), More: true,
			Value: seconds(r.MaxAge), Hint: texts.Say("resources.age-hint")},
	}
}

func chosen(options []templates.Option, value string) []templates.Option {
	for i := range options {
		options[i].Chosen = options[i].Value == value
	}
	return options
}

func flag(on bool) string { return map[bool]string{true: "on"}[on] }

func seconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return strconv.Itoa(int(d.Seconds()))
}

// changeOf reads a form that was sent whole.
func changeOf(values url.Values) Change {
	text := func(field string) *string { return new(strings.TrimSpace(values.Get(field))) }
	words := func(field string) *string { return new(strings.Join(strings.Fields(values.Get(field)), " ")) }
	return Change{
		Resource: text(FieldResource), Name: text(FieldName), Scope: words(FieldScope), DefaultScope: words(FieldDefault),
		Everyone: new(values.Get(fieldEveryone) == "on"), Clients: new(webpage.Lines(values.Get(FieldClients))),
		ClientID: text(FieldClientID), Algorithm: text(FieldAlgorithm), Lifetime: new(number(values.Get(FieldLifetime))),
		ProofNeeded: new(values.Get(fieldProof) == "on"), ACR: text(FieldACR), MaxAge: new(number(values.Get(FieldMaxAge))),
	}
}

// number is what was typed, 0 for nothing; what is no number is none that is allowed.
func number(typed string) int {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return 0
	}
	n, err := strconv.Atoi(typed)
	if err != nil {
		return -1
	}
	return n
}
