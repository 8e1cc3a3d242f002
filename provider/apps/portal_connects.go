package apps

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// FieldConnects is the field of what somebody connects when they register an app:
// a service of the guides, or a program of their own.
const FieldConnects = "connects"

// Programs of one's own. The other values are slugs of guides.
const (
	connectsOwn      = "own"
	connectsPlatform = "platform"
	connectsFAPI     = "fapi"
)

func connectsInput(values url.Values) templates.Input {
	input := templates.Input{
		Kind: templates.InputList, Name: FieldConnects, Label: texts.Say("apps.form.connects"), Required: true,
		Hint: texts.Say("apps.form.connects-hint"),
		Options: []templates.Option{
			{Value: connectsOwn, Label: texts.Say("apps.form.connects-own")},
			{Value: connectsPlatform, Label: texts.Say("apps.form.connects-platform")},
			{Value: connectsFAPI, Label: texts.Say("apps.form.connects-fapi")},
		},
	}
	for _, g := range allGuides() {
		if g.standard {
			input.Options = append(input.Options, templates.Option{Value: g.slug, Label: texts.Own(g.name)})
		}
	}
	chosen := cmp.Or(values.Get(FieldConnects), connectsOwn)
	for i, option := range input.Options {
		input.Options[i].Chosen = option.Value == chosen
	}
	return input
}

// registrationOf reads the form that registers an app: type and profile follow
// from what is connected. The next page is below the app's.
func registrationOf(values url.Values) (wanted Registration, next string, err error) {
	wanted = Registration{
		Name: strings.TrimSpace(values.Get(FieldName)), Type: storage.ClientType(values.Get(FieldType)),
		Profile: storage.ProfileStandard, RedirectURIs: webpage.Lines(values.Get(redirecturi.FieldRedirect)),
	}
	switch connects := values.Get(FieldConnects); connects {
	case connectsOwn:
	case connectsPlatform:
		wanted.Profile = storage.ProfilePlatform
	case connectsFAPI:
		wanted.Profile, wanted.AuthMethod = storage.ProfileFAPI, storage.AuthPrivateKey
		wanted.JWKS = strings.TrimSpace(values.Get(FieldJWKS))
		wanted.MakeKey = wanted.JWKS == ""
	default:
		all := allGuides()
		i := slices.IndexFunc(all, func(g guide) bool { return g.standard && g.slug == connects })
		if i < 0 {
			return wanted, "", fault.New(fault.Invalid, ReasonField, "Choose what you connect.").At(FieldConnects)
		}
		wanted.Type, next = all[i].types[0], guidePath("", connects)
		if all[i].exact && len(wanted.RedirectURIs) == 0 {
			wanted.RedirectURIs = []string{all[i].callback}
		}
	}
	return wanted, next, nil
}
