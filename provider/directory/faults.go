package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-ldap/ldap/v3"

	"github.com/portico-id/portico/internal/fault"
)

// ReasonNoDirectory is the reason of the NotFound fault of a directory that is not there.
const ReasonNoDirectory = "directory_not_found"

// ReasonWalking is the reason of the Conflict fault of a walk beside another one.
const ReasonWalking = "walk_under_way"

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
		"The user name or password is not right, or the directory is slow just now. Try again in a minute.")
	errUnsure = fault.New(fault.Unavailable, "directory_unreachable",
		"The user name or password is not right, or the directory does not answer just now. Try again in a minute.")
)

// unsure is what whoever typed a password is told where it could not be judged: all who
// have no right one here, for who has which name is for nobody to learn.
func unsure(err error) error {
	if errIs(err, errBusy) {
		return err
	}
	return errUnsure.Because(err)
}

func errIs(err error, of *fault.Error) bool { return fault.HasReason(err, of.Reason) }

// cause says, for the log and for administrators alone, what is wrong.
type cause string

func (c cause) Error() string { return string(c) }

func causef(format string, args ...any) error { return cause(fmt.Sprintf(format, args...)) }

// unfit reports whether nobody can be as their entry says: it has no address that can be used,
// or another account has that.
func unfit(err error) bool {
	var bad cause
	return errIs(err, errNoAccount) || fault.Is(err, fault.Conflict) || errors.As(err, &bad)
}

// broken reports whether a call says nothing of what was asked: the line broke, or the
// server could not. All else is an answer.
func broken(err error) bool {
	var said *ldap.Error
	if errors.As(err, &said) {
		could := said.ResultCode != ldap.LDAPResultBusy && said.ResultCode != ldap.LDAPResultUnavailable
		return !could || said.ResultCode >= ldap.ErrorNetwork // these are of no server
	}
	var own *fault.Error
	var bad cause
	return err != nil && !errors.As(err, &own) && !errors.As(err, &bad) && !errors.Is(err, context.DeadlineExceeded) &&
		!errors.Is(err, context.Canceled)
}

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
	return printable(fault.Told(err), 300)
}

// line is a name as it can be kept.
func line(text string) string { return printable(text, 100) }

func printable(text string, most int) string {
	runes := slices.DeleteFunc([]rune(strings.TrimSpace(text)), func(r rune) bool {
		return !unicode.IsPrint(r) || r == unicode.ReplacementChar
	})
	return string(runes[:min(len(runes), most)])
}
