package commands

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/transfer"
)

// transferHelp says what portico upload and portico download have in common.
const transferHelp = `
The command talks to the server only; it needs no database. It goes by what
portico login keeps, at the server of that. With --client it signs in as a client
with the grant client_credentials, whose secret comes from --client-secret-file
("-": standard input) or the environment variable CLIENT_SECRET; and a variable
ACCESS_TOKEN has an access token to use, such as one of
portico service-account token. Then the server is --server or PORTICO_BASE_URL.
With --dpop-key the tokens are bound to that key
(RFC 9449), and so is the one in ACCESS_TOKEN, as it was got with the same key,
and what portico login keeps, from then on.`

// transferFlags are the flags of both directions.
type transferFlags struct {
	server, client, secretFile string
	dpopKey                    string
	project                    string
	asJSON                     *bool
}

func addTransferFlags(command *cobra.Command) *transferFlags {
	var f transferFlags
	flags := command.Flags()
	flags.StringVar(&f.server, "server", "", serverUsage)
	flags.StringVar(&f.client, "client", "",
		"`CLIENT_ID` to sign in as. Default: none, with the token in ACCESS_TOKEN or of portico login.")
	flags.StringVar(&f.secretFile, "client-secret-file", "", "`FILE` that holds the client's secret.")
	flags.StringVar(&f.dpopKey, "dpop-key", "", dpopKeyUsage)
	flags.StringVar(&f.project, "project", "", "`PROJECT` by its id.")
	f.asJSON = jsonFlag(command)
	require(command, "project")
	mayBeEmpty(command, "client")
	return &f
}

// mover returns a client for the server that the flags name, whose progress a bar
// shows. The bar wants to be ended.
func (e *Env) mover(f *transferFlags, scope string) (*transfer.Client, *progress, error) {
	key, err := proofKey(f.dpopKey)
	if err != nil {
		return nil, nil, err
	}
	tokens, err := e.tokens(f, scope)
	if err != nil {
		return nil, nil, err
	}
	if err := defaultServer(e, &f.server); err != nil {
		return nil, nil, err
	}
	bar := e.bar(0, inBytes)
	client, err := transfer.New(transfer.Options{
		Server: f.server, Tokens: tokens, Key: key, Ambient: e.Ambient,
		Progress: func(done, total int64) {
			bar.total = total
			bar.step(done)
		},
		Note: func(text string) {
			bar.clear()
			e.note("%s", text)
		},
	})
	if err != nil {
		return nil, nil, usagef("--server: %s", err)
	}
	return client, bar, nil
}

func (e *Env) tokens(f *transferFlags, scope string) (transfer.Tokens, error) {
	if f.client == "" && f.secretFile != "" {
		return nil, usagef("--client-secret-file is of a --client: name it")
	}
	if f.client != "" {
		secret, err := e.clientSecret(f.secretFile)
		return &transfer.Credentials{ClientID: f.client, Secret: secret, Scope: scope, Bound: f.dpopKey != "",
			Ambient: e.Ambient}, err
	}
	if token := variable(e, "ACCESS_TOKEN"); token != "" {
		return transfer.Fixed(token), nil
	}
	return kept(e, &f.server)
}

// kept goes by what portico login keeps, at the server of that where none is named.
func kept(e *Env, server *string) (transfer.Tokens, error) {
	file, err := loginFile(e)
	if err != nil {
		return nil, err
	}
	s, found, err := transfer.ReadSignedIn(file)
	if err == nil && !found {
		err = usagef("run portico login first, or name a --client, or put an access token into the variable ACCESS_TOKEN")
	}
	*server = cmp.Or(*server, s.Server)
	return &transfer.Kept{File: file, Ambient: e.Ambient}, err
}

const serverUsage = "`URL` of the server. Default: that of portico login, else PORTICO_BASE_URL."

// defaultServer is the one of the settings where no other is named.
func defaultServer(e *Env, server *string) error {
	if *server != "" {
		return nil
	}
	c, err := e.config()
	*server = c.PublicURL()
	return err
}
