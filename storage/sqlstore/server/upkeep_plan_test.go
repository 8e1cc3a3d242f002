package server

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/queryplan"
)

func TestSweepsFindWhatEndedByIndex(t *testing.T) {
	queryplan.ByIndex(t, sweepCodes, sweepLoginRequests, sweepSessions, sweepGrants, sweepRevocations,
		sweepLogoutDeliveries, sweepMails, sweepLapsed)
}
