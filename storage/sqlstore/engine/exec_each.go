package engine

import "context"

// ExecEach runs one statement after the other, with the same arguments.
func (t Tx) ExecEach(ctx context.Context, arg any, statements ...string) error {
	for _, statement := range statements {
		if _, err := t.Exec(ctx, statement, arg); err != nil {
			return err
		}
	}
	return nil
}
