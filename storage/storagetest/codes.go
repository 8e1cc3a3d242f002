package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func codeChecks() []check {
	return []check{
		{"IssueCode keeps a code that FindCode returns with every field, whatever its state", issueCode},
		{"IssueCode refuses a hash that exists", issueCodeTwice},
		{"IssueCode for an absent client is NotFound", issueCodeNobody},
		{"IssueCode is Gone, session_over, without a session of that very user", issueCodeSignedOut},
		{"IssueCode that rests on a consent is Gone, consent_withdrawn, where the consent does not hold the scopes",
			issueCodeConsent},
		{"IssueCode uses a login request up, and is Gone, login_request_over, when that is not there", issueCodeAnswers},
		{"RedeemCode spends the code and adds the grant", redeemCode},
		{"RedeemCode of an expired code is Gone, expired, and adds nothing", redeemExpired},
		{"RedeemCode of a spent code is Gone, spent, and revokes the first use's grant, audited", redeemSpent},
		{"RedeemCode of a spent code is Gone, spent, even when it has expired", redeemSpentExpired},
		{"RedeemCode is Gone, revoked, when the user is disabled", redeemUserDisabled},
		{"RedeemCode is Gone, revoked, when the client is disabled", redeemClientDisabled},
		{"RedeemCode of an unknown hash is NotFound", redeemUnknown},
		{"RedeemCode that can't add the grant leaves the code as it was", redeemIsAtomic},
		{"FailVerifier counts, and the fifth failure spends the code", failVerifier},
		{"FailVerifier of an unknown or spent code is no error and changes nothing", failVerifierNot},
		{"issuing and redeeming write no audit event", plainPathsAreNotAudited},
	}
}

func (w *World) redeem(code storage.AuthorizeCode) error {
	return w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, w.grantOf(code))
}

func issueCode(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	got, err := w.Store.FindCode(w.Ctx(), code.Hash)
	w.Must(err)
	w.Equal(code, got)
	w.Must(w.redeem(code))
	code.SpentAt = w.Now()
	got, err = w.Store.FindCode(w.Ctx(), code.Hash)
	w.Must(err)
	w.Equal(code, got)
	_, err = w.Store.FindCode(w.Ctx(), []byte("unknown"))
	w.Refused(err, fault.NotFound, "")
}

func issueCodeAnswers(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	w.Must(w.Store.ParkLoginRequest(w.Ctx(), storage.LoginRequest{
		ID: "parked", ClientID: client.ID, CreatedAt: w.Now(), ExpiresAt: w.Now().Add(time.Hour),
	}))
	code.Hash, code.SessionID = []byte("refused"), "nobody's"
	w.Refused(w.Store.IssueCode(w.Ctx(), code, nil, "parked"), fault.Gone, storage.ReasonSessionOver)
	code = w.Code(user.ID, client.ID)
	code.Hash = []byte("answer")
	w.Must(w.Store.IssueCode(w.Ctx(), code, nil, "parked"))
	code.Hash = []byte("another answer")
	w.Refused(w.Store.IssueCode(w.Ctx(), code, nil, "parked"), fault.Gone, storage.ReasonRequestOver)
	_, err := w.Store.FindCode(w.Ctx(), code.Hash)
	w.Refused(err, fault.NotFound, "")
}

func issueCodeTwice(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	again := code
	again.GrantID = "other"
	w.Refused(w.Store.IssueCode(w.Ctx(), again, nil, ""), fault.Conflict, "")
	got, err := w.Store.FindCode(w.Ctx(), code.Hash)
	w.Must(err)
	w.Equal(code, got)
}

func issueCodeNobody(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	code.Hash, code.ClientID = []byte{1}, "nobody"
	w.Refused(w.Store.IssueCode(w.Ctx(), code, nil, ""), fault.NotFound, "")
}

func issueCodeSignedOut(w *World) {
	user, client, other := w.User(), w.Client(), w.User()
	code := w.Code(user.ID, client.ID)
	code.Hash, code.UserID = []byte{1}, other.ID
	w.Refused(w.Store.IssueCode(w.Ctx(), code, nil, ""), fault.Gone, storage.ReasonSessionOver)
	code.UserID = user.ID
	w.Must(w.Store.EndSessions(w.Ctx(), w.Act(), user.ID, ""))
	w.Refused(w.Store.IssueCode(w.Ctx(), code, nil, ""), fault.Gone, storage.ReasonSessionOver)
	code.SessionID = w.Session(user.ID).ID
	w.Must(w.Store.IssueCode(w.Ctx(), code, nil, ""))
}

func issueCodeConsent(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	code.Hash = []byte{1}
	w.Refused(w.Store.IssueCode(w.Ctx(), code, code.Scopes, ""), fault.Gone, storage.ReasonConsentWithdrawn)
	request := w.Request(client.ID)
	request.DecidedBy, request.DecidedAt, request.Allowed = code.SessionID, w.Now(), true
	w.Must(w.Store.DecideLoginRequest(w.Ctx(), w.Act(), request, user.ID, []string{"openid"}))
	w.Refused(w.Store.IssueCode(w.Ctx(), code, []string{"openid", "data:read"}, ""), fault.Gone,
		storage.ReasonConsentWithdrawn)
	w.Must(w.Store.IssueCode(w.Ctx(), code, []string{"openid"}, ""))
	w.Must(w.Store.WithdrawConsent(w.Ctx(), w.Act(), user.ID, client.ID))
	code.Hash = []byte{2}
	w.Refused(w.Store.IssueCode(w.Ctx(), code, []string{"openid"}, ""), fault.Gone, storage.ReasonConsentWithdrawn)
}

func redeemCode(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	w.Clock.Advance(time.Minute - time.Microsecond)
	grant := w.grantOf(code)
	w.Must(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, grant))
	got, err := w.Store.FindGrant(w.Ctx(), grant.ID)
	w.Must(err)
	w.Equal(grant, got)
}

func redeemExpired(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	w.Clock.Advance(time.Minute)
	w.Refused(w.redeem(code), fault.Gone, storage.ReasonExpired)
	w.Equal("absent", w.grantState(code.GrantID))
	got, err := w.Store.FindCode(w.Ctx(), code.Hash)
	w.Must(err)
	w.Equal(code, got)
}

func redeemSpent(w *World) {
	user, client := w.User(), w.Client()
	code, other := w.Code(user.ID, client.ID), w.Grant(user.ID, client.ID)
	w.Must(w.redeem(code))
	for range 2 {
		w.Refused(w.redeem(code), fault.Gone, storage.ReasonSpent)
	}
	w.Equal("revoked", w.grantState(code.GrantID))
	w.Equal("live", w.grantState(other.ID))
	w.Audited(code.GrantID, "code.reuse_detected")
}

func redeemSpentExpired(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	w.Must(w.redeem(code))
	w.Clock.Advance(time.Hour)
	w.Refused(w.redeem(code), fault.Gone, storage.ReasonSpent)
	w.Equal("revoked", w.grantState(code.GrantID))
}

func redeemUserDisabled(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	w.Refused(w.redeem(code), fault.Gone, storage.ReasonRevoked)
	w.Equal("absent", w.grantState(code.GrantID))
}

func redeemClientDisabled(w *World) {
	user, client := w.User(), w.Client()
	w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, true))
	code := w.Code(user.ID, client.ID)
	w.Refused(w.redeem(code), fault.Gone, storage.ReasonRevoked)
	w.Equal("absent", w.grantState(code.GrantID))
}

func redeemUnknown(w *World) {
	w.Refused(w.Store.RedeemCode(w.Ctx(), w.Act(), []byte("unknown"), storage.Grant{ID: "g"}), fault.NotFound, "")
}

func redeemIsAtomic(w *World) {
	user, client := w.User(), w.Client()
	taken, code := w.Grant(user.ID, client.ID), w.Code(user.ID, client.ID)
	grant := w.grantOf(code)
	grant.ID = taken.ID
	w.Refused(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, grant), fault.Conflict, "")
	w.Must(w.redeem(code))
	w.Equal("live", w.grantState(taken.ID))
}

func failVerifier(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	for i := 1; i <= storage.MaxVerifierFailures; i++ {
		w.Must(w.Store.FailVerifier(w.Ctx(), w.Act(), code.Hash))
		got, err := w.Store.FindCode(w.Ctx(), code.Hash)
		w.Must(err)
		w.Equal(i, got.VerifierFailures)
		w.Equal(i == storage.MaxVerifierFailures, !got.SpentAt.IsZero())
	}
	w.Refused(w.redeem(code), fault.Gone, storage.ReasonSpent)
	w.Equal("absent", w.grantState(code.GrantID))
}

func failVerifierNot(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	w.Must(w.redeem(code))
	w.Must(w.Store.FailVerifier(w.Ctx(), w.Act(), code.Hash))
	w.Must(w.Store.FailVerifier(w.Ctx(), w.Act(), []byte("unknown")))
	got, err := w.Store.FindCode(w.Ctx(), code.Hash)
	w.Must(err)
	w.Equal(0, got.VerifierFailures)
	w.Equal("live", w.grantState(code.GrantID))
}

func plainPathsAreNotAudited(w *World) {
	user, client := w.User(), w.Client()
	before, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{}, storage.PageRequest{})
	w.Must(err)
	grant := w.Grant(user.ID, client.ID)
	_, err = w.Store.RotateRefresh(w.Ctx(), w.Act(),
		storage.RefreshUse{GrantID: grant.ID, Generation: 1, Lifetime: time.Hour})
	w.Must(err)
	w.Request(client.ID)
	after, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{}, storage.PageRequest{})
	w.Must(err)
	w.Equal(len(before)+1, len(after)) // the sign-in that the code rests on
}
