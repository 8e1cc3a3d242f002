package commands

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/gate/signing"
)

const keyHelp = `The keys that sign tokens. They rotate by themselves: each signs for 90 days, is
published 14 days before, and stays published until its last token has expired.
Each algorithm has keys of its own; a client's registration says which it gets.

  portico key list
  portico key rotate
  portico key forget`

func newKeyCommand(e *Env) *cobra.Command {
	return group("key", "List, rotate and forget the keys that sign tokens", keyHelp,
		newKeyList(e), newKeyRotate(e), newKeyImport(e), newKeyForget(e),
	)
}

// withKeys opens the key set around a command's work.
func (e *Env) withKeys(ctx context.Context, work func(*signing.KeySet) error) error {
	return e.with(ctx, func(p *wiring.Parts) error {
		keys, err := p.Keys(ctx)
		if err != nil {
			return err
		}
		return work(keys)
	})
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
	return keyJSON{KID: k.KID, Algorithm: k.Algorithm, State: string(k.State), Generation: k.Generation,
		CreatedAt: k.CreatedAt, ActiveFrom: k.ActiveFrom}
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
	const header = "KID ALG STATE GENERATION CREATED ACTIVE-FROM"
	return printList(e, asJSON, "keys", header, infos, toKeyJSON, func(k signing.KeyInfo) []string {
		generation := strconv.Itoa(k.Generation)
		return []string{k.KID, k.Algorithm, string(k.State), generation, moment(k.CreatedAt), moment(k.ActiveFrom)}
	})
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
  portico key rotate --at-once
  portico key rotate --at-once --algorithm all

With --algorithm all and --json the output is one object with "keys".`,
	}
	asJSON := jsonFlag(command)
	atOnce := command.Flags().Bool("at-once", false,
		"Let the next key sign even if it was published less than an hour ago.")
	algorithm := command.Flags().String("algorithm", signing.RS256,
		"Whose next key signs: "+strings.Join(signing.Algorithms(), ", ")+", or "+allAlgorithms+".")
	complete(command, "algorithm", append(signing.Algorithms(), allAlgorithms))
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withKeys(command.Context(), func(keys *signing.KeySet) error {
			if *algorithm == allAlgorithms {
				return rotateAll(command.Context(), e, keys, *atOnce, *asJSON)
			}
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

// allAlgorithms stands for each of them: whoever has had one key has had those of the others.
const allAlgorithms = "all"

// rotateAll lets the next key of each algorithm sign. One that may not yet keeps no other back.
func rotateAll(ctx context.Context, e *Env, keys *signing.KeySet, atOnce, asJSON bool) error {
	var active []signing.KeyInfo
	var failed error
	for _, algorithm := range signing.Algorithms() {
		key, err := keys.Rotate(ctx, e.act(), algorithm, atOnce)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		active = append(active, key)
	}
	return errors.Join(e.printKeys(asJSON, active), failed)
}
