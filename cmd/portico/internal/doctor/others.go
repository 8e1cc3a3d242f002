package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gomodule/redigo/redis"

	"github.com/portico-id/portico/internal/antivirus"
	"github.com/portico-id/portico/internal/mail"
	"github.com/portico-id/portico/internal/redislink"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/storage"
)

// mails knocks at the mail server, and sends nothing.
func mails(ctx context.Context, p Patient) []Finding {
	c := p.Config
	if c.SMTPURL == "" {
		return doubtful("Mails reach nobody: they lie as files in the data directory.", "Set PORTICO_SMTP_URL.")
	}
	if err := mail.Knock(ctx, c.SMTPURL, c.Sender()); err != nil {
		return ill(Why(err), "Correct PORTICO_SMTP_URL: host, port, user, password; then try \"portico mail test\".")
	}
	return nil
}

func redisServer(ctx context.Context, p Patient) []Finding {
	if p.Config.RedisURL == "" {
		return nil
	}
	const mend = "Start Redis, or correct PORTICO_REDIS_URL. Meanwhile each server limits calls by itself."
	link, err := redislink.Open(redislink.Options{URL: p.Config.RedisURL.Reveal(), Ambient: p.Ambient,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return ill(Why(err), mend)
	}
	defer func() { _ = link.Close() }()
	if !link.Ask(ctx, func(conn redis.Conn) error { _, err := conn.Do("PING"); return err }) {
		return ill("Redis does not answer.", mend)
	}
	return nil
}

func scanner(ctx context.Context, p Patient) []Finding {
	if p.Config.Antivirus == "" {
		return nil
	}
	const mend = "Start the scanner, or correct PORTICO_ANTIVIRUS. Meanwhile nobody gets what is uploaded, unless PORTICO_ANTIVIRUS_MODE is serve."
	asked, err := antivirus.Open(p.Config.Antivirus)
	if err == nil {
		_, err = asked.Scan(ctx, strings.NewReader("portico doctor"))
	}
	if err != nil {
		return ill("The virus scanner does not answer: "+Why(err), mend)
	}
	return nil
}

// collector sends no span to the collector of traces, as the server sends many.
func collector(ctx context.Context, p Patient) []Finding {
	if p.Config.TracesURL == "" {
		return nil
	}
	const mend = "Start the collector with OTLP over HTTP, or correct PORTICO_TRACES_URL. Meanwhile traces are lost, and nothing else."
	switch status, err := tracing.Knock(ctx, p.Config.TracesURL); {
	case err != nil:
		return ill("The collector of traces does not answer.", mend)
	case status != http.StatusOK:
		return ill(fmt.Sprintf("The collector of traces takes none: it answers with %d.", status), mend)
	}
	return nil
}

// lookAtUpstreams tries each upstream that people can choose, as its page does.
func lookAtUpstreams(ctx context.Context, p Patient) []Finding {
	if unsealed(ctx, p) {
		return nil
	}
	rules, err := p.Upstreams()
	if err != nil {
		return ill(Why(err), "Correct PORTICO_SECRET.")
	}
	all, err := rules.List(ctx)
	if err != nil {
		return ill(Why(err), "Mend the database first.")
	}
	return each(all, func(u storage.Upstream) []Finding {
		if u.Disabled {
			return nil
		}
		steps, err := rules.Test(ctx, u.ID)
		why := ""
		if err != nil {
			why = Why(err)
		} else if last := steps[len(steps)-1]; last.Err != nil {
			why = last.String()
		}
		if why != "" {
			return ill("People can't sign in with "+u.Name+": "+why,
				"\"portico upstream test\" shows each step; disable it until it is mended.")
		}
		return nil
	})
}

// unsealed reports that nothing can be sealed yet, so that there is neither an upstream nor a
// directory: the secret would be made by whoever looked at them.
func unsealed(ctx context.Context, p Patient) bool {
	kept, err := p.Store.ListSigningKeys(ctx)
	return err == nil && len(kept) == 0 && p.Config.LacksSecret()
}

// each looks at all of them at once: one that does not answer takes none of the others' time.
func each[T any](all []T, look func(T) []Finding) []Finding {
	found := make([][]Finding, len(all))
	var looking sync.WaitGroup
	for i, one := range all {
		looking.Go(func() { found[i] = look(one) })
	}
	looking.Wait()
	return slices.Concat(found...)
}

// directories tries each directory that is on, as its page does.
func directories(ctx context.Context, p Patient) []Finding {
	if unsealed(ctx, p) {
		return nil
	}
	rules, err := p.Directories()
	if err != nil {
		return ill(Why(err), "Correct PORTICO_SECRET.")
	}
	all, err := rules.List(ctx)
	if err != nil {
		return ill(Why(err), "Mend the database first.")
	}
	return each(all, func(d directory.View) []Finding {
		if d.Disabled {
			return nil
		}
		steps, err := rules.Test(ctx, d.ID, "")
		why := failed(steps)
		switch {
		case err != nil:
			why = Why(err)
		case why == "":
			return nil
		case steps[len(steps)-1].Err == nil:
			return doubtful("The directory "+d.Name+" answers, but not everywhere: "+why,
				"Mend the host, or take it from the directory's hosts: people sign in by the others meanwhile.")
		}
		return ill("The directory "+d.Name+" does not answer as it should: "+why,
			"\"portico directory test\" shows each step; disable it until it is mended.")
	})
}

func failed(steps []directory.Step) string {
	for _, s := range steps {
		if s.Err != nil {
			return s.String()
		}
	}
	return ""
}
