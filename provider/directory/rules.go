package directory

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/provider/breakglass"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// Change is what a directory is to be; nil leaves a field as it is.
type Change struct {
	Name        *string
	Position    *int
	Domains     *[]string
	Exclusive   *bool
	GroupPrefix *string
	Secret      *string         // the service account's password
	Config      json.RawMessage // the fields of Config that are to be others
}

// ReasonSecretAnew is the reason of the Conflict fault of a change of where the service
// account's password goes that does not come with it.
const ReasonSecretAnew = "secret_needed"

var idForm = pattern.Of(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`)

// Create adds a directory of a kind (Presets), switched on. The error is a fault.List of
// all that is wrong; Conflict (storage.ReasonUpstreamTaken, storage.ReasonDirectoryNameTaken).
func (d *Directories) Create(ctx context.Context, act storage.Act, id, preset string,
	change Change) (storage.Upstream, error) {
	config, known := Presets()[preset]
	if !known {
		return storage.Upstream{}, invalid("preset", "Say ad, openldap, 389 or ipa.")
	}
	var faults fault.List
	if !idForm().MatchString(id) {
		faults.Add(invalid("id", "An id has 1 to 32 lower-case letters, digits and hyphens."))
	}
	upstream := storage.Upstream{ID: id, Kind: storage.UpstreamLDAP, Name: id, CreatedAt: act.At, UpdatedAt: act.At}
	upstream, connection, err := d.changed(ctx, upstream, config, storage.SCIMConnection{}, change)
	faults.Add(err)
	if err := faults.Err(); err != nil {
		return upstream, err
	}
	connection.CreatedAt = act.At
	return upstream, named(d.with.Store.CreateDirectory(ctx, act, upstream, connection))
}

// Set changes a directory. Where the service account's password would go elsewhere, or
// less safely, it must be given anew: else whoever may change an address could have it
// sent there. Conflict (ReasonSecretAnew); otherwise as Create.
func (d *Directories) Set(ctx context.Context, act storage.Act, id string, change Change) (storage.Upstream, error) {
	return d.set(ctx, act, id, change, nil)
}

// set is Set, and Switch in the same act; nil: that stays as it is.
func (d *Directories) set(ctx context.Context, act storage.Act, id string, change Change,
	disabled *bool) (storage.Upstream, error) {
	one, err := d.find(ctx, id)
	if err != nil {
		return storage.Upstream{}, err
	}
	known, err := d.known(ctx, one.Upstream)
	if err != nil {
		return one.Upstream, err
	}
	fresh, err := configOf(one.Upstream) // what is changed shares nothing with what is in use
	if err != nil {
		return one.Upstream, err
	}
	was := storage.SCIMConnection{GroupPrefix: known[id].GroupPrefix}
	after, connection, err := d.changed(ctx, one.Upstream, fresh, was, change)
	if err != nil {
		return after, err
	}
	config, err := configOf(after)
	if err != nil {
		return after, err
	}
	before := one.config
	elsewhere := !slices.Equal(before.Hosts, config.Hosts) || before.StartTLS != config.StartTLS ||
		before.CA != config.CA || !slices.Equal(before.Networks, config.Networks)
	if elsewhere && change.Secret == nil && after.Secret != nil {
		return after, fault.New(fault.Conflict, ReasonSecretAnew,
			"The password of the service account would go to another server from now on. Give it anew.").At("secret")
	}
	return after, named(d.with.Store.UpdateDirectory(ctx, act, after, connection, disabled))
}

// changed returns the directory as it is to be, with the connection of its people.
func (d *Directories) changed(ctx context.Context, upstream storage.Upstream, config Config,
	connection storage.SCIMConnection, change Change) (storage.Upstream, storage.SCIMConnection, error) {
	var faults fault.List
	if change.Config != nil {
		var err error
		faults.Add(config.merge(change.Config))
		config.Vouch, err = said.Domains("vouches_for", config.Vouch)
		faults.Add(err)
	}
	faults.Add(change.apply(&upstream, &connection))
	if change.Secret != nil {
		upstream.Secret = seal(d.with.Ring, upstream.ID, *change.Secret)
	}
	faults.Add(config.check())
	if err := faults.Err(); err != nil {
		return upstream, connection, err
	}
	connection.ID, connection.Name, connection.Domains = upstream.ID, upstream.Name, upstream.Domains
	text, err := json.Marshal(config)
	if err != nil {
		return upstream, connection, err
	}
	upstream.Config = string(text)
	return upstream, connection, breakglass.Check(ctx, d.with.Store, upstream)
}

func (c Change) apply(upstream *storage.Upstream, connection *storage.SCIMConnection) error {
	if c.Name != nil {
		upstream.Name = strings.TrimSpace(*c.Name)
	}
	if c.Position != nil {
		upstream.Position = *c.Position
	}
	if c.Exclusive != nil {
		upstream.Exclusive = *c.Exclusive
	}
	if c.GroupPrefix != nil {
		connection.GroupPrefix = *c.GroupPrefix
	}
	if c.Domains != nil {
		var err error
		if upstream.Domains, err = said.Domains("domains", *c.Domains); err != nil {
			return err
		}
	}
	if upstream.Name == "" || line(upstream.Name) != upstream.Name {
		return invalid("name", "A name has 1 to 100 characters.")
	}
	prefix := connection.GroupPrefix // may end in a space
	if utf8.RuneCountInString(prefix) > 50 || !textkey.IsLine(strings.TrimRight(prefix, " ")) {
		return invalid("group_prefix", "A prefix has at most 50 characters.")
	}
	return nil
}

// named says about which field a Conflict is.
func named(err error) error {
	if fault.HasReason(err, storage.ReasonDirectoryNameTaken) {
		return fault.From(err).At("name")
	}
	return err
}

// Switch lets people sign in by the directory, or nobody: then everything that rests on
// it ends in the same moment. NotFound.
func (d *Directories) Switch(ctx context.Context, act storage.Act, id string, disabled bool) error {
	if _, err := d.find(ctx, id); err != nil {
		return err
	}
	return d.with.Store.SetUpstreamDisabled(ctx, act, id, disabled)
}

// Delete removes the directory with what it knows people by, and ends what rests on it.
// People stay. NotFound.
func (d *Directories) Delete(ctx context.Context, act storage.Act, id string) error {
	if _, err := d.find(ctx, id); err != nil {
		return err
	}
	return d.with.Store.DeleteDirectory(ctx, act, id)
}

// View is a directory as it is told, without its secret.
type View struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Disabled    bool     `json:"disabled"`
	Position    int      `json:"position"`
	Domains     []string `json:"domains"`
	Exclusive   bool     `json:"exclusive"`
	GroupPrefix string   `json:"group_prefix"`
	HasSecret   bool     `json:"has_secret"`
	Config      Config   `json:"config"`
	People      int      `json:"people"` // who are connected
	Walk        WalkView `json:"last_walk"`
}

// WalkView is the last walk, as it is told.
type WalkView struct {
	EndedAt *time.Time `json:"ended_at"` // nil: there was none
	Outcome string     `json:"outcome"`
	Detail  string     `json:"detail"`
	People  int        `json:"people"`
	Groups  int        `json:"groups"`
	Changed int        `json:"changed"`
	Missing int        `json:"missing"`
	Skipped int        `json:"skipped"`
}

// Show returns the directory as it is told. NotFound.
func (d *Directories) Show(ctx context.Context, id string) (View, error) {
	one, err := d.find(ctx, id)
	if err != nil {
		return View{}, err
	}
	known, err := d.known(ctx, one.Upstream)
	if err != nil {
		return View{}, err
	}
	return newView(one, known[id]), nil
}

// known returns what is known of directories beside their upstreams, by id. One that is not
// there was deleted meanwhile.
func (d *Directories) known(ctx context.Context, all ...storage.Upstream) (map[string]storage.Directory, error) {
	ids := make([]string, len(all))
	for i, upstream := range all {
		ids[i] = upstream.ID
	}
	found, err := d.with.Store.FindDirectories(ctx, ids)
	known := map[string]storage.Directory{}
	for _, one := range found {
		known[one.UpstreamID] = one
	}
	return known, err
}

func newView(one directory, known storage.Directory) View {
	return View{ID: one.ID, Name: one.Name, Disabled: one.Disabled, Position: one.Position,
		Domains: append([]string{}, one.Domains...), Exclusive: one.Exclusive, GroupPrefix: known.GroupPrefix,
		HasSecret: one.Secret != nil, Config: one.config, People: known.Connected, Walk: NewWalkView(known.DirectoryWalk)}
}

// NewWalkView tells of a walk.
func NewWalkView(w storage.DirectoryWalk) WalkView {
	view := WalkView{Outcome: w.Outcome, Detail: w.Detail, People: w.People, Groups: w.Groups, Changed: w.Changed,
		Missing: w.Missing, Skipped: w.Skipped}
	if !w.EndedAt.IsZero() {
		view.EndedAt = &w.EndedAt
	}
	return view
}

// List returns all directories by position and id.
func (d *Directories) List(ctx context.Context) ([]View, error) {
	all, err := d.all(ctx)
	if err != nil {
		return nil, err
	}
	known, err := d.known(ctx, all...)
	if err != nil {
		return nil, err
	}
	var views []View
	for _, upstream := range all {
		one, err := d.open(upstream)
		if err != nil {
			return nil, err
		}
		views = append(views, newView(one, known[upstream.ID]))
	}
	return views, nil
}

// Said reads what somebody says of a directory as NAME=VALUE, lists with commas.
func Said(pairs map[string]string) (Change, error) {
	var c Change
	var faults fault.List
	object := map[string]any{}
	for name, value := range pairs {
		switch name {
		case "name":
			c.Name = &value
		case "group_prefix":
			c.GroupPrefix = &value
		case "domains":
			c.Domains = new(said.List(value))
		case "exclusive":
			on, err := said.Flag(name, value)
			faults.Add(err)
			c.Exclusive = &on
		case "position":
			n, err := strconv.Atoi(cmp.Or(value, "0"))
			if err != nil {
				faults.Add(invalid(name, "A position is a whole number."))
			}
			c.Position = &n
		default:
			form, err := formOf(name, value)
			faults.Add(err)
			object[name] = form
		}
	}
	if err := faults.Err(); err != nil {
		return c, err
	}
	var err error
	c.Config, err = json.Marshal(object)
	return c, err
}

// formOf is the value as the field of Config wants it.
func formOf(name, value string) (any, error) {
	for _, form := range []any{value, said.List(value), true} {
		object, err := json.Marshal(map[string]any{name: form})
		if err != nil {
			return nil, err
		}
		if (&Config{}).merge(object) != nil {
			continue
		}
		if form == true {
			return said.Flag(name, value)
		}
		return form, nil
	}
	return nil, invalid(name, "There is no such field.")
}

// SetGroups says which groups there, by their DN, are which here. NotFound.
func (d *Directories) SetGroups(ctx context.Context, act storage.Act, id string, groups []storage.UpstreamGroup) error {
	if _, err := d.find(ctx, id); err != nil {
		return err
	}
	for i := range groups {
		groups[i].External = keyOf(groups[i].External)
	}
	return d.with.Store.SetUpstreamGroups(ctx, act, id, groups)
}
