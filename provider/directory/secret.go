package directory

import (
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// secretLabel is that of package upstreams, which hands it out for all of them.
const secretLabel = "secret of an upstream"

func seal(ring *sealing.Ring, id, secret string) []byte {
	if secret == "" {
		return nil
	}
	return ring.Seal(secretLabel, []byte(secret), []byte(id))
}

func unseal(ring *sealing.Ring, upstream storage.Upstream) (string, error) {
	if upstream.Secret == nil {
		return "", nil
	}
	text, _, err := ring.Open(secretLabel, upstream.Secret, []byte(upstream.ID))
	return string(text), err
}
