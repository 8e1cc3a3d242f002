package signing

// OccupySigning takes every place for an RSA operation until release is called.
func (s *KeySet) OccupySigning() (release func()) {
	for range cap(s.signing) {
		s.signing <- struct{}{}
	}
	return func() {
		for range cap(s.signing) {
			<-s.signing
		}
	}
}

// CachedTokens is how many verified tokens are remembered at the moment.
func (s *KeySet) CachedTokens() int {
	n := 0
	for i := range s.seen.shards {
		n += len(s.seen.shards[i].young) + len(s.seen.shards[i].old)
	}
	return n
}

// FillCache remembers n made-up tokens.
func (s *KeySet) FillCache(n int) {
	for i := range n {
		s.seen.put(nameOf(string(rune(i))+"x"), verified{kid: "none"})
	}
}

// MaxCachedTokens is the bound of the cache.
const MaxCachedTokens = cachedTokens

// Settle waits until no reload is under way.
func (s *KeySet) Settle() {
	s.mu.Lock()
	done := s.reloading
	s.mu.Unlock()
	if done != nil {
		<-done
	}
}

// Unsee forgets every verified token.
func (s *KeySet) Unsee() { s.seen = newCache(cachedTokens) }
