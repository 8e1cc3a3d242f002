package password

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

// others are hashes of "correct horse" that passlib, bcrypt and argon2-cffi of Python
// made, and htpasswd's form of one of them.
var others = map[string]string{
	"pbkdf2":         "$pbkdf2$1000$NsY4h1BKifE.RyhFqLVWig$ScKV5.gJ/EZd4DOH62pG9/ViGnc",
	"pbkdf2-sha256":  "$pbkdf2-sha256$1000$L6U0ZixlTOmd8773/n/vPQ$ktTyKtEAy2dS6soapLTTdqNlWfq9ppjRXWi6Q2NoeG8",
	"pbkdf2-sha512":  "$pbkdf2-sha512$1000$YCxFKEVojZFyjrE25hzjfA$9Lg/lPGTSwryzdEbDDl6X1.GzkX3VSMVBSHb7MRqgnCb9aOEvjchBKm16bni2pA.U5ClPQTvdWLcDXsUcLDlsg",
	"scrypt":         "$scrypt$ln=10,r=8,p=1$pzQmBIDQuteaU8rZG4Pwng$We4WCdpH6uBdNRmRhAA1Vy/8LgtrEQWZygoCDoqAUHM",
	"bcrypt":         "$2b$04$PPEOFsPt6pdNF13ACeXRFubiaM6yKcf7.gUQFSWzWTpfz6knRLFYK",
	"bcrypt 2a":      "$2a$04$DRttYiwXsyyVSjWxphbRH.csXRKG2XWsefXOjDt292hwuB/3Ke7Wa",
	"bcrypt 2y":      "$2y$04$DRttYiwXsyyVSjWxphbRH.csXRKG2XWsefXOjDt292hwuB/3Ke7Wa",
	"argon2id":       "$argon2id$v=19$m=1024,t=2,p=1$mE8vJE3paQCBCRi8yU8JOw$tyZT1GyWbMeo5zYLP2P6q/44pp1ykfBBirX1AvPF1Fo",
	"argon2i":        "$argon2i$v=19$m=1024,t=2,p=1$OKMirq+V9/zQ9hEUwm8umA$9MxE1XnQsmMpkAQFlvyzmPJWFEYfef2fF6L3SMeunAs",
	"pbkdf2 renamed": "$pbkdf2-sha1$1000$NsY4h1BKifE.RyhFqLVWig$ScKV5.gJ/EZd4DOH62pG9/ViGnc",
}

// Rule: MOVE-3
func TestHashesOfOtherProductsVerifyAndAreToBeReplaced(t *testing.T) {
	h := newHasher()
	for name, text := range others {
		if err := CheckHash(text); err != nil {
			t.Errorf("%s: CheckHash = %v", name, err)
		}
		for attempt, want := range map[string]bool{"correct horse": true, "Correct horse": false, "": false} {
			ok, rehash, err := h.Verify(t.Context(), text, attempt)
			if ok != want || rehash != want || err != nil {
				t.Errorf("%s: Verify(%q) = %v, rehash %v, %v", name, attempt, ok, rehash, err)
			}
		}
	}
}

// Others hash what is typed; whoever types it by another keyboard gets in all the same
// where they had it in one Unicode form. The hash is by Python's bcrypt.
//
// Rule: MOVE-3
func TestAHashOfAnotherProductFitsWhatWasTypedThere(t *testing.T) {
	h := newHasher()
	const asTyped = "$2b$04$abcdefghijklmnopqrstuumeEFg6zY3F9UMkjHzpfyE4WkVj6Z2cW"
	for attempt, want := range map[string]bool{
		"caf\u00e9 au lait": true, "cafe\u0301 au lait": true, "cafe au lait": false,
	} {
		if ok, _, err := h.Verify(t.Context(), asTyped, attempt); ok != want || err != nil {
			t.Errorf("Verify(%q) = %v, %v", attempt, ok, err)
		}
	}
}

// Rule: MOVE-4
func TestHashesThatCannotBeCheckedAreRefusedByName(t *testing.T) {
	const salt, sum = "L6U0ZixlTOmd8773/n/vPQ", "ktTyKtEAy2dS6soapLTTdqNlWfq9ppjRXWi6Q2NoeG8"
	for text, says := range map[string]string{
		"$6$rounds=1000$vFmP8RLwZPGUyCB6$UYCepUIhFETw0FbT":       "sha512crypt",
		"$1$vFmP8RLw$UYCepUIhFETw0FbT":                           "md5crypt",
		"$argon2d$v=19$m=1024,t=2,p=1$" + salt + "$" + sum:       "argon2d",
		"$unheard-of$1$" + salt + "$" + sum:                      "unheard-of",
		"$" + strings.Repeat("q", 30) + "$1$" + salt + "$" + sum: "can't be checked",
		"correct horse":          "malformed",
		"":                       "malformed",
		"{SSHA}c2FsdHNhbHRzYWx0": "malformed",
		"$2b$15$PPEOFsPt6pdNF13ACeXRFubiaM6yKcf7.gUQFSWzWTpfz6knRLFYK": "bcrypt hash costs more",
		"$2b$31$PPEOFsPt6pdNF13ACeXRFubiaM6yKcf7.gUQFSWzWTpfz6knRLFYK": "bcrypt hash costs more",
		"$2b$04$PPEOFsPt6pdNF13ACeXRFu":                                "bcrypt hash is malformed",
		"$pbkdf2-sha256$2000001$" + salt + "$" + sum:                   "pbkdf2-sha256 hash costs more",
		"$pbkdf2-sha256$0$" + salt + "$" + sum:                         "malformed",
		"$pbkdf2-sha256$1000$$" + sum:                                  "malformed",
		"$pbkdf2-sha256$1000$" + salt + "$":                            "malformed",
		"$scrypt$ln=21,r=8,p=1$" + salt + "$" + sum:                    "scrypt hash costs more",
		"$scrypt$ln=18,r=8,p=1$" + salt + "$" + sum:                    "scrypt hash costs more",
		"$scrypt$ln=10,r=8,p=9$" + salt + "$" + sum:                    "scrypt hash costs more",
		"$scrypt$ln=62,r=1,p=1$" + salt + "$" + sum:                    "scrypt hash costs more",
		"$scrypt$ln=10,r=0,p=1$" + salt + "$" + sum:                    "malformed",
		"$argon2id$v=19$m=4194304,t=1,p=1$" + salt + "$" + sum:         "argon2id hash costs more",
		"$argon2id$v=19$m=1024,t=99,p=1$" + salt + "$" + sum:           "argon2id hash costs more",
		"$argon2i$v=16$m=1024,t=2,p=1$" + salt + "$" + sum:             "argon2i hash is malformed",
	} {
		err := CheckHash(text)
		if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, ReasonHash) ||
			!strings.Contains(fault.From(err).Detail, says) {
			t.Errorf("CheckHash(%q) = %v, want %q", text, err, says)
		}
		if err != nil && (strings.Contains(err.Error(), sum) || strings.Contains(err.Error(), "qqq")) {
			t.Errorf("the refusal shows the hash: %v", err)
		}
	}
}
