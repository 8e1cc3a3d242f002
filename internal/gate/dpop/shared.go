package dpop

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/portico-id/portico/internal/redislink"
)

const keyPrefix = "portico:proof:"

// firstOfAll keeps the mark of a proof in Redis, for as long as any server takes it,
// and reports whether it was not there. It is new while Redis does not answer.
func firstOfAll(ctx context.Context, link *redislink.Link, m mark, madeAt float64, now time.Time) bool {
	kept := time.Duration((madeAt-float64(now.Unix()))*1e3)*time.Millisecond + Fresh + 2*Ahead
	first := true
	link.Ask(ctx, func(conn redis.Conn) error {
		_, err := redis.String(conn.Do("SET", keyPrefix+hex.EncodeToString(m[:]), 1, "NX", "PX", kept.Milliseconds()))
		if errors.Is(err, redis.ErrNil) {
			first, err = false, nil
		}
		return err
	})
	return first
}
