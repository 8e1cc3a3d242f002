package scim

import (
	"slices"
	"strings"
)

// The schemas (RFC 7643, 8.7).
const (
	userSchema       = "urn:ietf:params:scim:schemas:core:2.0:User"
	groupSchema      = "urn:ietf:params:scim:schemas:core:2.0:Group"
	enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
)

// attribute is what is known of an attribute, as /Schemas tells it.
type attribute struct {
	Name        string      `json:"name"`
	Type        string      `json:"type"`
	Multi       bool        `json:"multiValued"`
	Description string      `json:"description"`
	Required    bool        `json:"required"`
	CaseExact   bool        `json:"caseExact"`
	Mutability  string      `json:"mutability"`
	Returned    string      `json:"returned"`
	Uniqueness  string      `json:"uniqueness"`
	References  []string    `json:"referenceTypes,omitempty"`
	Canonical   []string    `json:"canonicalValues,omitempty"`
	Subs        []attribute `json:"subAttributes,omitempty"`
	most        int         // values of a list; 0: as many as come
}

const (
	typeText    = "string"
	typeFlag    = "boolean"
	typeLink    = "reference"
	typeComplex = "complex"
	readOnly    = "readOnly"
)

func text(name, description string) attribute {
	return attribute{Name: name, Type: typeText, Description: description, Mutability: "readWrite",
		Returned: "default", Uniqueness: "none"}
}

func (a attribute) flag() attribute { a.Type = typeFlag; return a }

func (a attribute) link(types ...string) attribute {
	a.Type, a.References, a.CaseExact = typeLink, types, true
	return a
}

func (a attribute) among(values ...string) attribute { a.Canonical = values; return a }

func (a attribute) fixed() attribute { a.Mutability = readOnly; return a }

func (a attribute) of(subs ...attribute) attribute {
	a.Type, a.Subs = typeComplex, subs
	return a
}

func (a attribute) many() attribute { a.Multi = true; return a }

// maxValues is more than anybody has: those that come are compared with those that are there.
const maxValues = 500

func (a attribute) several() attribute { a.most = maxValues; return a.many() }

// values are the parts that most lists have.
func values(name, description string) attribute {
	return text(name, description).of(
		text("value", "The value."), text("display", "What people read."), text("type", "Such as work or home."),
		text("primary", "The one that counts first.").flag(),
	).several()
}

func userAttributes() []attribute {
	userName := text("userName", "What the company calls the person. Unique in the connection.")
	userName.Required, userName.Uniqueness = true, "server"
	password := text("password", "Is taken and forgotten.")
	password.Mutability, password.Returned = "writeOnly", "never"
	emails := values("emails", "The primary one, else that of type work, else the first is the person's address. "+
		"Without one userName must be an address.")
	emails.Required, emails.Subs[0].Required = true, true // who makes people from this goes wrong nowhere
	return []attribute{
		userName,
		text("name", "The parts of the name.").of(
			text("formatted", "The whole name."), text("familyName", "The family name."), text("givenName", "The given name."),
			text("middleName", "The middle names."), text("honorificPrefix", "Such as Ms."),
			text("honorificSuffix", "Such as III.")),
		text("displayName", "What people call the person."), text("nickName", "The casual name."),
		text("profileUrl", "The person's page.").link("external"), text("title", "Such as Vice President."),
		text("userType", "Such as Contractor."), text("preferredLanguage", "Such as en-US."),
		text("locale", "Such as en-US."), text("timezone", "Of the IANA database."),
		text("active", "Whether the person may sign in.").flag(), password, emails,
		values("phoneNumbers", "Telephone numbers."),
		text("addresses", "Postal addresses.").of(
			text("formatted", "The whole address."), text("streetAddress", "Street and number."),
			text("locality", "The town."), text("region", "The state."), text("postalCode", "The postal code."),
			text("country", "The country."), text("type", "Such as work or home."),
			text("primary", "The one that counts first.").flag()).several(),
		text("groups", "The groups that the person is in.").of(
			text("value", "The group's id.").fixed(), text("$ref", "The group's address.").link("Group").fixed(),
			text("display", "The group's name.").fixed(), text("type", "How the person is in it.").fixed()).many().fixed(),
	}
}

func enterpriseAttributes() []attribute {
	return []attribute{
		text("employeeNumber", "The number of the person in the company."), text("costCenter", "The cost centre."),
		text("organization", "The organization."), text("division", "The division."),
		text("department", "The department."),
		text("manager", "The person's manager.").of(
			text("value", "The manager's id."), text("$ref", "The manager's address.").link("User"),
			text("displayName", "The manager's name.").fixed()),
	}
}

func groupAttributes() []attribute {
	name := text("displayName", "The name. Unique on this server, with the connection's prefix.")
	name.Required, name.Uniqueness = true, "server"
	return []attribute{name,
		text("members", "The people in the group.").of(
			immutable(text("value", "The person's id.")), immutable(text("$ref", "The person's address.").link("User")),
			immutable(text("type", "Always User.").among("User")), text("display", "The person's name.").fixed()).many()}
}

// commonAttributes are those of every resource, which no schema has (RFC 7643, 3.1).
func commonAttributes() []attribute {
	return []attribute{text("externalId", "The company's own id."), text("meta", "What the server knows of the resource.").
		of(text("resourceType", "").fixed(), text("created", "").fixed(), text("lastModified", "").fixed(),
			text("location", "").fixed(), text("version", "").fixed()).fixed()}
}

func immutable(a attribute) attribute { a.Mutability = "immutable"; return a }

// kind is a kind of resource: its schema, and what extends it.
type kind struct {
	name      string
	endpoint  string
	schema    string
	own       []attribute
	extension string // schema; empty: none
	extra     []attribute
}

// The kinds are read only.
var (
	userKind = kind{name: "User", endpoint: "/Users", schema: userSchema,
		own:       append(userAttributes(), commonAttributes()...),
		extension: enterpriseSchema, extra: enterpriseAttributes()}
	groupKind = kind{name: "Group", endpoint: "/Groups", schema: groupSchema,
		own: append(groupAttributes(), commonAttributes()...)}
)

// find returns the attribute with the name, whatever its case.
func find(among []attribute, name string) (attribute, bool) {
	i := slices.IndexFunc(among, func(a attribute) bool { return strings.EqualFold(a.Name, name) })
	if i < 0 {
		return attribute{}, false
	}
	return among[i], true
}
