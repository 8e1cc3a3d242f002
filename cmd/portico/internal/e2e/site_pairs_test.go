package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"math/big"
	"sync"
)

// pair makes a key pair for a service account: no other has it in this test. What takes
// time is to find primes, so two of those that there are make a pair, any two another one.
func (s *site) pair() (*rsa.PrivateKey, error) {
	n, second := nthOf(s, "pair"), 1
	for ; n >= second; second++ {
		n -= second
	}
	p, err := prime(n)
	if err != nil {
		return nil, err
	}
	q, err := prime(second)
	if err != nil {
		return nil, err
	}
	return pairOf(p, q)
}

// primes are those that were found.
var primes struct {
	sync.Mutex
	found []*big.Int
}

// prime returns the n-th of the primes.
func prime(n int) (*big.Int, error) {
	primes.Lock()
	defer primes.Unlock()
	for len(primes.found) <= n {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return nil, err
		}
		primes.found = append(primes.found, key.Primes...)
	}
	return primes.found[n], nil
}

// pairOf is the pair of two primes.
func pairOf(p, q *big.Int) (*rsa.PrivateKey, error) {
	const e = 65537
	one := big.NewInt(1)
	below := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	pair := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: e},
		D:         new(big.Int).ModInverse(big.NewInt(e), below),
		Primes:    []*big.Int{p, q},
	}
	pair.Precompute()
	return pair, pair.Validate()
}
