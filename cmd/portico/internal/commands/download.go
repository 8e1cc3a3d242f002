package commands

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/transfer"
)

const downloadHelp = `Download the bytes of a version, or of an item's newest one, or what can be read in a
folder as one ZIP file. All are named by their URNs; quote those of versions, which
have a question mark.

  portico download 'urn:portico:fs.file:vf.…?version=2' --project PROJECT --client CLIENT_ID
  portico download urn:portico:dm.lineage:… --project PROJECT --client CLIENT_ID --out plans/
  portico download urn:portico:fs.folder:co.… --project PROJECT --client CLIENT_ID

The file is there only when all of its bytes are, and they have been compared by
SHA-256. A server that is away for a while is waited for. What was interrupted
otherwise goes on where it was when the same command runs again: until then the
bytes are in a file beside it whose name begins with a dot and ends in .part.
` + transferHelp + `

With --json the output is one object with "file", "version", "number", "size" and
"sha256"; for a folder with "file", "folder", "files", "missing" and "size". What a
ZIP file could not have is named in its _missing.txt.`

func newDownloadCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "download VERSION|FOLDER", Short: "Download the bytes of a version, or a folder",
		Long: downloadHelp, Args: cobra.ExactArgs(1)}
	f := addTransferFlags(command)
	out := command.Flags().String("out", "",
		"`FILE` or folder to download to. Default: the version's name, in the working directory.")
	force := command.Flags().Bool("force", false, "Replace the file if it is there.")
	command.RunE = func(command *cobra.Command, args []string) error {
		client, bar, err := e.mover(f, transfer.DownloadScope)
		if err != nil {
			return err
		}
		wanted := transfer.Download{Project: f.project, Version: args[0], Out: *out, Force: *force}
		if transfer.IsFolder(args[0]) {
			return downloadFolder(command.Context(), e, client, bar, wanted, *f.asJSON)
		}
		got, err := client.Download(command.Context(), wanted)
		bar.end()
		if err != nil {
			return err
		}
		if *f.asJSON {
			return e.printJSON(got)
		}
		e.printRows([]row{{"file", got.File}, {"version", got.Version}, {"number", strconv.Itoa(got.Number)},
			{"size", inBytes(got.Size)}, {"sha256", got.SHA256}})
		return nil
	}
	return command
}

func downloadFolder(ctx context.Context, e *Env, client *transfer.Client, bar *progress, wanted transfer.Download,
	asJSON bool) error {
	got, err := client.DownloadFolder(ctx, wanted)
	bar.end()
	if err != nil {
		return err
	}
	if asJSON {
		return e.printJSON(got)
	}
	rows := []row{{"file", got.File}}
	if got.Folder != "" {
		rows = append(rows, row{"folder", got.Folder})
	}
	e.printRows(append(rows, row{"files", strconv.Itoa(got.Files)}, row{"missing", strconv.Itoa(got.Missing)},
		row{"size", inBytes(got.Size)}))
	return nil
}
