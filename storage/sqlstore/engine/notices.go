package engine

import (
	"context"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"
)

const (
	// noticeChannel is what the triggers of the schema tell of changes over; what
	// they say is the name of the table.
	noticeChannel = "portico"

	// listenAgain is the pause before the next try to listen.
	listenAgain = time.Second
)

// Listen tells of changes that any process makes to what servers remember, by
// the name of the table, until the context ends; "" says that some may have been
// missed. It has a connection of its own, and makes it again when it breaks:
// whoever is told must look by themselves now and then, too. On SQLite, and
// where only a pooler is known, nothing is told.
func (d *DB) Listen(ctx context.Context, told func(table string)) {
	if d.connector == nil || d.connector.notices == nil {
		return
	}
	grown := func(table string) {
		d.grow()
		told(table)
	}
	for ctx.Err() == nil {
		if raw, err := d.connector.notices(); err == nil {
			listen(ctx, noticesURL(raw), grown)
		}
		wait(ctx, listenAgain)
	}
}

// listen listens until the connection is over: the URL may be another by then.
func listen(ctx context.Context, where string, told func(table string)) {
	over := make(chan struct{}, 1)
	listener := pq.NewDialListener(patientDialer{}, where, listenAgain, listenAgain,
		func(event pq.ListenerEventType, _ error) {
			if event == pq.ListenerEventDisconnected || event == pq.ListenerEventConnectionAttemptFailed {
				select {
				case over <- struct{}{}:
				default:
				}
			}
		})
	defer listener.Close()
	go func() {
		if listener.Listen(noticeChannel) == nil {
			told("") // nobody listened before
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case n := <-listener.Notify:
			if n != nil {
				told(n.Extra)
			}
		}
	}
}

// noticesURL adds to a URL what it leaves open. Of several hosts only one will do
// that can be written to: the others know nothing of those who listen.
func noticesURL(raw string) string {
	raw = manyHosts(raw)
	attrs := pq.TargetSessionAttrsAny
	if _, query, _ := strings.Cut(raw, "?"); strings.Contains(query, "%2C") || strings.Contains(query, ",") {
		attrs = pq.TargetSessionAttrsReadWrite
	}
	for name, value := range map[string]string{
		"target_session_attrs": string(attrs),
		"application_name":     "portico notices",
		"connect_timeout":      strconv.Itoa(int(connectWithin.Seconds())),
	} {
		raw = withDefault(raw, name, value)
	}
	return raw
}

func withDefault(raw, name, value string) string {
	_, query, found := strings.Cut(raw, "?")
	switch {
	case !found:
		return raw + "?" + name + "=" + url.QueryEscape(value)
	case strings.Contains("&"+query, "&"+name+"="):
		return raw
	}
	return raw + "&" + name + "=" + url.QueryEscape(value)
}

// patientDialer makes a connection on which nothing may come for long, and that
// is found out when its other end is gone.
type patientDialer struct{}

func (patientDialer) Dial(network, address string) (net.Conn, error) {
	return lively().Dial(network, address)
}

func (patientDialer) DialTimeout(network, address string, limit time.Duration) (net.Conn, error) {
	d := lively()
	d.Timeout = limit
	return d.Dial(network, address)
}
