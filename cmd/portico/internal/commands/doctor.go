package commands

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/doctor"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
)

const doctorHelp = `Look the installation over, on the machine of the server and with its settings:
settings, database, clock, keys, place of the bytes, mail, names, certificates,
proxy, disks, upstreams and directories. Of what is not well it says how to mend it.
It changes nothing, and may run beside the server.

  portico doctor
  portico doctor --json

With --json the output is one object: "findings" with "check", "state" (sound, doubtful,
ill or unseen), "says" and "mend".

Exit codes: 0 nothing is ill, 1 something is.`

func newDoctorCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "doctor", Short: "Look the installation over, and say how to mend what is not well",
		Long: doctorHelp, Args: cobra.NoArgs}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return report(e, *asJSON, examine(command.Context(), e))
	}
	return command
}

// examine looks at the settings, then at the database, and then at all that rests on them.
func examine(ctx context.Context, e *Env) []doctor.Finding {
	c, err := e.config()
	if err != nil {
		return []doctor.Finding{doctor.Settings(err)}
	}
	var found []doctor.Finding
	err = e.with(ctx, func(p *wiring.Parts) error {
		found = doctor.Look(ctx, doctor.Patient{Config: p.Config, Ambient: e.Ambient, Store: p.Store,
			Bytes: wiring.BlobsDir(p.Config), Keys: p.Keys, Blobs: p.Blobs, Upstreams: p.Upstreams, Directories: p.Directories,
			Logo: p.UseLogo})
		return nil
	})
	if found == nil {
		return append([]doctor.Finding{doctor.Database(c, err)},
			doctor.Look(ctx, doctor.Patient{Config: c, Ambient: e.Ambient, Bytes: wiring.BlobsDir(c),
				Logo: wiring.New(wiring.Options{Config: c, Ambient: e.Ambient}).UseLogo})...)
	}
	return append([]doctor.Finding{{Check: "database", State: doctor.Sound}}, found...)
}

// report prints what was found.
func report(e *Env, asJSON bool, found []doctor.Finding) error {
	if asJSON {
		if err := e.printJSON(map[string]any{"findings": found}); err != nil {
			return err
		}
	}
	ill := 0
	for _, f := range found {
		if f.State == doctor.Ill {
			ill++
		}
		if !asJSON {
			printFinding(e, f)
		}
	}
	if ill > 0 {
		return fault.Newf(fault.Invalid, "", "%d of %d checks found something ill.", ill, len(found))
	}
	return nil
}

func printFinding(e *Env, f doctor.Finding) {
	e.printf("%-8s %s\n", f.State, f.Check)
	for _, line := range strings.Split(f.Says, "\n") {
		if line != "" {
			e.printf("         %s\n", line)
		}
	}
	if f.Mend != "" {
		e.printf("         -> %s\n", f.Mend)
	}
}
