package e2e

import (
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
)

// soakVariable sets how many code flows the kill test runs; make soak-kill sets
// it to the full size.
const soakVariable = "PORTICO_SOAK_FLOWS"

const (
	quickFlows   = 60
	flowsPerKill = 20
	killWorkers  = 8
)

func soakFlows(t *testing.T) int {
	t.Helper()
	text := os.Getenv(soakVariable)
	if text == "" {
		return quickFlows
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < flowsPerKill {
		t.Fatalf("%s=%s: expected a number from %d", soakVariable, text, flowsPerKill)
	}
	return n
}

// flow is one code flow and what the client knows of it.
type flow struct {
	code      string
	redeemed  bool   // the answer with the tokens came
	firstUsed string // the refresh token that was refreshed
	access    string // the newest tokens
	refresh   string
}

// mortal is a site whose server is killed and started again while others use
// it.
type mortal struct {
	*site
	app   client
	every int // how many flows are between two kills; 0: flowsPerKill

	mu      sync.Mutex
	up      *sync.Cond
	down    bool
	begun   int
	process *process
}

// Rule: CODE-12
func TestAKilledServerLosesNothingItPromisedAndNoCodeWorksTwice(t *testing.T) {
	inTurn(t, func(t *testing.T, database string) {
		m := &mortal{site: newSite(t, database, "REFRESH_GRACE=60s")}
		m.up = sync.NewCond(&m.mu)
		m.process = m.spawn()
		m.app = m.client("--redirect-uri", callback)
		flows := m.runAll(soakFlows(t))
		doubtful := 0
		for _, f := range flows {
			if f.redeemed {
				m.checkPromised(f)
				continue
			}
			doubtful++
			m.checkDoubtful(f)
		}
		t.Logf("%d flows, of which %d lost the answer to their code", len(flows), doubtful)
	})
}

// runAll runs the flows on several workers, and kills in between.
func (m *mortal) runAll(n int) []*flow {
	m.Helper()
	flows := make(chan *flow, n)
	visitors := make([]*visitor, killWorkers)
	for i := range visitors {
		email := "person" + strconv.Itoa(i) + "@example.test"
		m.person(email)
		visitors[i] = m.visitor(email)
		visitors[i].code(m.app) // signed in, consent given
	}
	var workers sync.WaitGroup
	for _, v := range visitors {
		workers.Go(func() {
			for m.begin(n) {
				flows <- m.runOne(v)
			}
		})
	}
	workers.Wait()
	close(flows)
	var all []*flow
	for f := range flows {
		all = append(all, f)
	}
	return all
}

// begin counts a flow, unless there were enough. Every now and then it kills
// the server under the flows of the other workers, and starts it again.
func (m *mortal) begin(n int) bool {
	m.mu.Lock()
	if m.begun >= n {
		m.mu.Unlock()
		return false
	}
	m.begun++
	every := m.every
	if every == 0 {
		every = flowsPerKill
	}
	kill := m.begun%every == every/2 && !m.down
	m.down = m.down || kill
	m.mu.Unlock()
	if kill {
		m.process.kill()
		m.process = m.spawn()
		m.mu.Lock()
		m.down = false
		m.mu.Unlock()
		m.up.Broadcast()
	}
	return true
}

// await returns when the server is up, as far as anybody knows.
func (m *mortal) await() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.down {
		m.up.Wait()
	}
}

// runOne goes from authorize over the code to a refresh. An answer to a code
// that is lost is not asked for again; a lost refresh is, as honest clients do.
func (m *mortal) runOne(v *visitor) *flow {
	f := &flow{}
	for f.code == "" {
		m.await()
		f.code, _ = v.tryCode(m.app)
	}
	got, err := try(m.plain, m.post(tokenPath, m.app,
		form("grant_type", "authorization_code", "code", f.code, "redirect_uri", callback)))
	if err != nil {
		return f
	}
	f.take(m, got)
	f.redeemed, f.firstUsed = true, f.refresh
	for {
		got, err := try(m.plain, m.post(tokenPath, m.app, form("grant_type", "refresh_token", "refresh_token", f.firstUsed)))
		if err == nil {
			f.take(m, got)
			return f
		}
		m.await()
	}
}

func (f *flow) take(m *mortal, got answer) {
	if got.Status != http.StatusOK {
		m.Errorf("tokens refused: %d %s", got.Status, got.Body)
		return
	}
	f.access, f.refresh = got.text("access_token"), got.text("refresh_token")
}

// checkPromised checks that tokens that were handed out work as promised, and
// that their code does not work again.
func (m *mortal) checkPromised(f *flow) {
	m.Helper()
	if got := m.refresh(m.app, f.firstUsed); got.text("refresh_token") != f.refresh {
		m.Errorf("inside the grace, another successor: %d %s", got.Status, got.Body)
	}
	if got := m.userInfo(f.access); got.Status != http.StatusOK {
		m.Errorf("an acknowledged access token gives %d %s", got.Status, got.Body)
	}
	next := m.refresh(m.app, f.refresh)
	if next.Status != http.StatusOK {
		m.Errorf("an acknowledged refresh token gives %d %s", next.Status, next.Body)
	}
	if got := m.redeem(m.app, f.code); !got.is(http.StatusBadRequest, "invalid_grant") {
		m.Errorf("a spent code gives %d %s", got.Status, got.Body)
	}
	if got := m.refresh(m.app, next.text("refresh_token")); !got.is(http.StatusBadRequest, "invalid_grant") {
		m.Errorf("reuse of the code leaves its tokens alive: %d %s", got.Status, got.Body)
	}
}

// checkDoubtful checks that a code whose answer was lost works once at most.
func (m *mortal) checkDoubtful(f *flow) {
	m.Helper()
	won, _ := split(m, []answer{m.redeem(m.app, f.code), m.redeem(m.app, f.code), m.redeem(m.app, f.code)})
	if len(won) > 1 {
		m.Errorf("a code was redeemed %d times", len(won))
	}
}
