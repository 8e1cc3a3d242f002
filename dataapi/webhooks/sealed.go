package webhooks

import "github.com/portico-id/portico/storage"

// Sealed are the labels under which something is kept.
func Sealed() map[storage.SealedColumn][]string {
	return map[storage.SealedColumn][]string{storage.SealedWebhooks: {secretLabel}}
}
