package commands

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/gate/signing"
)

// maxPEM is how many bytes a file with a key has at most.
const maxPEM = 64 << 10

func newKeyImport(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "import FILE", Short: "Let a key from another product sign", Args: cobra.ExactArgs(1),
		Long: `Let a private key from another product sign from now on, so that services that know it
go on without a change. The file has it in PEM, not encrypted; FILE - is standard input.
--kid keeps the name that the key has there, without which tokens of before can't be
found their key. The key before it stays published until its last token has expired.

  portico key import key.pem --kid FJ86GcF3jTbNLOco4NvZkUCIUmfYCqoqtOQeMfbhNlE
  portico key import ec.pem --algorithm ES256`,
	}
	asJSON := jsonFlag(command)
	kid := command.Flags().String("kid", "", "The name of the key. Without it, its thumbprint (RFC 7638).")
	algorithm := command.Flags().String("algorithm", signing.RS256,
		"What the key signs with: "+strings.Join(signing.Algorithms(), ", ")+".")
	complete(command, "algorithm", signing.Algorithms())
	command.RunE = func(command *cobra.Command, args []string) error {
		file, err := e.openInput(args[0])
		if err != nil {
			return err
		}
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(file, maxPEM))
		if err != nil {
			return err
		}
		return e.withKeys(command.Context(), func(keys *signing.KeySet) error {
			info, err := keys.Import(command.Context(), e.act(), *algorithm, *kid, text)
			if err != nil {
				return err
			}
			if *asJSON {
				return e.printJSON(toKeyJSON(info))
			}
			return e.printKeys(false, []signing.KeyInfo{info})
		})
	}
	return command
}
