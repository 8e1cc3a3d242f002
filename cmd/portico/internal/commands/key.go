package commands

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

const keyHelp = `The keys that sign tokens. They rotate by themselves: each signs for 90 days, is
published 14 days before, and stays published until its last token has expired.
Each algorithm has keys of its own; a client's registration says which it gets.

  portico key list
  portico key rotate`

func newKeyCommand(e *Env) *cobra.Command {
	return group("key", "List and rotate the keys that sign tokens", keyHelp,
		newKeyList(e), newKeyRotate(e),
	)
}

// withKeys opens the key set around a command's work.
func (e *Env) withKeys(ctx context.Context, work func(*signing.KeySet) error) error {
	store, c, err := e.openStore(ctx)
	if err != nil {
		return err
	}
	keys, err := e.openKeys(ctx, store, c)
	if err == nil {
		err = work(keys)
	}
	return errors.Join(err, store.Close())
}

// openKeys needs the secret that the private halves are sealed with.
func (e *Env) openKeys(ctx context.Context, store storage.SigningKeyStore, c config.Config) (*signing.KeySet, error) {
	c, err := c.WithSecret(e.Ambient)
	if err != nil {
		return nil, err
	}
	ring, err := sealing.New([]byte(c.Secret.Reveal()), previous(c.SecretPrevious), e.Ambient)
	if err != nil {
		return nil, err
	}
	return signing.Open(ctx, signing.Options{
		Store: store, Ring: ring, Ambient: e.Ambient, Issuer: c.BaseURL, Audience: c.TokenAudience,
		TokenLifetime: max(c.Lifetimes.AccessToken, c.Lifetimes.IDToken),
		Log:           slog.New(slog.NewTextHandler(e.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// previous is the secret before, nil when there is none.
func previous(s sealing.Secret) []byte {
	if s == "" {
		return nil
	}
	return []byte(s.Reveal())
}

// keyJSON is a signing key on the command line.
type keyJSON struct {
	KID        string    `json:"kid"`
	Algorithm  string    `json:"alg"`
	State      string    `json:"state"` // next, active or former
	Generation int       `json:"generation"`
	CreatedAt  time.Time `json:"created_at"`
	ActiveFrom time.Time `json:"active_from"`
}

func toKeyJSON(k signing.KeyInfo) keyJSON {
	return keyJSON{KID: k.KID, Algorithm: k.Algorithm, State: string(k.State), Generation: k.Generation, CreatedAt: k.CreatedAt, ActiveFrom: k.ActiveFrom}
}

func newKeyList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List the published keys", Args: cobra.NoArgs,
		Long: `List the published keys, by algorithm and newest first: the next one, the one that
signs now, and former ones whose tokens may still be alive.

  portico key list
  portico key list --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withKeys(command.Context(), func(keys *signing.KeySet) error {
			infos, err := keys.List(command.Context())
			if err != nil {
				return err
			}
			return e.printKeys(*asJSON, infos)
		})
	}
	return command
}

func (e *Env) printKeys(asJSON bool, infos []signing.KeyInfo) error {
	list, lines := make([]keyJSON, len(infos)), make([][]string, len(infos))
	for i, k := range infos {
		list[i] = toKeyJSON(k)
		lines[i] = []string{k.KID, k.Algorithm, string(k.State), strconv.Itoa(k.Generation), moment(k.CreatedAt), moment(k.ActiveFrom)}
	}
	if asJSON {
		return e.printJSON(map[string]any{"keys": list})
	}
	e.printTable("KID ALG STATE GENERATION CREATED ACTIVE-FROM", lines)
	return nil
}

func newKeyRotate(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "rotate", Short: "Let the next key sign", Args: cobra.NoArgs,
		Long: `Let the next key of an algorithm sign from now on, and publish a new next one. Tokens
that are alive stay good: the former key stays published until the last of them has
expired.

Services keep the published keys for up to an hour, so a key that was published less
than an hour ago is refused. --at-once lets it sign all the same, as after a leak:
services that do not look again refuse its tokens for the rest of that hour.

  portico key rotate
  portico key rotate --algorithm ES256
  portico key rotate --at-once`,
	}
	asJSON := jsonFlag(command)
	atOnce := command.Flags().Bool("at-once", false, "Let the next key sign even if it was published less than an hour ago.")
	algorithm := command.Flags().String("algorithm", signing.RS256, "Whose next key signs: "+strings.Join(signing.Algorithms(), ", ")+".")
	complete(command, "algorithm", signing.Algorithms())
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withKeys(command.Context(), func(keys *signing.KeySet) error {
			active, err := keys.Rotate(command.Context(), e.act(), *algorithm, *atOnce)
			if err != nil {
				return err
			}
			if *asJSON {
				return e.printJSON(toKeyJSON(active))
			}
			return e.printKeys(false, []signing.KeyInfo{active})
		})
	}
	return command
}
