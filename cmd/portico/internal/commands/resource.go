package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/catalogue"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

const resourceHelp = `Services that access tokens are for: clients name them as "resource" (RFC 8707), and their
tokens have the address as aud. RESOURCE is the id or the address of one. Fields are resource,
name, scope, default_scope, everyone (true or false), clients (ids with commas between),
client_id (its own client, which introspects), signing_alg, lifetime (seconds),
bound_access_tokens (true or false), acr and max_age (seconds).

  portico resource create https://orders.example.com "scope=orders:read orders:write" everyone=true
  portico resource set https://orders.example.com default_scope=orders:read lifetime=600
  portico resource disable https://orders.example.com`

func newResourceCommand(e *Env) *cobra.Command {
	return group("resource", "Say what access tokens can be for", resourceHelp,
		newResourceCreate(e), newResourceSet(e), newResourceList(e), newResourceShow(e),
		newResourceSwitch(e, "enable", "Enable a resource; tokens of before stay ended", false),
		newResourceSwitch(e, "disable", "Disable a resource, which ends its tokens within a second", true),
		newResourceDelete(e),
	)
}

func withCatalogue(ctx context.Context, e *Env, work func(*catalogue.Catalogue) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error { return work(p.Catalogue()) })
	return seeAlso(inFlags(err, func(f *fault.Error) string { return f.Source }), "resource list")
}

// resourceChange reads FIELD=VALUE.
func resourceChange(args []string) (change catalogue.Change, err error) {
	fields := map[string]any{}
	for _, arg := range args {
		field, value, found := strings.Cut(arg, "=")
		if !found {
			return change, usagef("%q is not of the form field=value", arg)
		}
		if err := put[any](fields, field, value); err != nil {
			return change, err
		}
		switch field {
		case "everyone", "bound_access_tokens":
			fields[field], err = strconv.ParseBool(cmp.Or(value, "false"))
		case "lifetime", "max_age":
			fields[field], err = strconv.Atoi(cmp.Or(value, "0"))
		case "clients":
			fields[field] = strings.FieldsFunc(value, func(c rune) bool { return c == ',' || c == ' ' })
		}
		if err != nil {
			return change, usagef("%q is not of the form that %s has", value, field)
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return change, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&change) != nil || change.Disabled != nil {
		return change, usagef("the fields are: resource, name, scope, default_scope, everyone, clients, client_id, " +
			"signing_alg, lifetime, bound_access_tokens, acr and max_age")
	}
	return change, nil
}

func newResourceCreate(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "create ADDRESS [FIELD=VALUE...]", Short: "Add a resource", Args: cobra.MinimumNArgs(1),
		Long: `Add a resource, and print it as JSON.

  portico resource create https://orders.example.com name=Orders scope=orders:read everyone=true`,
		RunE: func(command *cobra.Command, args []string) error {
			change, err := resourceChange(append([]string{"resource=" + args[0]}, args[1:]...))
			if err != nil {
				return err
			}
			return withCatalogue(command.Context(), e, func(c *catalogue.Catalogue) error {
				made, err := c.Create(command.Context(), e.act(), change)
				if err != nil {
					return err
				}
				return e.printJSON(catalogue.NewJSON(made))
			})
		},
	}
}

// onResource makes a command that does something with a resource.
func onResource(e *Env, command *cobra.Command,
	do func(ctx context.Context, c *catalogue.Catalogue, r storage.Resource, args []string) error) *cobra.Command {
	command.RunE = func(command *cobra.Command, args []string) error {
		return withCatalogue(command.Context(), e, func(c *catalogue.Catalogue) error {
			r, err := c.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			return do(command.Context(), c, r, args[1:])
		})
	}
	return command
}

func newResourceSet(e *Env) *cobra.Command {
	return onResource(e, &cobra.Command{
		Use: "set RESOURCE FIELD=VALUE...", Short: "Change fields of a resource", Args: cobra.MinimumNArgs(2),
		Long: `Change fields of a resource, and print it as JSON. An empty value takes what was said back.

  portico resource set https://orders.example.com default_scope=orders:read
  portico resource set https://orders.example.com everyone=false clients=3s5…`,
	}, func(ctx context.Context, c *catalogue.Catalogue, r storage.Resource, args []string) error {
		change, err := resourceChange(args)
		if err != nil {
			return err
		}
		changed, err := c.Update(ctx, e.act(), r.ID, change)
		if err != nil {
			return err
		}
		return e.printJSON(catalogue.NewJSON(changed))
	})
}

func newResourceList(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "list", Short: "List resources", Args: cobra.NoArgs,
		Long: "List resources by name.\n\n  portico resource list --json"}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return withCatalogue(command.Context(), e, func(c *catalogue.Catalogue) error {
			all, err := c.List(command.Context())
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "resources", "ID RESOURCE NAME SCOPE STATE", all, catalogue.NewJSON,
				func(r storage.Resource) []string {
					return []string{r.ID, r.Identifier, r.Name, scope.Format(r.Scopes), standing(false, r.Disabled)}
				})
		})
	}
	return command
}

func newResourceShow(e *Env) *cobra.Command {
	return onResource(e, &cobra.Command{Use: "show RESOURCE", Short: "Show a resource, as JSON", Args: cobra.ExactArgs(1),
		Long: "Show a resource, as JSON.\n\n  portico resource show https://orders.example.com"},
		func(_ context.Context, _ *catalogue.Catalogue, r storage.Resource, _ []string) error {
			return e.printJSON(catalogue.NewJSON(r))
		})
}

func newResourceSwitch(e *Env, name, short string, disabled bool) *cobra.Command {
	return onResource(e, &cobra.Command{Use: name + " RESOURCE", Short: short, Args: cobra.ExactArgs(1),
		Long: short + ".\n\n  portico resource " + name + " https://orders.example.com"},
		func(ctx context.Context, c *catalogue.Catalogue, r storage.Resource, _ []string) error {
			_, err := c.Update(ctx, e.act(), r.ID, catalogue.Change{Disabled: &disabled})
			return err
		})
}

func newResourceDelete(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "delete RESOURCE", Short: "Remove a resource, which ends its tokens",
		Args: cobra.ExactArgs(1), Long: `Remove a resource, which ends its tokens within a second. It asks first; scripts say
--yes. To stop it for a while, disable it instead.

  portico resource delete https://orders.example.com --yes`}
	yes := yesFlag(command)
	return onResource(e, command, func(ctx context.Context, c *catalogue.Catalogue, r storage.Resource, _ []string) error {
		if err := e.confirm(*yes, "Remove %s (%s) with all its tokens?", r.Name, r.Identifier); err != nil {
			return err
		}
		return c.Delete(ctx, e.act(), r.ID)
	})
}
