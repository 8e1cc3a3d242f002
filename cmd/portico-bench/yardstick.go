package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"syscall"
	"time"
)

const yardstickSignatures = 400

// signature returns the processor time of one bare RSA-2048 signature, PKCS#1
// v1.5 over SHA-256 with a precomputed key: what no RS256 token can go below.
func signature() (time.Duration, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return 0, err
	}
	digest := sha256.Sum256([]byte("portico"))
	began, err := ownCPU()
	if err != nil {
		return 0, err
	}
	for range yardstickSignatures {
		if _, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:]); err != nil {
			return 0, err
		}
	}
	ended, err := ownCPU()
	return (ended - began) / yardstickSignatures, err
}

// ownCPU is the processor time of this process.
func ownCPU() (time.Duration, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
}
