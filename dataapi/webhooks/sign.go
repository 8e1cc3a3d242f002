package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of a notice. The last three are those of Standard Webhooks, with which
// its libraries verify it; both ways sign with the same secret.
const (
	HeaderSignature = "X-Portico-Signature" // t=<seconds>,v1=<hex of the HMAC-SHA256 of "<seconds>.<body>">
	HeaderDelivery  = "X-Portico-Delivery"  // its id, the same at every attempt
	HeaderEvent     = "X-Portico-Event"

	headerID        = "Webhook-Id" // as HeaderDelivery
	headerTimestamp = "Webhook-Timestamp"
	headerStandard  = "Webhook-Signature" // v1,<base64 of the HMAC-SHA256 of "<id>.<seconds>.<body>">
)

// keyPrefix begins a secret that is written as Standard Webhooks has it: the key
// in base64 follows.
const keyPrefix = "whsec_"

// sign sets the headers by which a receiver knows the body, sent at the time.
func sign(header http.Header, secret, id string, at time.Time, body string) {
	seconds := strconv.FormatInt(at.Unix(), 10)
	header.Set(HeaderDelivery, id)
	header.Set(HeaderSignature, "t="+seconds+",v1="+hex.EncodeToString(code([]byte(secret), seconds+"."+body)))
	header.Set(headerID, id)
	header.Set(headerTimestamp, seconds)
	standard := code(standardKey(secret), id+"."+seconds+"."+body)
	header.Set(headerStandard, "v1,"+base64.StdEncoding.EncodeToString(standard))
}

func code(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// standardKey returns the key of Standard Webhooks: what a secret of that form
// holds, and the bytes of any other.
func standardKey(secret string) []byte {
	if text, found := strings.CutPrefix(secret, keyPrefix); found {
		if key, err := base64.StdEncoding.DecodeString(text); err == nil {
			return key
		}
	}
	return []byte(secret)
}
