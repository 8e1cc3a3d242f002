package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// What clients do, as their histories tell it.
const (
	didRedeem     = "redeem"     // a code, for a refresh token
	didRefresh    = "refresh"    // a refresh token, for the next
	didRevoke     = "revoke"     // a refresh token
	didIntrospect = "introspect" // a refresh token: what comes out is "active" or ""
	didToken      = "token"      // of a program
	didRead       = "read"       // or made what nobody misses
	didComplete   = "complete"   // an upload, by the path of its object
	didFetch      = "fetch"      // an object: what comes out is what its bytes say
)

// happening is one thing that a client did.
type happening struct {
	Chain        int // what belongs together: everything that one sign-in led to
	What         string
	In, Out      string
	Status       int // 0: no answer
	Began, Ended time.Duration
}

func (h happening) succeeded() bool { return h.Status == http.StatusOK }

// judgeHistory returns every promise that was broken, whatever happened to the
// servers: nothing acknowledged is lost, nothing is spent twice, a chain has no
// branch, what was revoked stays so.
func judgeHistory(all []happening) []string {
	var broken []string
	complain := func(h happening, what string) {
		broken = append(broken, fmt.Sprintf("chain %d, %s at %v: %s", h.Chain, h.What, h.Began.Round(time.Millisecond), what))
	}
	next := map[string]string{} // by what was handed in
	stored := map[string]bool{} // by the path of the object
	begunRevoking, revoked := map[int]time.Duration{}, map[int]time.Duration{}
	for _, h := range all {
		if h.What == didComplete && h.succeeded() {
			stored[h.In] = true
		}
		if h.What != didRevoke {
			continue
		}
		if at, known := begunRevoking[h.Chain]; !known || h.Began < at {
			begunRevoking[h.Chain] = h.Began
		}
		if at, known := revoked[h.Chain]; h.succeeded() && (!known || h.Ended < at) {
			revoked[h.Chain] = h.Ended
		}
	}
	for _, h := range all {
		since, over := revoked[h.Chain]
		over = over && h.Began > since
		begun, ending := begunRevoking[h.Chain]
		ending = ending && h.Ended > begun
		alive := h.succeeded() && (h.What == didRefresh || h.What == didIntrospect && h.Out == "active")
		switch {
		case over && alive:
			complain(h, "what was revoked lives")
		case h.What == didRefresh && h.Status == http.StatusBadRequest && !ending:
			complain(h, "an acknowledged token is lost")
		case h.What == didIntrospect && h.succeeded() && h.Out == "" && !ending:
			complain(h, "an acknowledged token is not active")
		case h.What == didFetch && stored[h.In] && h.Out == "":
			complain(h, "an acknowledged upload is gone")
		case h.What == didRedeem && h.succeeded() && next[h.In] != "":
			complain(h, "a code was spent twice")
		case h.What == didRefresh && h.succeeded() && next[h.In] != "" && next[h.In] != h.Out:
			complain(h, "a branch: two successors of one token")
		}
		if h.succeeded() && (h.What == didRedeem || h.What == didRefresh) {
			next[h.In] = h.Out
		}
	}
	return broken
}

// longestGap is the longest time in which nothing succeeded.
func longestGap(all []happening) time.Duration {
	var ends []time.Duration
	for _, h := range all {
		if h.succeeded() {
			ends = append(ends, h.Ended)
		}
	}
	slices.Sort(ends)
	longest := time.Duration(0)
	for i := 1; i < len(ends); i++ {
		longest = max(longest, ends[i]-ends[i-1])
	}
	return longest
}

// Rule: SERVER-45
func TestTheJudgeOfHistoriesCatchesEveryBrokenPromise(t *testing.T) {
	at := func(second int, h happening) happening {
		h.Began = time.Duration(second) * time.Second
		h.Ended = h.Began + time.Millisecond
		if h.Status == 0 {
			h.Status = http.StatusOK
		}
		return h
	}
	good := []happening{
		at(0, happening{What: didRedeem, In: "code", Out: "1"}),
		at(1, happening{What: didRefresh, In: "1", Out: "2"}),
		at(2, happening{What: didRefresh, In: "1", Out: "2"}), // a retry
		at(3, happening{What: didIntrospect, In: "2", Out: "active"}),
		at(4, happening{What: didRevoke, In: "2"}),
		at(5, happening{What: didRefresh, In: "2", Status: http.StatusBadRequest}),
		at(6, happening{What: didIntrospect, In: "2"}),
		at(1, happening{What: didComplete, In: "/file"}),
		at(7, happening{What: didFetch, In: "/file", Out: "what it says"}),
	}
	if broken := judgeHistory(good); len(broken) > 0 {
		t.Errorf("of a good history: %v", broken)
	}
	for want, bad := range map[string]happening{
		"spent twice":   at(1, happening{What: didRedeem, In: "code", Out: "9"}),
		"branch":        at(2, happening{What: didRefresh, In: "1", Out: "9"}),
		"is lost":       at(2, happening{What: didRefresh, In: "2", Status: http.StatusBadRequest}),
		"is not active": at(3, happening{What: didIntrospect, In: "2"}),
		"is gone":       at(8, happening{What: didFetch, In: "/file", Status: http.StatusNotFound}),
		"revoked lives": at(7, happening{What: didRefresh, In: "2", Out: "3"}),
	} {
		if broken := judgeHistory(append(slices.Clone(good), bad)); len(broken) != 1 || !strings.Contains(broken[0], want) {
			t.Errorf("of a history in which something %s: %v", want, broken)
		}
	}
}
