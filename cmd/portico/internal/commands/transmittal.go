package commands

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/transfer"
)

const transmittalHelp = `Versions of files that are sent to people of a project, as a numbered letter that
stays as it is, with who has fetched what.

  portico transmittal send --project PROJECT --title "For review" --version 'urn:…?version=2' --to person@example.com
  portico transmittal list --project PROJECT
  portico transmittal show 7 --project PROJECT
  portico transmittal fetch 7 --project PROJECT --out plans/
` + transferHelp

func newTransmittalCommand(e *Env) *cobra.Command {
	return group("transmittal", "Send versions of files to people, and fetch what was sent", transmittalHelp,
		newTransmittalSend(e), newTransmittalList(e), newTransmittalShow(e), newTransmittalFetch(e))
}

func newTransmittalSend(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "send", Short: "Send versions of files to people of a project", Args: cobra.NoArgs,
		Long: `Send versions of files to people of a project who can see all of them. It takes the
level edit where each of them lies, and gives nobody a right. Who has a verified
address gets a mail.

  portico transmittal send --project PROJECT --title "For review" --version 'urn:…?version=2' --to person@example.com
  portico transmittal send --project PROJECT --title "Issue C01" --message "As agreed." --to Architects --json …
`}
	f := addTransferFlags(command)
	var what transfer.NewTransmittal
	flags := command.Flags()
	flags.StringVar(&what.Title, "title", "", "`TITLE` of one line.")
	flags.StringVar(&what.Message, "message", "", "`TEXT` for those to whom it is sent.")
	flags.StringArrayVar(&what.Versions, "version", nil, "`VERSION` by its URN; again for more.")
	flags.StringArrayVar(&what.To, "to", nil,
		"`WHO`: a person by id or verified address, or a group of the hub by id or name; again for more.")
	require(command, "title", "version", "to")
	command.RunE = func(command *cobra.Command, _ []string) error {
		client, bar, err := e.mover(f, transfer.SendScope)
		if err != nil {
			return err
		}
		sent, err := client.Send(command.Context(), f.project, what)
		bar.end()
		if err != nil {
			return err
		}
		if *f.asJSON {
			return e.printJSON(sent)
		}
		e.printRows([]row{{"number", strconv.Itoa(sent.Number)}, {"title", sent.Title},
			{"versions", strconv.Itoa(sent.Versions)}, {"people", strconv.Itoa(sent.To)}, {"size", inBytes(sent.Size)}})
		return nil
	}
	return command
}

func newTransmittalList(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "list", Short: "List what was sent in a project", Args: cobra.NoArgs,
		Long: `List what you sent or were sent in a project, the newest first; to who administers it,
all that was sent.

  portico transmittal list --project PROJECT
  portico transmittal list --project PROJECT --json`}
	f := addTransferFlags(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		client, bar, err := e.mover(f, transfer.DownloadScope)
		if err != nil {
			return err
		}
		all, err := client.ListSent(command.Context(), f.project)
		bar.end()
		if err != nil {
			return err
		}
		same := func(t transfer.Listed) transfer.Listed { return t }
		return printList(e, *f.asJSON, "transmittals", "NUMBER SENT VERSIONS PEOPLE TITLE", all, same,
			func(t transfer.Listed) []string {
				return []string{strconv.Itoa(t.Number), moment(t.SentAt), strconv.Itoa(t.Versions), strconv.Itoa(t.To), t.Title}
			})
	}
	return command
}

func newTransmittalShow(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "show NUMBER", Short: "Show what was sent, and who has fetched it",
		Args: cobra.ExactArgs(1), Long: `Show what was sent, to whom, and who has fetched how much of it.

  portico transmittal show 7 --project PROJECT
  portico transmittal show 7 --project PROJECT --json`}
	f := addTransferFlags(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		number, err := sentNumber(args[0])
		if err != nil {
			return err
		}
		client, bar, err := e.mover(f, transfer.DownloadScope)
		if err != nil {
			return err
		}
		sent, err := client.FindSent(command.Context(), f.project, number)
		bar.end()
		if err != nil {
			return err
		}
		if *f.asJSON {
			return e.printJSON(sent)
		}
		printSent(e, sent)
		return nil
	}
	return command
}

func printSent(e *Env, sent transfer.Sent) {
	e.printRows([]row{{"number", strconv.Itoa(sent.Number)}, {"title", sent.Title}, {"sent", moment(sent.SentAt)},
		{"by", sent.SentBy}, {"message", sent.Message}})
	var versions, people [][]string
	for _, v := range sent.Versions {
		versions = append(versions, []string{v.Version, v.Now, inBytes(v.Size), v.Name})
	}
	for _, p := range sent.To {
		people = append(people, []string{p.UserID, strconv.Itoa(p.Fetched) + "/" + strconv.Itoa(len(sent.Versions)), p.Group})
	}
	e.printf("\n")
	e.printTable("VERSION NOW SIZE NAME", versions)
	e.printf("\n")
	e.printTable("PERSON FETCHED GROUP", people)
}

func sentNumber(text string) (int, error) {
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return 0, usagef("NUMBER must be that of a transmittal, such as 7")
	}
	return number, nil
}

func newTransmittalFetch(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "fetch NUMBER", Short: "Download what was sent as a ZIP file", Args: cobra.ExactArgs(1),
		Long: `Download what was sent, as far as you may read it where it lies, as a ZIP file. That
you have fetched it is noted the first time.

  portico transmittal fetch 7 --project PROJECT
  portico transmittal fetch 7 --project PROJECT --out plans/ --json`}
	f := addTransferFlags(command)
	out := command.Flags().String("out", "", "`FILE` or folder to download to. Default: its name, in the working directory.")
	force := command.Flags().Bool("force", false, "Replace the file if it is there.")
	command.RunE = func(command *cobra.Command, args []string) error {
		number, err := sentNumber(args[0])
		if err != nil {
			return err
		}
		client, bar, err := e.mover(f, transfer.DownloadScope)
		if err != nil {
			return err
		}
		return downloadFolder(command.Context(), e, client, bar,
			transfer.Download{Project: f.project, Transmittal: number, Out: *out, Force: *force}, *f.asJSON)
	}
	return command
}
