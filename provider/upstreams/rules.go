package upstreams

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/provider/breakglass"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// Change says what of an upstream is to be different, by the names of the fields of
// Config and name, position, domains, exclusive; lists have commas.
type Change map[string]string

var idForm = pattern.Of(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`)

// Create adds an upstream from a preset, switched on. The error is a fault.List of all
// that is wrong.
func (u *Upstreams) Create(ctx context.Context, act storage.Act, id, preset, secret string,
	change Change) (storage.Upstream, error) {
	from, known := Presets()[preset]
	if !known {
		return storage.Upstream{}, invalid("preset", "There is no such preset.")
	}
	var faults fault.List
	if !idForm().MatchString(id) {
		faults.Add(invalid("id", "An id has 1 to 32 lower-case letters, digits and hyphens."))
	}
	upstream := storage.Upstream{ID: id, Kind: from.Kind, Name: cmp.Or(from.Name, id), CreatedAt: act.At,
		UpdatedAt: act.At, Secret: u.seal(id, secret)}
	upstream, err := u.changed(ctx, upstream, from.Config, change)
	faults.Add(err)
	if err := faults.Err(); err != nil {
		return upstream, err
	}
	defer u.all.Forget()
	return upstream, u.with.Store.CreateUpstream(ctx, act, upstream)
}

// ReasonSecretAnew is the reason of the Conflict fault of a change of where the secret
// goes that does not come with it.
const ReasonSecretAnew = "secret_needed"

// Set changes an upstream; an empty secret leaves the one that is there. Where the
// secret would go elsewhere it must be given anew: else whoever may change an address
// could send the secret there. Errors as Create.
func (u *Upstreams) Set(ctx context.Context, act storage.Act, id, secret string,
	change Change) (storage.Upstream, error) {
	return u.set(ctx, act, id, secret, change, nil)
}

// set is Set, and Disable in the same act; nil: that stays as it is.
func (u *Upstreams) set(ctx context.Context, act storage.Act, id, secret string, change Change,
	disabled *bool) (storage.Upstream, error) {
	upstream, err := u.Find(ctx, id)
	if err != nil {
		return upstream, err
	}
	before, err := configOf(upstream)
	if err != nil {
		return upstream, err
	}
	if upstream, err = u.changed(ctx, upstream, before, change); err != nil {
		return upstream, err
	}
	after, err := configOf(upstream)
	if err != nil {
		return upstream, err
	}
	elsewhere := after.Issuer != before.Issuer || !slices.Equal(after.Networks, before.Networks)
	if elsewhere && secret == "" && upstream.Secret != nil {
		return upstream, fault.New(fault.Conflict, ReasonSecretAnew,
			"The secret would go to another server from now on. Give it anew.").At("secret")
	}
	if secret != "" {
		upstream.Secret = u.seal(id, secret)
	}
	defer u.all.Forget()
	return upstream, u.with.Store.UpdateUpstream(ctx, act, upstream, storage.UpstreamEnds{
		Everybody: after.narrower(before), Rechecks: after.ClientID != before.ClientID, // its tokens are the client's
		Clients: missing(before.AssertionClients, after.AssertionClients), Disabled: disabled})
}

// missing are those of before that are not there any more.
func missing(before, after []string) []string {
	return slices.DeleteFunc(slices.Clone(before), func(one string) bool { return slices.Contains(after, one) })
}

// narrower reports whether people signed in before who would not be let in now, or not as
// strongly: their sign-ins end.
func (c Config) narrower(before Config) bool {
	closes := func(was, is []string) bool { return len(is) > 0 && (len(was) == 0 || len(missing(was, is)) > 0) }
	weaker := before.TrustFactors && (!c.TrustFactors || len(missing(before.FactorACRs, c.FactorACRs)) > 0)
	return c.Issuer != before.Issuer || closes(before.Tenants, c.Tenants) || closes(before.Hosted, c.Hosted) || weaker
}

// changed returns the upstream as it is to be.
func (u *Upstreams) changed(ctx context.Context, upstream storage.Upstream, config Config,
	change Change) (storage.Upstream, error) {
	var faults fault.List
	before := config.AssertionClients
	for name, value := range change {
		switch name {
		case "name":
			upstream.Name = strings.TrimSpace(value)
		case "position":
			var err error
			if upstream.Position, err = strconv.Atoi(cmp.Or(value, "0")); err != nil {
				faults.Add(invalid(name, "A position is a whole number."))
			}
		case "exclusive":
			var err error
			upstream.Exclusive, err = said.Flag(name, value)
			faults.Add(err)
		case "domains":
			var err error
			upstream.Domains, err = said.Domains(name, said.List(value))
			faults.Add(err)
		case "join_domains", "vouches_for":
			domains, err := said.Domains(name, said.List(value))
			faults.Add(err)
			faults.Add(config.set(name, strings.Join(domains, ",")))
		default:
			faults.Add(config.set(name, value))
		}
	}
	if upstream.Name == "" || utf8.RuneCountInString(upstream.Name) > maxName || !textkey.IsLine(upstream.Name) {
		faults.Add(invalid("name", "A name has 1 to 100 characters."))
	}
	faults.Add(config.check(upstream.Kind))
	faults.Add(u.known(ctx, missing(config.AssertionClients, before)))
	if err := faults.Err(); err != nil {
		return upstream, err
	}
	if err := breakglass.Check(ctx, u.with.Store, upstream); err != nil {
		return upstream, err
	}
	text, err := json.Marshal(config)
	upstream.Config = string(text)
	return upstream, err
}

// known refuses a client that is not there: whoever slips in its id must not believe that it
// is vouched to. Those that were named before may be gone.
func (u *Upstreams) known(ctx context.Context, ids []string) error {
	for _, id := range ids {
		_, err := u.with.Store.FindClient(ctx, id)
		if fault.Is(err, fault.NotFound) {
			err = fault.Newf(fault.Invalid, "invalid_value", "There is no client %q.", id).At("assertion_clients")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const maxName = 100 // characters

// Disable switches the upstream off, which ends what rests on it, or on again. NotFound.
func (u *Upstreams) Disable(ctx context.Context, act storage.Act, id string, off bool) error {
	if _, err := u.Find(ctx, id); err != nil {
		return err
	}
	defer u.all.Forget()
	return u.with.Store.SetUpstreamDisabled(ctx, act, id, off)
}

// Delete removes the upstream with what it knows people by; the people stay. NotFound.
func (u *Upstreams) Delete(ctx context.Context, act storage.Act, id string) error {
	if _, err := u.Find(ctx, id); err != nil {
		return err
	}
	defer u.all.Forget()
	return u.with.Store.DeleteUpstream(ctx, act, id)
}

// SetGroups says which groups there are which here, in place of what was said before. NotFound.
func (u *Upstreams) SetGroups(ctx context.Context, act storage.Act, id string, groups []storage.UpstreamGroup) error {
	if _, err := u.Find(ctx, id); err != nil {
		return err
	}
	return u.with.Store.SetUpstreamGroups(ctx, act, id, groups)
}

// set changes a field by its name.
func (c *Config) set(name, value string) error {
	fields := reflect.ValueOf(c).Elem()
	for i := range fields.NumField() {
		tag, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		if tag != name {
			continue
		}
		switch field := fields.Field(i); field.Kind() {
		case reflect.Bool:
			on, err := said.Flag(name, value)
			field.SetBool(on)
			return err
		case reflect.Slice:
			field.Set(reflect.ValueOf(said.List(value)))
		default:
			field.SetString(strings.TrimSpace(value))
		}
		return nil
	}
	return invalid(name, "There is no such field.")
}

// said is what the fields say, by their names.
func (c *Config) said() map[string]string {
	all, fields := map[string]string{}, reflect.ValueOf(c).Elem()
	for i := range fields.NumField() {
		tag, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		if many, list := fields.Field(i).Interface().([]string); list {
			all[tag] = strings.Join(many, ",")
			continue
		}
		all[tag] = fmt.Sprint(fields.Field(i).Interface())
	}
	return all
}

// List returns the upstreams that people visit, by their position; directories are
// package directory's.
func (u *Upstreams) List(ctx context.Context) ([]storage.Upstream, error) {
	all, err := u.with.Store.ListUpstreams(ctx)
	return slices.DeleteFunc(all, func(one storage.Upstream) bool { return one.Kind == storage.UpstreamLDAP }), err
}

// Find returns one of them. NotFound.
func (u *Upstreams) Find(ctx context.Context, id string) (storage.Upstream, error) {
	found, err := u.with.Store.FindUpstream(ctx, id)
	if err == nil && found.Kind == storage.UpstreamLDAP || fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "no_such_upstream", "There is no such upstream.").Because(err)
	}
	return found, err
}

// View is an upstream as it is told, without its secret.
type View struct {
	ID        string   `json:"id"`
	Kind      string   `json:"kind"`
	Name      string   `json:"name"`
	Disabled  bool     `json:"disabled"`
	Position  int      `json:"position"`
	Domains   []string `json:"domains"`
	Exclusive bool     `json:"exclusive"`
	HasSecret bool     `json:"has_secret"`
	Config    Config   `json:"config"`
}

// JSON returns the upstream as it is told.
func JSON(u storage.Upstream) View {
	config, _ := configOf(u) // we wrote it
	return View{u.ID, u.Kind, u.Name, u.Disabled, u.Position, append([]string{}, u.Domains...), u.Exclusive,
		u.Secret != nil, config}
}
