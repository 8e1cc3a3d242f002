package storage

import "context"

// SealedColumn is a column whose values are kept under the server's secret.
type SealedColumn string

// The columns. A test of the roof holds the schema to this list.
const (
	SealedSigningKeys      SealedColumn = "signing_keys.sealed"
	SealedOtherSigningKeys SealedColumn = "other_signing_keys.sealed"
	SealedAuthenticators   SealedColumn = "authenticators.secret"
	SealedWebhooks         SealedColumn = "webhooks.secret"
	SealedUpstreams        SealedColumn = "upstreams.secret"
	SealedHints            SealedColumn = "upstream_hints.hint"
	SealedRechecks         SealedColumn = "upstream_rechecks.token"
	SealedMails            SealedColumn = "mails.sealed"
	SealedForms            SealedColumn = "sent_forms.page"
)

// SealedBox is a value of such a column.
type SealedBox struct {
	Key   []string // of its row
	Bound []byte   // where it belongs, as whoever sealed it said
	Box   []byte
}

// SealedStore lets what is sealed be sealed anew when the server's secret has changed.
type SealedStore interface {
	// ListSealed returns at most limit boxes of the column, in the order of their keys,
	// that come after the key; nil: from the beginning.
	ListSealed(ctx context.Context, column SealedColumn, after []string, limit int) ([]SealedBox, error)

	// Reseal puts the fresh box in the place of the one that was read. No error when
	// another one is there by now.
	Reseal(ctx context.Context, column SealedColumn, was SealedBox, fresh []byte) error
}
