package directory

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/portico-id/portico/internal/fault"
)

// ReasonNoDirectory is the reason of the NotFound fault of a directory that is not there.
const ReasonNoDirectory = "directory_not_found"

var (
	errUnreachable = fault.New(fault.Unavailable, "directory_unreachable",
		"The directory of your organisation does not answer just now. Try again in a minute.")
	errNewPassword = fault.New(fault.Forbidden, "directory_new_password_there",
		"Your organisation wants a new password from you first. Change it there, then sign in here.")
	errNoAccount = fault.New(fault.Forbidden, "directory_no_account_here",
		"There is no account here for the identity that you showed. Ask an administrator of this server for one.")
)

var (
	errWrong  = fault.New(fault.Unauthenticated, "wrong_login", "The user name or the password is not right.")
	errNobody = fault.New(fault.Unauthenticated, "nobody", "Nobody there has this name.")
	errBusy   = fault.New(fault.Unavailable, "directory_busy",
		"The directory of your organisation is slow just now. Try again in a minute.")
)

func errIs(err error, of *fault.Error) bool { return fault.HasReason(err, of.Reason) }

// cause says, for the log and for administrators alone, what is wrong.
type cause string

func (c cause) Error() string { return string(c) }

func causef(format string, args ...any) error { return cause(fmt.Sprintf(format, args...)) }

// reached is what people are told of a failure.
func reached(err error) error {
	if err == nil || errIs(err, errUnreachable) {
		return err
	}
	return errUnreachable.Because(err)
}

// why is the cause of a failure in a line, for administrators.
func why(err error) string {
	if cause := fault.From(err).Unwrap(); cause != nil {
		err = cause
	}
	return line(err.Error())
}

// line is a text as it can be kept.
func line(text string) string {
	runes := slices.DeleteFunc([]rune(strings.TrimSpace(text)), func(r rune) bool {
		return !unicode.IsPrint(r) || r == unicode.ReplacementChar
	})
	return string(runes[:min(len(runes), 100)])
}
