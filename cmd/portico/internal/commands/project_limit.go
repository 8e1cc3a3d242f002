package commands

import (
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func newProjectLimit(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "limit PROJECT", Short: "Show or set how much a project may store", Args: cobra.ExactArgs(1),
		Long: `Show how much the files of a project may take, or set it. What is stored already
stays; what would go beyond is refused when it is uploaded. Meanwhile uploads that are
not completed may hold twice that. "none" lifts a limit.

  portico project limit PROJECT
  portico project limit PROJECT --quota 100GB --max-file 2GB
  portico project limit PROJECT --quota none --json

Sizes are bytes, or have a unit: 5MB is 5 000 000 bytes, 5MiB is 5 242 880. With
--json the output is one object with bytes; 0 says that there is no limit, and
"used" is counted only while there is one.`,
	}
	quota := command.Flags().String("quota", "", "`SIZE` of all files together.")
	largest := command.Flags().String("max-file", "", "`SIZE` of the largest file.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			limits, err := rules.FindLimits(ctx, args[0])
			if err != nil {
				return err
			}
			given := false
			for flag, limit := range map[string]*int64{"quota": &limits.Quota, "max-file": &limits.MaxObject} {
				if !command.Flags().Changed(flag) {
					continue
				}
				given = true
				text := *quota
				if flag == "max-file" {
					text = *largest
				}
				if *limit, err = parseSize(text, flag); err != nil {
					return err
				}
			}
			if given {
				limits, err = rules.SetLimits(ctx, e.change(), args[0], limits)
			}
			if err != nil {
				return err
			}
			return e.printLimits(*asJSON, args[0], limits)
		})
	}
	return command
}

// parseSize reads a number of bytes. A comma may stand between thousands, as we print them, and
// not in front of a unit: whoever writes 1,5GB does not mean fifteen.
func parseSize(text, flag string) (int64, error) {
	if text == "none" {
		return 0, nil
	}
	bytes, err := humanize.ParseBytes(text)
	comma := strings.Contains(text, ",") && strings.ContainsFunc(text, unicode.IsLetter)
	if err != nil || bytes == 0 || comma || bytes > 1<<60 || strings.HasPrefix(text, "-") {
		return 0, fault.Newf(fault.Invalid, "invalid_field", "%q is no size: write 100GB, or none.", text).At("--" + flag)
	}
	return int64(bytes), nil
}

type limitsJSON struct {
	ID      string `json:"id"`
	Quota   int64  `json:"quota"`
	MaxFile int64  `json:"max_file"`
	Used    int64  `json:"used"`
}

func (e *Env) printLimits(asJSON bool, id string, l storage.Limits) error {
	if asJSON {
		return e.printJSON(limitsJSON{id, l.Quota, l.MaxObject, l.Used})
	}
	size := func(bytes int64) string {
		if bytes == 0 {
			return "none"
		}
		return humanize.Comma(bytes) + " bytes"
	}
	rows := []row{{"id", id}, {"quota", size(l.Quota)}, {"largest file", size(l.MaxObject)}}
	if l.Quota > 0 || l.MaxObject > 0 {
		rows = append(rows, row{"used", humanize.Comma(l.Used) + " bytes"})
	}
	e.printRows(rows)
	return nil
}
