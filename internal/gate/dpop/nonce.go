package dpop

import (
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/sealing"
)

// NonceHeader is the one that tells clients what to quote (RFC 9449, 8.1 and 9).
const NonceHeader = "DPoP-Nonce"

// window is how long a nonce is the current one. It is no secret and nobody keeps it:
// all servers with one secret make the same of the time.
const (
	window     = 2 * time.Minute
	nonceLabel = "dpop-nonce"
)

func (p *Proofs) windowNow() uint64 {
	return uint64(p.with.Ambient.Now().Unix()) / uint64(window.Seconds())
}

func windowBytes(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// Telling tells every client that brings a proof the current nonce, where one is
// needed.
func (p *Proofs) Telling(next http.Handler) http.Handler {
	if !p.with.Nonces {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Sent(r) {
			code := p.with.Ring.MAC(nonceLabel, windowBytes(p.windowNow()))
			w.Header().Set(NonceHeader, base64.RawURLEncoding.EncodeToString(code))
		}
		next.ServeHTTP(w, r)
	})
}

// known reports whether the nonce is the current one or the one before it, or the
// next, which a server whose clock is ahead of ours may have told.
func (p *Proofs) known(nonce string) bool {
	code, err := sealing.Decode(nonce)
	if err != nil {
		return false
	}
	now := p.windowNow()
	for _, number := range []uint64{now, now - 1, now + 1} {
		if p.with.Ring.CheckMAC(nonceLabel, code, windowBytes(number)) {
			return true
		}
	}
	return false
}
