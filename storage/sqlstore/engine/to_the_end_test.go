package engine

import (
	"context"
	"testing"
)

func TestWhatGoesOnToItsEndIsCalledAsTheActThatItIs(t *testing.T) {
	var within string
	err := ToTheEnd(t.Context(), func(ctx context.Context) error {
		within = actOf(ctx)
		return nil
	})
	if err != nil || within != actOf(t.Context()) {
		t.Errorf("%v, and %q, not %q", err, within, actOf(t.Context()))
	}
}
