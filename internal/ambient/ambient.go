// Package ambient supplies what a program may not invent by itself: the time,
// randomness and identifiers.
//
// Every other package receives a *Source and asks it; a test of the house fails
// on a direct call of time.Now or crypto/rand anywhere else. Tests pass
// Fixed, so that what they write is the same to the byte at every run.
package ambient

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"time"
)

// Precision is the finest step of a time that is kept: both database engines
// store whole microseconds.
const Precision = time.Microsecond

var (
	upperBase32 = base32.NewEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567").WithPadding(base32.NoPadding)
	lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
)

// Source gives the time and randomness. It is safe for concurrent use when the
// reader it was made with is.
type Source struct {
	now     func() time.Time
	elapsed func() time.Duration
	random  io.Reader
}

// New returns a source over the given clock and random bytes.
func New(now func() time.Time, random io.Reader) *Source {
	began := now()
	return &Source{now: now, elapsed: func() time.Duration { return now().Sub(began) }, random: random}
}

// System returns the source of the running machine.
func System() *Source {
	return New(time.Now, rand.Reader)
}

// Now returns the present time in UTC, cut to whole microseconds.
func (s *Source) Now() time.Time {
	return s.now().UTC().Truncate(Precision)
}

// Elapsed returns how long the source has been there, by a clock that nobody sets:
// on a running machine it goes on evenly when the time of day is put right.
func (s *Source) Elapsed() time.Duration { return s.elapsed() }

// Left returns how much time a context leaves, less than nothing when it is over
// and an hour when it has no end. Contexts go by the machine's own clock.
func Left(ctx context.Context) time.Duration {
	end, ends := ctx.Deadline()
	if !ends {
		return time.Hour
	}
	return time.Until(end)
}

// Random returns the reader behind Bytes, for libraries that ask for one.
func (s *Source) Random() io.Reader { return s.random }

// Bytes returns n random bytes. It panics when the machine has no randomness:
// nothing that could be done without it would be safe.
func (s *Source) Bytes(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.random, b); err != nil {
		panic(fmt.Errorf("reading randomness: %w", err))
	}
	return b
}

// Token returns 256 random bits as 43 base64url characters: secrets, cookies,
// codes.
func (s *Source) Token() string {
	return base64.RawURLEncoding.EncodeToString(s.Bytes(32))
}

// UID returns 126 random bits and more as 22 base64url characters, the external
// id of grants and of everything in the data half. It never begins with "-": a
// command line would take it for a flag.
func (s *Source) UID() string {
	const dash = 62 // the place of "-" among the characters
	b := s.Bytes(16)
	if b[0]>>2 == dash {
		b[0] &= 0x7f
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// PersonID returns 16 upper-case letters and digits (80 random bits), the id of
// a user or of a service account: the two share one space of ids.
func (s *Source) PersonID() string {
	return upperBase32.EncodeToString(s.Bytes(10))
}

// ClientID returns 32 lower-case letters and digits (160 random bits). It fits
// into one label of a domain name, as the address of a service account needs.
func (s *Source) ClientID() string {
	return lowerBase32.EncodeToString(s.Bytes(20))
}

// UUID returns a random UUID (version 4) in its usual text form.
func (s *Source) UUID() string {
	b := s.Bytes(16)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	t := hex.EncodeToString(b)
	return t[:8] + "-" + t[8:12] + "-" + t[12:16] + "-" + t[16:20] + "-" + t[20:]
}
