package server

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	mailColumns = `id, created_at, attempts, last_at, last_status, failure, next_at, delivered_at, uid, kind, user_id, address AS "to"`

	// Whoever sends one has it until a time by the clock that all servers share.
	mailDue = `next_at <= :now AND (sending_until IS NULL OR sending_until <= {clock or now})`

	// What is sent to very many at once waits for those who wait for a mail.
	toMany = `kind IN ('invitation', 'app-invitation', 'transmittal')`

	anyMailDue = `
SELECT id FROM mails WHERE ` + mailDue + ` LIMIT 1`

	// Nobody noted how the last tries went: it may have been sent each time.
	giveMailsUp = `
UPDATE mails SET next_at = NULL, sending_until = NULL, failure = 'Twice nobody learnt how sending it went, as when the server is killed. It may have arrived.'
WHERE ` + mailDue + ` AND taken >= :most`

	takeMails = `
UPDATE mails SET taken = taken + 1, sending_until = {clock or now} + cast(:length AS bigint)
WHERE id IN (SELECT id FROM mails WHERE ` + mailDue + ` ORDER BY ` + toMany + `, next_at, id LIMIT :limit {skip locked})
RETURNING ` + mailColumns + `, words, sealed AS link`

	// An attempt that failed says nothing of a mail that another has delivered.
	recordMailAttempt = `
UPDATE mails SET attempts = attempts + 1, last_at = :at, last_status = :status, failure = :failure,
	next_at = :next_at, delivered_at = :delivered_at, sending_until = NULL,
	words = CASE WHEN cast(:delivered_at AS bigint) IS NULL THEN words ELSE '' END,
	sealed = CASE WHEN cast(:delivered_at AS bigint) IS NULL THEN sealed END,
	taken = CASE WHEN cast(:unclear AS {bool}) THEN taken ELSE 0 END
WHERE id = :id AND (delivered_at IS NULL OR cast(:delivered_at AS bigint) IS NOT NULL)`

	selectMails = `
SELECT ` + mailColumns + ` FROM mails WHERE id < :before ORDER BY id DESC LIMIT :limit`

	selectMailsTo = `
SELECT ` + mailColumns + ` FROM mails WHERE id < :before AND address_key = :owner ORDER BY id DESC LIMIT :limit`

	resendMail = `
UPDATE mails SET attempts = 0,
	next_at = CASE WHEN sending_until > {clock or now} THEN next_at ELSE :now END,
	taken = CASE WHEN sending_until > {clock or now} THEN taken ELSE 0 END
WHERE id = :id AND words <> ''`

	selectMailID = `
SELECT uid FROM mails WHERE id = :id`

	countMails = `
SELECT count(*) FROM mails WHERE address_key = :address AND kind = :kind AND created_at >= :since AND id < :before`
)

var sweepMails = engine.Sweeping("mails", "id", "next_at IS NULL AND created_at <= :before")

// PostMails implements storage.MailStore.
func (s *Server) PostMails(ctx context.Context, act storage.Act, kind string) error {
	return s.db.Write(ctx, func(tx engine.Tx) error { return tx.Audit(ctx, act, kind, "", nil) })
}

// TakeMails implements storage.MailStore. It looks first, so that an idle server
// writes nothing.
func (s *Server) TakeMails(ctx context.Context, now time.Time, length time.Duration,
	limit int) (taken []storage.Mail, err error) {
	arg := engine.Args{"now": now, "length": length.Microseconds(), "limit": limit, "most": storage.MaxMailTries}
	var due []int64
	if err := s.db.List(ctx, &due, anyMailDue, arg); err != nil || len(due) == 0 {
		return nil, engine.AsFault(err)
	}
	err = s.db.Write(ctx, func(tx engine.Tx) error {
		if _, err := tx.Exec(ctx, giveMailsUp, arg); err != nil {
			return err
		}
		taken = nil
		if err := tx.List(ctx, &taken, takeMails, arg); err != nil {
			return err
		}
		slices.SortFunc(taken, func(a, b storage.Mail) int { return cmp.Compare(a.ID, b.ID) })
		return nil
	})
	return taken, err
}

// RecordMailAttempt implements storage.MailStore.
func (s *Server) RecordMailAttempt(ctx context.Context, attempt storage.MailAttempt) error {
	return engine.RecordAttempt(ctx, s.db, recordMailAttempt, attempt.DeliveryAttempt,
		engine.Args{"unclear": attempt.Unclear})
}

// ListMails implements storage.MailStore.
func (s *Server) ListMails(ctx context.Context, to string, page storage.PageRequest) ([]storage.Mail, string, error) {
	query := selectMails
	if to != "" {
		query = selectMailsTo
	}
	return engine.PageBack(ctx, s.db, page, query, engine.Args{"owner": textkey.Fold(to)},
		func(m storage.Mail) int64 { return m.ID })
}

// ResendMail implements storage.MailStore.
func (s *Server) ResendMail(ctx context.Context, act storage.Act, id int64) error {
	return s.db.Write(ctx, func(tx engine.Tx) error {
		var uids []string
		if err := tx.List(ctx, &uids, selectMailID, engine.Args{"id": id}); err != nil {
			return err
		}
		if len(uids) == 0 {
			return engine.Absent("mail")
		}
		sent := fault.New(fault.Conflict, storage.ReasonMailSent, "The mail was sent, and what it said is not kept.")
		if err := tx.ExecOne(ctx, sent, resendMail, engine.Args{"id": id, "now": act.At}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "mail.resent", uids[0], nil)
	})
}

// CountMails implements storage.MailStore.
func (s *Server) CountMails(ctx context.Context, to string, kinds []string, since time.Time,
	before int64) (int, error) {
	all := 0
	for _, kind := range kinds {
		var n int
		if err := s.db.Get(ctx, &n, countMails, engine.Args{
			"address": textkey.Fold(to), "kind": kind, "since": since, "before": before,
		}); err != nil {
			return 0, engine.AsFault(err)
		}
		all += n
	}
	return all, nil
}
