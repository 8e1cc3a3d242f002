package people

import "github.com/portico-id/portico/templates/texts"

// labels are what the fields of a person are called on pages.
var labels = map[string]texts.Text{
	FieldName:                texts.Say("fields.name"),
	"given_name":             texts.Say("fields.given-name"),
	"family_name":            texts.Say("fields.family-name"),
	"middle_name":            texts.Say("fields.middle-name"),
	"nickname":               texts.Say("fields.nickname"),
	"website":                texts.Say("fields.website"),
	"gender":                 texts.Say("fields.gender"),
	"birthdate":              texts.Say("fields.birthdate"),
	"zoneinfo":               texts.Say("fields.zone"),
	FieldUsername:            texts.Say("fields.username"),
	FieldEmail:               texts.Say("fields.email"),
	FieldEmailVerified:       texts.Say("fields.email-verified"),
	"profile":                texts.Say("fields.profile"),
	"picture":                texts.Say("fields.picture"),
	"locale":                 texts.Say("fields.locale"),
	"country_code":           texts.Say("fields.country-code"),
	"address.street_address": texts.Say("fields.street-address"),
	"address.locality":       texts.Say("fields.locality"),
	"address.region":         texts.Say("fields.region"),
	"address.postal_code":    texts.Say("fields.postal-code"),
	"address.country":        texts.Say("fields.country"),
	"phone_number":           texts.Say("fields.phone"),
	"phone_number_verified":  texts.Say("fields.phone-verified"),
	"ldap_domain":            texts.Say("fields.ldap-domain"),
	"job_title":              texts.Say("fields.job-title"),
	"industry":               texts.Say("fields.industry"),
	"industry_code":          texts.Say("fields.industry-code"),
	"about_me":               texts.Say("fields.about-me"),
	"language":               texts.Say("fields.language"),
	"company":                texts.Say("fields.company"),
	"eidm_guid":              texts.Say("fields.eidm"),
	"opt_in":                 texts.Say("fields.opt-in"),
}
