package signing

import (
	"context"
	"crypto/rsa"
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
	lines    map[string]line // by algorithm; an absent one is empty
	byKID    map[string]*key
	document []byte // the JWKS
	etag     string
	loadedAt time.Time // when the load began
	order    int64     // of the load among all loads
}

// line is the keys of one algorithm, highest generation first.
type line []*key

// active returns the key with the highest generation whose time has come. Where
// there is none yet it is the oldest that was made to sign at once: the clock is
// behind that of the replica which made it. Nil: no key may sign yet.
func (l line) active(now time.Time) *key {
	for _, k := range l {
		if !k.activeFrom.After(now) {
			return k
		}
	}
	if len(l) > 0 && l[len(l)-1].activeFrom.Equal(l[len(l)-1].createdAt) {
		return l[len(l)-1]
	}
	return nil
}

// signer returns the key to sign with: the active one or, when its private half
// did not open here, the newest before it that did. Nil: there is none.
func (l line) signer(now time.Time) *key {
	active := l.active(now)
	for _, k := range l {
		if active != nil && k.generation <= active.generation && k.private != nil {
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
	v.byKID, v.lines = make(map[string]*key, len(rows)), make(map[string]line, len(families))
	for _, row := range rows {
		k, err := s.keyOf(present, row)
		if err != nil {
			return err
		}
		if k == nil {
			continue
		}
		v.lines[k.algorithm] = append(v.lines[k.algorithm], k)
		v.byKID[k.kid] = k
	}
	return v.render(s.with.Ambient.Now())
}

// keyOf returns the key of a row; nil for one of an algorithm that only a newer
// release knows.
func (s *KeySet) keyOf(present *view, row storage.SigningKey) (*key, error) {
	if present != nil {
		if k := present.byKID[row.KID]; k != nil && k.private != nil {
			return k.at(row.ActiveFrom), nil
		}
	}
	of, err := familyOf(row.Algorithm)
	if err != nil {
		return nil, nil
	}
	k, err := openKey(s.with.Ring, of, row)
	if err == nil {
		s.hasten(k)
	}
	return k, err
}

// hasten lets the system's library sign with an RSA key, where there is one that does.
func (s *KeySet) hasten(k *key) {
	private, is := k.private.(*rsa.PrivateKey)
	if !is || s.with.Native == nil {
		return
	}
	signer, err := s.with.Native.NewSigner(private)
	if err != nil {
		s.with.Log.Warn("Go's own crypto signs, which takes longer", "kid", k.kid, "error", err)
		return
	}
	k.private = signer
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

// render writes the JWKS (decision D2).
func (v *view) render(now time.Time) error {
	var set jose.JSONWebKeySet
	for _, f := range families {
		set.Keys = append(set.Keys, v.lines[f.algorithm].published(now)...)
	}
	body, err := json.Marshal(set)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	v.document, v.etag = body, `"`+base64.RawURLEncoding.EncodeToString(sum[:16])+`"`
	return nil
}

// published returns the keys as they are shown to the world, the active one first
// for verifiers that know no kid and take the first they see.
func (l line) published(now time.Time) []jose.JSONWebKey {
	var keys []jose.JSONWebKey
	active := l.active(now)
	for _, k := range l {
		jwk := jose.JSONWebKey{Key: k.public, KeyID: k.kid, Algorithm: k.algorithm, Use: "sig"}
		if k == active {
			keys = slices.Insert(keys, 0, jwk)
			continue
		}
		keys = append(keys, jwk)
	}
	return keys
}

// KeySetDocument returns the JSON Web Key Set of the next, the current and the
// former keys of all algorithms, each with kid, kty, use, alg and its public
// numbers, and a strong entity tag (quoted). The caller must not change the body.
func (s *KeySet) KeySetDocument(ctx context.Context) (body []byte, etag string) {
	v := s.current(ctx)
	return v.document, v.etag
}
