package storagetest

import (
	"testing"
)

// Run checks the whole contract.
func Run(t *testing.T, engine Engine) {
	topics := []struct {
		name   string
		checks []check
	}{
		{"text and times", textChecks()},
		{"users", userChecks()},
		{"user lists", userListChecks()},
		{"imports", importChecks()},
		{"arrivals", arrivalChecks()},
		{"passwords", passwordChecks()},
		{"clients", clientChecks()},
		{"client secrets", secretChecks()},
		{"sessions", sessionChecks()},
		{"logouts", logoutChecks()},
		{"login requests", requestChecks()},
		{"device requests", deviceChecks()},
		{"consents", consentChecks()},
		{"codes", codeChecks()},
		{"grants", grantChecks()},
		{"refresh", refreshChecks()},
		{"tokens", tokenChecks()},
		{"service accounts", accountChecks()},
		{"service account keys", accountKeyChecks()},
		{"signing keys", keyChecks()},
		{"audit", auditChecks()},
		{"client members", memberChecks()},
		{"client access", accessChecks()},
		{"client logos", logoChecks()},
		{"client failures", failureChecks()},
		{"resources", resourceChecks()},
		{"enrolments", enrolmentChecks()},
		{"one-time links", linkChecks()},
		{"mails", mailChecks()},
		{"sent forms", formChecks()},
		{"user groups", userGroupChecks()},
		{"upkeep", upkeepChecks()},
		{"tries", tryChecks()},
		{"usage", usageChecks()},
		{"second factors", factorChecks()},
		{"portraits", portraitChecks()},
		{"brand", brandChecks()},
		{"switched", switchedChecks()},
		{"upstreams", upstreamChecks()},
		{"sealed boxes", sealedChecks()},
		{"races", raceChecks()},
	}
	for _, topic := range topics {
		t.Run(topic.name, func(t *testing.T) {
			for _, c := range topic.checks {
				t.Run(c.sentence, func(t *testing.T) {
					w := NewWorld(t, engine)
					c.test(w)
					everybodyIsFound(w)
				})
			}
		})
	}
}

// RunData checks the contract of the data half. The engine's stores keep both
// halves.
func RunData(t *testing.T, engine Engine) {
	topics := []struct {
		name   string
		checks []treeCheck
	}{
		{"hubs", hubChecks()},
		{"apps", appAccessChecks()},
		{"projects", projectChecks()},
		{"members", hubMemberChecks()},
		{"groups", hubGroupChecks()},
		{"folder grants", grantedChecks()},
		{"standing", standingChecks()},
		{"top folders", topFolderChecks()},
		{"folders", folderChecks()},
		{"patches", patchChecks()},
		{"records", recordChecks()},
		{"moving folders", moveChecks()},
		{"hiding folders", hideChecks()},
		{"contents", contentsChecks()},
		{"rollup", rollupChecks()},
		{"items", itemChecks()},
		{"versions", versionChecks()},
		{"what there is of a person", personChecks()},
		{"reservations", reservationChecks()},
		{"objects", objectChecks()},
		{"archives", archiveChecks()},
		{"flow", flowChecks()},
		{"thumbnails", thumbnailChecks()},
		{"transmittals", transmittalChecks()},
		{"references", refChecks()},
		{"links", hyperlinkChecks()},
		{"many at once", endChecks()},
		{"search", searchChecks()},
		{"events", eventChecks()},
		{"change feed", feedChecks()},
		{"webhooks", webhookChecks()},
		{"requests done", doneChecks()},
		{"names", nameChecks()},
		{"purge", purgeChecks()},
		{"bulk", bulkChecks()},
		{"tree races", treeRaceChecks()},
	}
	for _, topic := range topics {
		t.Run(topic.name, func(t *testing.T) {
			for _, c := range topic.checks {
				t.Run(c.sentence, func(t *testing.T) { c.test(NewTree(t, engine)) })
			}
		})
	}
}

// RunTwins checks the contract of twins.
func RunTwins(t *testing.T, engine Engine) {
	for name, checks := range map[string][]treeCheck{
		"twins": twinChecks(), "mutations": mutationChecks(), "mutation races": mutationRaceChecks(),
		"documents": twinDocumentChecks(),
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range checks {
				t.Run(c.sentence, func(t *testing.T) { c.test(NewTree(t, engine)) })
			}
		})
	}
}
