package provider_test

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/portico-id/portico/provider/apps"
)

// What is no text can't be a client's id. It must not reach a database, which
// would fail over it.
func TestBasicCredentialsThatAreNoTextAreRefusedLikeWrongOnes(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{})
		for _, pair := range []string{"%00:x", "\x00:x", "%ff:x", "\xff:x", a.ID + "%00:" + a.Secret,
			a.ID + ":" + a.Secret + "\x00"} {
			header := "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
			for path, body := range map[string]string{
				"/authentication/v2/token": credentials().Encode(), "/authentication/v2/introspect": "token=x",
				"/authentication/v2/revoke": "token=x&token_type_hint=access_token",
			} {
				w.refused(w.send(http.MethodPost, path, body, "Content-Type", "application/x-www-form-urlencoded", "Authorization",
					header), 401, "invalid_client")
			}
		}
	})
}
