package resources

import (
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/scope"
)

// errEnded is deliberately that of a grant that is over: whoever gets it has the person
// sign in again, which alone helps.
var errEnded = fault.New(fault.Invalid, "invalid_grant", "The resource that this was granted for has ended.")

// endedFor reports whether what was granted then counts no more for the resource: since
// then it was disabled, or is another at the same address. What a resource only says
// more of since, ends nothing.
func (r Resource) endedFor(granted time.Time) bool {
	disabledOnce := r.TokensFrom.After(r.CreatedAt)
	return !r.Ours && (granted.Before(r.Succeeds) || disabledOnce && granted.Before(r.TokensFrom))
}

// Since is Standing for what a person granted then: what has ended since is left out.
// Invalid (invalid_grant) when nothing else would be left.
func (r *Registry) Since(ctx context.Context, clientID string, granted []string, then time.Time) (Target, error) {
	target, err := r.Standing(ctx, clientID, granted)
	if err != nil {
		return nil, err
	}
	target = slices.DeleteFunc(target, func(one Resource) bool { return one.endedFor(then) })
	if len(target) == 0 && len(granted) > 0 {
		return nil, errEnded
	}
	return target, nil
}

// Granted returns what a request is given that asks for some of what a person granted
// then, or for all of it. What is asked for has to be within it.
func (r *Registry) Granted(ctx context.Context, clientID string, asked, granted []string,
	then time.Time) (Target, error) {
	if len(asked) == 0 {
		return r.Since(ctx, clientID, granted, then)
	}
	target, err := r.Resolve(ctx, clientID, asked)
	if err != nil {
		return nil, err
	}
	for _, one := range target {
		switch {
		case !slices.Contains(granted, one.Identifier) && !(one.Ours && len(granted) == 0):
			return nil, fault.New(fault.Invalid, ReasonTarget, "The resource is not one of those that were granted.")
		case one.endedFor(then):
			return nil, errEnded
		}
	}
	return target, nil
}

// Left implements accounts.Resources.
func (r *Registry) Left(ctx context.Context, clientID string, granted, scopes []string,
	then time.Time) ([]string, error) {
	target, err := r.Since(ctx, clientID, granted, then)
	if fault.Is(err, fault.Invalid) {
		return nil, nil
	}
	return target.Consents(slices.DeleteFunc(slices.Clone(scopes), func(name string) bool {
		return len(target) > 0 && !scope.Identity(name) && !target.lists(name)
	})), err
}

// Remaining implements accounts.Resources.
func (r *Registry) Remaining(ctx context.Context, clientID string, consented []string) (all []string, err error) {
	for _, one := range consented {
		name, address, ofResource := scope.Of(one)
		if !ofResource {
			all = append(all, one)
			continue
		}
		target, err := r.Resolve(ctx, clientID, []string{address})
		if err != nil && !fault.Is(err, fault.Invalid) {
			return nil, err
		}
		if slices.Contains(target.consentsTo(name), one) {
			all = append(all, scope.At(name, address, time.Time{}))
		}
	}
	return all, nil
}
