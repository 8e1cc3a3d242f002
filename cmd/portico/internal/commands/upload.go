package commands

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/transfer"
)

const uploadHelp = `Upload a file into a folder of a project. It becomes an item or, where the folder
has one with its name, that item's next version.

  portico upload report.pdf --project PROJECT --folder FOLDER --client CLIENT_ID
  portico upload scan.e57 --project PROJECT --folder FOLDER --name "Hall 3.e57" --json

The file goes in parts, several at once, and is compared by SHA-256 at its end. A
server that is away for a while is waited for. What was interrupted otherwise goes
on where it was when the same command runs again: until then that is noted in a
file beside the one that is uploaded, called .NAME.portico-upload, and the server
keeps the parts for a day.
` + transferHelp + `

With --json the output is one object: "item" and "version" are URNs, "number" is the
version's, and "object", "name", "size" and "sha256" are of the bytes.`

func newUploadCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "upload FILE", Short: "Upload a file into a folder",
		Long: uploadHelp, Args: cobra.ExactArgs(1)}
	f := addTransferFlags(command)
	folder := command.Flags().String("folder", "", "`FOLDER` by its URN.")
	name := command.Flags().String("name", "", "`NAME` of the file there. Default: its own.")
	part := command.Flags().Int64("part-size", 0,
		"`SIZE` of a part in MiB, 5 to 5120: less is lost with a connection. Default: 32, more for large files.")
	require(command, "folder")
	command.RunE = func(command *cobra.Command, args []string) error {
		if *part != 0 && (*part < transfer.MinPart>>20 || *part > transfer.MaxPart>>20) {
			return usagef("--part-size must be from 5 to 5120")
		}
		client, bar, err := e.mover(f, transfer.UploadScope)
		if err != nil {
			return err
		}
		made, err := client.Upload(command.Context(), transfer.Upload{File: args[0], Project: f.project, Folder: *folder,
			Name: *name, PartSize: *part << 20})
		bar.end()
		if err != nil {
			return err
		}
		if *f.asJSON {
			return e.printJSON(made)
		}
		e.printRows([]row{
			{"item", made.Item}, {"version", made.Version}, {"number", strconv.Itoa(made.Number)},
			{"size", inBytes(made.Size)}, {"sha256", made.SHA256},
		})
		return nil
	}
	return command
}
