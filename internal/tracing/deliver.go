package tracing

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

// outcome is what became of a batch.
type outcome struct {
	taken    bool
	rejected uint64        // of those in a batch that was taken, which were not kept
	again    bool          // it may be taken later,
	wait     time.Duration // after so long
	why      string        // it was not taken
}

// deliver sends a batch, and again while the collector says that it may be later.
func (e *exporter) deliver(batch []*Span) {
	lost := uint64(len(batch))
	if body, err := encode(e.version, batch); err == nil {
		got := e.insist(body)
		if got.taken {
			lost = min(lost, got.rejected)
		}
		e.tell(got)
	}
	e.sent.Add(uint64(len(batch)) - lost)
	e.lost.Add(lost)
}

func (e *exporter) insist(body []byte) outcome {
	rest := e.pause
	for try := 1; ; try++ {
		got := e.post(body)
		if !got.again || try == tries || !e.wait(max(rest, got.wait)) {
			return got
		}
		rest *= 2
	}
}

// tell has a line in the log when a collector begins to take nothing, and one when it
// takes traces again: not one for each batch.
func (e *exporter) tell(got outcome) {
	if got.taken != e.failing {
		return
	}
	e.failing = !got.taken
	if e.failing {
		e.log.Warn("the collector takes no traces: they are lost", "url", e.url, "error", got.why)
		return
	}
	e.log.Info("the collector takes traces again", "url", e.url, "lost", e.lost.Load())
}

// post sends once.
func (e *exporter) post(body []byte) outcome {
	answer, err := send(e.life, e.client, e.url, body)
	if err != nil {
		return outcome{again: true, why: err.Error()}
	}
	defer func() { _ = answer.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		wait := time.Duration(min(max(seconds, 0), int(longest/time.Second))) * time.Second
		return outcome{again: true, wait: wait, why: answer.Status}
	case http.StatusOK:
		return outcome{taken: true, rejected: rejected(said)}
	}
	return outcome{why: answer.Status}
}

// rejected returns how many spans a collector that took a batch did not keep.
func rejected(said []byte) uint64 {
	var answer struct {
		Partial struct {
			Rejected json.RawMessage `json:"rejectedSpans"` // a text, by the letter; some write a number
		} `json:"partialSuccess"`
	}
	_ = json.Unmarshal(said, &answer) // an answer that says nothing says that all is well
	n, _ := strconv.ParseUint(string(bytes.Trim(answer.Partial.Rejected, `"`)), 10, 64)
	return n
}

func (e *exporter) wait(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-e.life.Done():
		return false
	}
}
