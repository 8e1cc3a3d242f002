package commands

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/provider/connections"
	"github.com/portico-id/portico/storage"
)

const scimHelp = `Companies that send their people and groups here (SCIM 2.0), as Microsoft Entra and
Okta do. CONNECTION is the id or the name of a connection.

  portico scim create --name "Example Works" --domain example.com
  portico scim token "Example Works" --label entra
  portico scim calls "Example Works"`

func newSCIMCommand(e *Env) *cobra.Command {
	return group("scim", "Let companies send their people", scimHelp, newSCIMCreate(e), newSCIMList(e), newSCIMToken(e),
		newSCIMTokens(e), newSCIMEndToken(e), newSCIMCalls(e), newSCIMSwitch(e, "disable", "Refuse a company", true),
		newSCIMSwitch(e, "enable", "Let a company in again", false), newSCIMDelete(e))
}

func withConnections(ctx context.Context, e *Env, work func(*connections.Connections) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error { return work(p.Connections()) })
	return inFlags(err, fieldFlag)
}

// withConnection finds the connection whose id or name it is.
func withConnection(ctx context.Context, e *Env, handle string,
	work func(*connections.Connections, storage.SCIMConnection) error) error {
	return withConnections(ctx, e, func(rules *connections.Connections) error {
		all, err := rules.List(ctx)
		if err != nil {
			return err
		}
		for _, c := range all {
			if c.Name == handle {
				handle = c.ID
			}
		}
		c, err := rules.Find(ctx, handle)
		if err != nil {
			return seeAlso(err, "scim list")
		}
		return seeAlso(work(rules, c), "scim tokens CONNECTION")
	})
}

func newSCIMCreate(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "create", Short: "Add a connection", Args: cobra.NoArgs,
		Long: "Add a connection. Then make a token for it.\n\n" +
			"  portico scim create --name \"Example Works\" --domain example.com --prefix \"works \""}
	name := command.Flags().String("name", "", "The company, as people know it.")
	domains := command.Flags().StringArray("domain", nil,
		"Domain of addresses for which the company vouches; may be repeated.")
	prefix := command.Flags().String("prefix", "", "What the names of its groups begin with.")
	asJSON := jsonFlag(command)
	require(command, "name")
	mayBeEmpty(command, "prefix")
	command.RunE = func(command *cobra.Command, _ []string) error {
		return withConnections(command.Context(), e, func(rules *connections.Connections) error {
			c, err := rules.Create(command.Context(), e.act(), connections.Change{Name: name, Domains: domains,
				GroupPrefix: prefix})
			if err != nil {
				return err
			}
			address := noted(e, rules.URL(c))
			if *asJSON {
				return e.printJSON(rules.JSON(c))
			}
			e.printRows([]row{{"Id", c.ID}, {"Name", c.Name}, {"Address", address}})
			return nil
		})
	}
	return command
}

func newSCIMList(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "list", Short: "List connections", Args: cobra.NoArgs,
		Long: "List connections by name.\n\n  portico scim list --json"}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return withConnections(command.Context(), e, func(rules *connections.Connections) error {
			all, err := rules.List(command.Context())
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "connections", "ID NAME PEOPLE GROUPS STATE", all, rules.JSON,
				func(c storage.SCIMConnection) []string {
					state := "enabled"
					if c.Disabled {
						state = "disabled"
					}
					return []string{c.ID, c.Name, strconv.Itoa(c.Users), strconv.Itoa(c.Groups), state}
				})
		})
	}
	return command
}

func newSCIMToken(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "token CONNECTION", Short: "Make a token", Args: cobra.ExactArgs(1),
		Long: "Make a token, which is shown this once. There are two at most: to rotate, make the new\n" +
			"one, enter it at the company, and end the old one.\n\n  portico scim token Works --label entra --days 180"}
	label := command.Flags().String("label", "", "What it is for.")
	days := command.Flags().Int("days", connections.SomeDays, "How many days it lasts.")
	asJSON := jsonFlag(command)
	require(command, "label")
	command.RunE = func(command *cobra.Command, args []string) error {
		return withConnection(command.Context(), e, args[0],
			func(rules *connections.Connections, c storage.SCIMConnection) error {
				token, text, err := rules.AddToken(command.Context(), e.act(), c.ID, *label, *days)
				if err != nil {
					return err
				}
				if *asJSON {
					told := connections.NewTokenJSON(token)
					told.Token = text
					return e.printJSON(told)
				}
				e.printRows([]row{{"Address", noted(e, rules.URL(c))}, {"Token", text}, {"Until", moment(token.EndsAt)}})
				return nil
			})
	}
	return command
}

func newSCIMTokens(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "tokens CONNECTION", Short: "List tokens", Args: cobra.ExactArgs(1),
		Long: "List the tokens of a connection.\n\n  portico scim tokens Works"}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return withConnection(command.Context(), e, args[0],
			func(rules *connections.Connections, c storage.SCIMConnection) error {
				all, err := rules.Tokens(command.Context(), c.ID)
				if err != nil {
					return err
				}
				return printList(e, *asJSON, "tokens", "ID LABEL UNTIL USED", all, connections.NewTokenJSON,
					func(t storage.SCIMToken) []string {
						return []string{t.ID, t.Label, moment(t.EndsAt), moment(t.LastUsedAt)}
					})
			})
	}
	return command
}

func newSCIMEndToken(e *Env) *cobra.Command {
	return &cobra.Command{Use: "end-token CONNECTION TOKEN_ID", Short: "End a token",
		Args: cobra.ExactArgs(2),
		Long: "End a token: requests with it are refused from now on.\n\n  portico scim end-token Works TOKEN_ID",
		RunE: func(command *cobra.Command, args []string) error {
			return withConnection(command.Context(), e, args[0],
				func(rules *connections.Connections, c storage.SCIMConnection) error {
					return rules.EndToken(command.Context(), e.act(), c.ID, args[1])
				})
		}}
}

func newSCIMCalls(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "calls CONNECTION", Short: "List the last calls", Args: cobra.ExactArgs(1),
		Long: "List the last calls of a company, newest first, and what they changed.\n\n  portico scim calls Works"}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return withConnection(command.Context(), e, args[0],
			func(rules *connections.Connections, c storage.SCIMConnection) error {
				all, err := rules.Calls(command.Context(), c.ID)
				if err != nil {
					return err
				}
				return printList(e, *asJSON, "calls", "AT METHOD STATUS PATH DETAIL", all, connections.NewCallJSON,
					func(c storage.SCIMCall) []string {
						return []string{moment(c.At), c.Method, strconv.Itoa(c.Status), c.Path, c.Detail}
					})
			})
	}
	return command
}

func newSCIMSwitch(e *Env, verb, short string, disabled bool) *cobra.Command {
	return &cobra.Command{Use: verb + " CONNECTION", Short: short, Args: cobra.ExactArgs(1),
		Long: short + ", within a second. Its people stay as they are.\n\n  portico scim " + verb + " Works",
		RunE: func(command *cobra.Command, args []string) error {
			return withConnection(command.Context(), e, args[0],
				func(rules *connections.Connections, c storage.SCIMConnection) error {
					_, err := rules.Update(command.Context(), e.act(), c.ID, connections.Change{Disabled: &disabled})
					return err
				})
		}}
}

func newSCIMDelete(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "delete CONNECTION", Short: "Delete a connection", Args: cobra.ExactArgs(1),
		Long: "Delete a connection with its tokens. Its people and groups stay, and are nobody's.\n\n" +
			"  portico scim delete Works --yes"}
	yes := command.Flags().Bool("yes", false, "do not ask")
	command.RunE = func(command *cobra.Command, args []string) error {
		return withConnection(command.Context(), e, args[0],
			func(rules *connections.Connections, c storage.SCIMConnection) error {
				if err := e.confirm(*yes, "Delete the connection %s?", c.Name); err != nil {
					return err
				}
				return rules.Delete(command.Context(), e.act(), c.ID)
			})
	}
	return command
}
