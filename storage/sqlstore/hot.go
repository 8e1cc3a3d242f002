package sqlstore

import "context"

// prepareHot prepares the statements of the token endpoint and of the checks
// that come with every request. Everything else runs too seldom to matter.
func (s *Store) prepareHot(ctx context.Context) error {
	err := s.reader.prepare(ctx,
		selectClient, selectTokenState, selectCode, selectGrant,
		selectUser, selectSession, selectLoginRequest, selectConsent,
		selectServiceAccountKey)
	if err != nil {
		return err
	}
	err = s.writer.prepare(ctx,
		insertCode, lockCodeParties, spendCode, insertGrant,
		lockGrantParties, advanceGrant, touchSession, insertLoginRequest, insertAuditEvent)
	if err != nil {
		return err
	}
	return s.unsynced.prepare(ctx, insertAssertionID)
}
