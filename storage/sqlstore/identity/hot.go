package identity

import "github.com/portico-id/portico/storage/sqlstore/engine"

// Hot are the statements of the token endpoint and of the checks that
// come with every request.
func Hot() engine.Hot {
	return engine.Hot{
		Read: []string{
			selectTokenState, selectCode, selectGrant,
			selectUser, selectSession, selectLoginRequest, selectConsent,
			selectServiceAccountKey, selectNames, selectDueLogouts,
		},
		Write: []string{
			insertCode, lockCodeParties, spendCode, insertGrant,
			lockGrantParties, touchSession, insertLoginRequest,
		},
		Unsynced: []string{insertAssertionID},
		Together: []string{advanceGrant},
	}
}
