package sqlstore_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/portico-id/portico/storage/sqlstore/clients"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/flow"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
	"github.com/portico-id/portico/storage/sqlstore/identity"
	"github.com/portico-id/portico/storage/sqlstore/server"
	"github.com/portico-id/portico/storage/sqlstore/tree"
	"github.com/portico-id/portico/storage/sqlstore/twins"
)

// ending fits statements that may change what is said of a token or what somebody is called.
var ending = regexp.MustCompile(`DELETE FROM grants\b|(INTO|DELETE FROM) (revocations|clients|users|client_users|client_groups|` +
	`user_groups|user_group_members|service_accounts|service_account_keys|login_sessions)\b|` +
	`(SET|,)\s+(disabled|revoked_at|tokens_from|status|scopes|profile|username|exchange_for|restricted|acr|auth_time) =|` +
	`(?s:UPDATE service_accounts\b.*\bname =)`)

// Rule: TOKEN-36
func TestNoHotStatementEndsAToken(t *testing.T) {
	for _, all := range []engine.Hot{clients.Hot(), flow.Hot(), identity.Hot(), hubs.Hot(), tree.Hot(), twins.Hot(),
		server.Hot()} {
		for _, statement := range slices.Concat(all.Write, all.Unsynced, all.Together) {
			if ending.MatchString(statement) {
				t.Errorf("verdicts outlive what this ends: %s", statement)
			}
		}
	}
	for _, statement := range []string{"INSERT INTO revocations (jti)", "UPDATE users SET disabled = true",
		"UPDATE grants SET generation = 1, revoked_at = :at", "DELETE FROM revocations", "DELETE FROM grants WHERE"} {
		if !ending.MatchString(statement) {
			t.Errorf("%s would not be noticed", statement)
		}
	}
}
