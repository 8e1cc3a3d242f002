package signing

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// view is the keys as they were at one time. It does not change.
type view struct {
	keys     []*key // highest generation first, never empty
	byKID    map[string]*key
	document []byte // the JWKS
	etag     string
	loadedAt time.Time // when the load began
	order    int64     // of the load among all loads
}

// active returns the key with the highest generation whose time has come, or
// the oldest when the clock is behind that of the replica which made it.
func (v *view) active(now time.Time) *key {
	for _, k := range v.keys {
		if !k.activeFrom.After(now) {
			return k
		}
	}
	return v.keys[len(v.keys)-1]
}

// signer returns the key to sign with: the active one or, when its private half
// did not open here, the newest before it that did. Nil: there is none.
func (v *view) signer(now time.Time) *key {
	active := v.active(now)
	for _, k := range v.keys {
		if k.generation <= active.generation && k.private != nil {
			return k
		}
	}
	return nil
}

// load reads the keys from the store and makes them the current view. NotFound
// when there are none.
func (s *KeySet) load(ctx context.Context) (*view, error) {
	order, began := s.loads.Add(1), s.with.Ambient.Now()
	rows, err := s.with.Store.ListSigningKeys(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.New(fault.NotFound, "", "There are no signing keys.")
	}
	v := &view{loadedAt: began, order: order}
	if err := v.fill(s, rows); err != nil {
		return nil, err
	}
	return s.publish(v), nil
}

// fill sets the keys from rows; those that the present view has are not opened
// again, and stay usable even if another replica sealed them with a secret that
// this one does not have yet.
func (v *view) fill(s *KeySet, rows []storage.SigningKey) error {
	present := s.view.Load()
	v.byKID = make(map[string]*key, len(rows))
	for _, row := range rows {
		k, err := s.keyOf(present, row)
		if err != nil {
			return err
		}
		v.keys = append(v.keys, k)
		v.byKID[k.kid] = k
	}
	return v.render(s.with.Ambient.Now())
}

func (s *KeySet) keyOf(present *view, row storage.SigningKey) (*key, error) {
	if present != nil {
		if k := present.byKID[row.KID]; k != nil && k.private != nil {
			return k.at(row.ActiveFrom), nil
		}
	}
	return openKey(s.with.Ring, row)
}

// publish makes v the current view, unless a load that began later was faster.
func (s *KeySet) publish(v *view) *view {
	for {
		present := s.view.Load()
		if present != nil && present.order > v.order {
			return present
		}
		if s.view.CompareAndSwap(present, v) {
			return v
		}
	}
}

// render writes the JWKS (decision D2), the active key first for verifiers that
// know no kid and take the first they see.
func (v *view) render(now time.Time) error {
	var set jose.JSONWebKeySet
	active := v.active(now)
	for _, k := range v.keys {
		jwk := jose.JSONWebKey{Key: k.public, KeyID: k.kid, Algorithm: string(jose.RS256), Use: "sig"}
		if k == active {
			set.Keys = slices.Insert(set.Keys, 0, jwk)
			continue
		}
		set.Keys = append(set.Keys, jwk)
	}
	body, err := json.Marshal(set)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	v.document, v.etag = body, `"`+base64.RawURLEncoding.EncodeToString(sum[:16])+`"`
	return nil
}

// KeySetDocument returns the JSON Web Key Set of the next, the current and the
// former keys, each with kid, kty, use, alg, n, e, and a strong entity tag
// (quoted). The caller must not change the body.
func (s *KeySet) KeySetDocument(ctx context.Context) (body []byte, etag string) {
	v := s.current(ctx)
	return v.document, v.etag
}
