// Package policy is what administrators decide for the whole server: who must have a
// second factor, who may register apps and how
// many, and whether clients register themselves. They say it on their page, by
// /admin/v1/policy and on the command line; a setting goes before, and the page says so.
//
// It asks nobody for a factor and registers nothing: packages provider and provider/apps
// ask it. Start at Policy.Set and Current; NewDesk for the page, NewAPI for the API.
package policy

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/fresh"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// The names of the decisions, as the API and the command line have them.
const (
	SecondFactor  = "second_factor"   // voluntary, administrators or everybody
	RegisterApps  = "register_apps"   // everybody, administrators or group:NAME
	AppsPerPerson = "apps_per_person" // how many apps somebody may have registered

	DynamicRegistration = "dynamic_registration" // closed, token or open: how clients register themselves
	MetadataDocuments   = "metadata_documents"   // off, all or hosts: whose documents describe clients
)

// Reasons of the faults.
const (
	ReasonField       = "invalid_field"
	ReasonFixed       = "set_by_the_settings"
	ReasonRegistering = "may_not_register"
)

// Words of the decisions.
const (
	Voluntary      = "voluntary"
	Administrators = "administrators"
	Everybody      = "everybody"
	GroupPrefix    = "group:"

	Closed  = "closed"
	ByToken = "token"
	Open    = "open"

	Off = "off"
)

const (
	maxApps  = 10_000
	maxHosts = 2000 // characters
)

// hosts are names of hosts, with their ports where they have other than usual, and with a
// minus before it what is not meant: a host, or the address of one document.
var hosts = pattern.Of("^" + host + "( -?" + host + "| -https://" + host + `/[!-~]+)*$`)

const host = `[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?`

// Decisions are what was decided, by their names.
type Decisions map[string]string

// usual is what holds where nobody decided.
func usual() Decisions {
	return Decisions{SecondFactor: Voluntary, RegisterApps: Everybody, AppsPerPerson: "100",
		DynamicRegistration: Closed, MetadataDocuments: Off}
}

// Names are the decisions in the order of the page.
func Names() []string {
	return []string{SecondFactor, RegisterApps, AppsPerPerson, DynamicRegistration, MetadataDocuments}
}

// Store is what a Policy keeps and looks up.
type Store interface {
	storage.PolicyStore

	// Of storage.UserStore and storage.UserGroupStore.
	FindUser(ctx context.Context, id string) (storage.User, error)
	FindUserGroupByName(ctx context.Context, name string) (storage.UserGroup, error)
	ListGroupsOfUser(ctx context.Context, userID string) ([]storage.UserGroup, error)
}

// Policy knows what was decided. It is safe for concurrent use.
type Policy struct {
	store Store
	fixed Decisions
	said  *fresh.Value[map[string]string]
}

// New returns a Policy. What is fixed, by the settings, nobody decides otherwise; empty
// values are none.
func New(store Store, source *ambient.Source, fixed Decisions) *Policy {
	kept := Decisions{}
	for name, value := range fixed {
		if value != "" {
			kept[name] = value
		}
	}
	return &Policy{store, kept, fresh.New(source, store.FindPolicy)}
}

// Fixed reports whether a setting decides it.
func (p *Policy) Fixed(name string) bool { return p.fixed[name] != "" }

// Learn reads what was decided, before anybody goes by it: what is usual may let in whom
// the policy does not.
func (p *Policy) Learn(ctx context.Context) error { return p.said.Learn(ctx) }

// Current returns what holds now.
func (p *Policy) Current() Decisions { return p.over(p.said.Get()) }

// Said returns what holds, as it is in the database at this moment.
func (p *Policy) Said(ctx context.Context) (Decisions, error) {
	said, err := p.store.FindPolicy(ctx)
	return p.over(said), err
}

func (p *Policy) over(said map[string]string) Decisions {
	all := usual()
	for _, from := range []map[string]string{said, p.fixed} {
		maps.Copy(all, from)
	}
	return all
}

// Set decides anew what the change names; an empty value leaves it to what is usual. The
// error is a fault.List of all that is wrong.
func (p *Policy) Set(ctx context.Context, act storage.Act, change Decisions) (Decisions, error) {
	var faults fault.List
	for name, value := range change {
		change[name] = strings.TrimSpace(value)
		faults.Add(p.check(ctx, name, change[name]))
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if err := p.store.SetPolicy(ctx, act, change); err != nil {
		return nil, err
	}
	p.said.Forget()
	return p.Said(ctx)
}

func (p *Policy) check(ctx context.Context, name, value string) error {
	usual, known := usual()[name]
	switch {
	case !known:
		return fault.New(fault.Invalid, ReasonField, "There is no such field.").At(name)
	case p.Fixed(name):
		return fault.Newf(fault.Conflict, ReasonFixed, "The setting %s decides this.", settings[name]).At(name)
	case value == "" || value == usual:
		return nil
	}
	if err := Check(name, value); err != nil {
		return fault.From(err).At(name)
	}
	group, isGroup := strings.CutPrefix(value, GroupPrefix)
	if !isGroup {
		return nil
	}
	_, err := p.store.FindUserGroupByName(ctx, group)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Invalid, ReasonField, "There is no such group.").At(name).Because(err)
	}
	return err
}

// settings are what the decisions are called in the environment.
var settings = map[string]string{SecondFactor: "PORTICO_SECOND_FACTOR", RegisterApps: "PORTICO_REGISTER_APPS",
	AppsPerPerson: "PORTICO_APPS_PER_PERSON"}

// Check judges a decision by itself.
func Check(name, value string) error {
	group, isGroup := strings.CutPrefix(value, GroupPrefix)
	number, err := strconv.Atoi(value)
	fits, wanted := false, ""
	switch name {
	case SecondFactor:
		fits = value == Voluntary || value == Administrators || value == Everybody
		wanted = "This must be voluntary, administrators or everybody."
	case RegisterApps:
		fits = value == Everybody || value == Administrators || isGroup && group != ""
		wanted = "This must be everybody, administrators, or group: and the name of a group."
	case DynamicRegistration:
		fits = value == Closed || value == ByToken || value == Open
		wanted = "This must be closed, token or open."
	case MetadataDocuments:
		fits = len(value) <= maxHosts && hosts().MatchString(value) // off and all are names like others
		wanted = "This must be off, all, or names of hosts with blanks between them; -HOST blocks one."
	case AppsPerPerson:
		fits = err == nil && number >= 0 && number <= maxApps
		wanted = "This must be a number from 0 to 10000; 0 is without bound."
	}
	if !fits {
		return fault.New(fault.Invalid, ReasonField, wanted)
	}
	return nil
}

// Demands reports whether the user must have a second factor.
func (p *Policy) Demands(user storage.User) bool {
	who := p.Current()[SecondFactor]
	return who == Everybody || who == Administrators && user.Admin
}

// MayRegister returns how many apps the person may have registered, 0 for any number.
// Forbidden (ReasonRegistering) for who may register none.
func (p *Policy) MayRegister(ctx context.Context, userID string) (atMost int, err error) {
	said, err := p.Said(ctx)
	if err != nil {
		return 0, err
	}
	user, err := p.store.FindUser(ctx, userID)
	if err != nil || user.Admin {
		return 0, err
	}
	refused := fault.New(fault.Forbidden, ReasonRegistering,
		"Apps are registered by others here: ask an administrator of this server for one.")
	if said[RegisterApps] == Administrators {
		return 0, refused
	}
	if group, isGroup := strings.CutPrefix(said[RegisterApps], GroupPrefix); isGroup {
		in, err := p.isIn(ctx, userID, group)
		if err != nil {
			return 0, err
		}
		if !in {
			return 0, refused
		}
	}
	atMost, _ = strconv.Atoi(said[AppsPerPerson]) // judged when it was said
	return atMost, nil
}

func (p *Policy) isIn(ctx context.Context, userID, name string) (bool, error) {
	group, err := p.store.FindUserGroupByName(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return false, nil // nobody is in a group that is gone
	}
	if err != nil {
		return false, err
	}
	groups, err := p.store.ListGroupsOfUser(ctx, userID)
	return slices.ContainsFunc(groups, func(g storage.UserGroup) bool { return g.ID == group.ID }), err
}
