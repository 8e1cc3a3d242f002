package serviceaccounts

import (
	"testing"
	"time"
)

// FuzzClaims looks for payloads that upset the reading, or that are good
// without being for this client, account, endpoint and time.
// Rule: EXCHANGE-2
func FuzzClaims(f *testing.F) {
	now := time.Unix(1_900_000_000, 0)
	want := expected{clientID: "c", accountID: "a", audiences: []string{"u"}, now: now}
	f.Add([]byte(`{"iss":"c","sub":"a","aud":"u","exp":1900000100,"scope":["data:read"]}`))
	f.Add([]byte(`{"iss":"c","sub":"a","aud":["u"],"exp":1900000100.5,"scope":"data:read data:write","jti":"j","iat":1,"nbf":1}`))
	f.Add([]byte(`{"iss":"c","sub":"a","aud":["u","v"],"exp":1e300,"scope":null}`))
	f.Add([]byte(`{"exp":null,"aud":{},"scope":[null]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		c, err := readClaims(payload)
		if err != nil || c.judge(want) != nil {
			return
		}
		scopes, err := c.scopes()
		if c.Issuer != "c" || c.Subject != "a" || len(c.Audience) != 1 || c.Audience[0] != "u" ||
			len(scopes) == 0 || err != nil {
			t.Errorf("good without being so: %+v", c)
		}
		if ahead := c.ExpiresAt().Sub(now); ahead > 306*time.Second || ahead < -30*time.Second {
			t.Errorf("expires in %v", ahead)
		}
	})
}
