// Package commands is the command line: one file per noun, each with a
// constructor that returns its cobra command.
//
// A command reads flags, calls the rules of an area and prints; it has no rules
// of its own. Start at root.go for the tree and at Env for what a command may
// use.
package commands

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/dataapi/mcp"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// commandConns is enough for a command that does one thing at a time.
const commandConns = 2

// Env is everything of the process that a command may touch. One Env serves
// one run.
type Env struct {
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string // NAME=value, as os.Environ returns it
	Ambient *ambient.Source
	Routes  string           // all that the server answers, a page of text
	Hasher  *password.Hasher // as wiring.Options has it
	Store   *sqlstore.Store  // nil: each command opens that of the configuration, and closes it

	Pair func() (*rsa.PrivateKey, error) // as wiring.Options has it

	flags  map[string]string // settings that were given as flags
	inside bool              // a command has begun its work: what fails now is no slip in the flags
}

// config returns the configuration from the file, the environment and the
// flags.
func (e *Env) config() (config.Config, error) {
	return config.Load(config.Sources{Environ: e.Environ, Flags: e.flags})
}

// variable is one of the environment; of several the last counts.
func variable(e *Env, name string) (value string) {
	for _, setting := range e.Environ {
		if is, ok := strings.CutPrefix(setting, name+"="); ok {
			value = is
		}
	}
	return value
}

// with opens the database of the configuration around a command's work. Its
// schema must be in order: a command run in the wrong folder must not make a
// database there. What the command is not told itself it takes from the server
// on the database.
func (e *Env) with(ctx context.Context, work func(*wiring.Parts) error) error {
	c, err := e.config()
	if err != nil {
		return err
	}
	if e.Store != nil {
		return on(ctx, e, e.Store, work)
	}
	database := wiring.Database(c)
	database.MaxConns = commandConns
	database.Existing = true
	database.Unprepared = true // most statements run once, and most commands need few of them
	store, err := sqlstore.Open(ctx, database)
	if err != nil {
		return err
	}
	return errors.Join(on(ctx, e, store, work), store.Close())
}

// on does the work on a database that is open, and stays so.
func on(ctx context.Context, e *Env, store *sqlstore.Store, work func(*wiring.Parts) error) error {
	c, err := e.configBeside(ctx, store)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(e.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	parts := wiring.New(wiring.Options{Config: c, Ambient: e.Ambient, Log: log, Store: store, KeysAhead: -1,
		Hasher: e.Hasher, Pair: e.Pair, Signing: func() ([]storage.SigningKey, error) { return store.ListSigningKeys(ctx) },
		BuiltIn: []storage.Resource{mcp.Resource(c.BaseURL)}}) // which the server may have
	return errors.Join(work(parts), parts.End())
}

func (e *Env) configBeside(ctx context.Context, store storage.ServerSettingStore) (config.Config, error) {
	server, err := store.FindServerSettings(ctx)
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(config.Sources{Environ: e.Environ, Flags: e.flags, Server: server})
}

// act returns the operator as the one who acts, now.
func (e *Env) act() storage.Act {
	return storage.Act{At: e.Ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

// printf writes to standard output; Execute tells whether all was.
func (e *Env) printf(format string, args ...any) {
	_, _ = fmt.Fprint(e.Stdout, plain(fmt.Sprintf(format, args...)))
}

// usageError is a slip in how a command was called: exit code 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// Serve runs the server until the context ends; cmd/portico/internal/app has the only one.
type Serve func(ctx context.Context, e *Env, c config.Config, demo bool) error
