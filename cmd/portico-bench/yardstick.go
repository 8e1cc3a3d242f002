package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/portico-id/portico/internal/gate/signing/libcrypto"
)

// yardstickActs is how often each measures at most: no yardstick needs more care than what is held to it.
const yardstickActs = 100

// What is told beside the requests: the cost of it by itself.
var (
	checkingRow = row{"(a P-256 signature check)", ""}
	opensslRow  = row{"(an RSA-2048 signature by OpenSSL)", ""}
)

// yardstick is what costs are told in: bare RSA-2048 signatures, PKCS#1 v1.5 over SHA-256 with
// a precomputed key, which no RS256 token can go below.
type yardstick struct {
	acts   int // of each actor at a time
	actors int // as many sign at once as a load keeps processors busy: two hyperthreads of one core slow each other down
	rsa    *rsa.PrivateKey
	curve  *ecdsa.PrivateKey
	native crypto.Signer // the same key by the system's OpenSSL; nil: this program was not built with it
	digest []byte
}

func newYardstick(clients, requests int) (*yardstick, error) {
	digest := sha256.Sum256([]byte("portico"))
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	y := &yardstick{min(requests, yardstickActs), min(clients, runtime.GOMAXPROCS(0)), key, curve, nil, digest[:]}
	library, err := libcrypto.Open()
	if errors.Is(err, libcrypto.ErrNotBuilt) {
		return y, nil
	}
	if err == nil {
		y.native, err = library.NewSigner(key)
	}
	return y, err
}

// signature returns the processor time of one.
func (y *yardstick) signature() (time.Duration, error) {
	return y.cost(func() error {
		_, err := rsa.SignPKCS1v15(nil, y.rsa, crypto.SHA256, y.digest)
		return err
	})
}

// compare notes what else costs how many of them.
func (y *yardstick) compare(r *results) error {
	one, err := y.signature()
	if err != nil {
		return err
	}
	signed, err := ecdsa.SignASN1(rand.Reader, y.curve, y.digest)
	if err != nil {
		return err
	}
	checking, err := y.cost(func() error {
		if !ecdsa.VerifyASN1(&y.curve.PublicKey, y.digest, signed) {
			return errors.New("a good signature is called bad")
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.at(checkingRow).add(checking.Seconds()/one.Seconds(), 0)
	if y.native == nil {
		return nil
	}
	native, err := y.openssl()
	r.at(opensslRow).add(native.Seconds()/one.Seconds(), 0)
	return err
}

// openssl is the time of a signature by OpenSSL: of one that is looked at, less the look.
func (y *yardstick) openssl() (time.Duration, error) {
	signed, err := y.native.Sign(nil, y.digest, crypto.SHA256)
	if err != nil {
		return 0, err
	}
	both, err := y.cost(func() error {
		_, err := y.native.Sign(nil, y.digest, crypto.SHA256)
		return err
	})
	if err != nil {
		return 0, err
	}
	look, err := y.cost(func() error { return rsa.VerifyPKCS1v15(&y.rsa.PublicKey, crypto.SHA256, y.digest, signed) })
	return both - look, err
}

// cost returns the processor time of the act.
func (y *yardstick) cost(act func() error) (time.Duration, error) {
	began, err := ownCPU()
	if err != nil {
		return 0, err
	}
	failures := make([]error, y.actors)
	var all sync.WaitGroup
	for i := range y.actors {
		all.Go(func() {
			for range y.acts {
				failures[i] = errors.Join(failures[i], act())
			}
		})
	}
	all.Wait()
	ended, err := ownCPU()
	return (ended - began) / time.Duration(y.actors*y.acts), errors.Join(append(failures, err)...)
}

// ownCPU is the processor time of this process.
func ownCPU() (time.Duration, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
}
