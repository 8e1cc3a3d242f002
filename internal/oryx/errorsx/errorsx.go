// Package errorsx is what fosite uses of github.com/ory/x/errorsx.
package errorsx

// WithStack returns err as it is. The original notes the stack, which costs a walk
// over it for each refusal; nothing here reads it: refusals are logged by their cause.
func WithStack(err error) error { return err }

// Cause returns what lies at the bottom of err's causes, as github.com/pkg/errors
// defines them.
func Cause(err error) error {
	for err != nil {
		caused, ok := err.(interface{ Cause() error })
		if !ok || caused.Cause() == nil {
			return err
		}
		err = caused.Cause()
	}
	return nil
}

// These are what an error can tell of itself.
type (
	StatusCodeCarrier interface{ StatusCode() int }
	RequestIDCarrier  interface{ RequestID() string }
	ReasonCarrier     interface{ Reason() string }
	DebugCarrier      interface{ Debug() string }
	StatusCarrier     interface{ Status() string }
	DetailsCarrier    interface{ Details() map[string]any }
)
