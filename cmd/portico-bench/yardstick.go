package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const yardstickSignatures = 100

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
	signers := min(clients, runtime.GOMAXPROCS(0))
	began, err := ownCPU()
	if err != nil {
		return 0, err
	}
	failures := make([]error, signers)
	var all sync.WaitGroup
	for i := range signers {
		all.Go(func() {
			for range yardstickSignatures {
				if _, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:]); err != nil {
					failures[i] = err
				}
			}
		})
	}
	all.Wait()
	ended, err := ownCPU()
	return (ended - began) / time.Duration(signers*yardstickSignatures), errors.Join(append(failures, err)...)
}

// ownCPU is the processor time of this process.
func ownCPU() (time.Duration, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
}
