package identity

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/queryplan"
)

// The statements of the token endpoint, and the sweeps.
func TestWhatRunsOftenIsFoundByIndex(t *testing.T) {
	queryplan.ByIndex(t, queryplan.Of(Hot())...)
	queryplan.ByIndex(t, dueOfBearer, selectUserByLogin, selectSessions, selectLiveGrants, countAdmins,
		revokeUserGrants, revokeUserCodes, revokeClientGrants, revokeClientCodes, revokePairGrants, revokePairCodes,
		deleteUserSessions, tellOfSession, tellOfUserSessions, selectDueLogouts, selectLogoutDeliveries)
}
