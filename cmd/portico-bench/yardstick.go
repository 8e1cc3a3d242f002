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
)

const yardstickActs = 100

// signature returns the processor time of one bare RSA-2048 signature, PKCS#1
// v1.5 over SHA-256 with a precomputed key: what no RS256 token can go below.
// As many sign at once as the load keeps processors busy: two hyperthreads of
// one core slow each other down, and a server is measured with both at work.
func signature(clients int) (time.Duration, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return 0, err
	}
	digest := sha256.Sum256([]byte("portico"))
	return inParallel(clients, func() error {
		_, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
		return err
	})
}

// verification returns the processor time of one check of a P-256 signature, as
// signature measures that of making an RSA one.
func verification(clients int) (time.Duration, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return 0, err
	}
	digest := sha256.Sum256([]byte("portico"))
	signed, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		return 0, err
	}
	return inParallel(clients, func() error {
		ecdsa.VerifyASN1(&key.PublicKey, digest[:], signed)
		return nil
	})
}

// inParallel returns the processor time of the act.
func inParallel(clients int, act func() error) (time.Duration, error) {
	actors := min(clients, runtime.GOMAXPROCS(0))
	began, err := ownCPU()
	if err != nil {
		return 0, err
	}
	failures := make([]error, actors)
	var all sync.WaitGroup
	for i := range actors {
		all.Go(func() {
			for range yardstickActs {
				failures[i] = errors.Join(failures[i], act())
			}
		})
	}
	all.Wait()
	ended, err := ownCPU()
	return (ended - began) / time.Duration(actors*yardstickActs), errors.Join(append(failures, err)...)
}

// ownCPU is the processor time of this process.
func ownCPU() (time.Duration, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
}
