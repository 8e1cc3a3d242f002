package commands

import (
	"context"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/serviceaccounts"
)

// withAccounts opens the database around a command's work and puts its faults
// into the words of the command line.
func (e *Env) withAccounts(ctx context.Context, work func(*serviceaccounts.Accounts, config.Config) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error { return work(p.Machines(), p.Config) })
	return seeAlso(inFlags(err, termFlag), "service-account list --client CLIENT_ID")
}

// operator is who runs the command line: every account is within reach.
func operator() serviceaccounts.Asker { return serviceaccounts.Asker{Operator: true} }

func accountRef(id string) serviceaccounts.Ref { return serviceaccounts.Ref{AccountID: id} }

// capital begins an ASCII word with a capital letter.
func capital(word string) string { return string(word[0]-'a'+'A') + word[1:] }
