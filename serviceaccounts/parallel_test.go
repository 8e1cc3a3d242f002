package serviceaccounts_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
)

// atOnce sends n requests at the same time and counts the statuses.
func atOnce(t *testing.T, n int, request func(i int) *http.Request) map[int]int {
	t.Helper()
	var (
		mu     sync.Mutex
		work   sync.WaitGroup
		counts = map[int]int{}
		begin  = make(chan struct{})
	)
	for i := range n {
		r := request(i)
		work.Go(func() {
			<-begin
			got, err := send(r)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			counts[got.Status]++
		})
	}
	close(begin)
	work.Wait()
	return counts
}

// replicas are two servers on one database.
func replicas(t *testing.T, database string) []*world {
	first := newWorld(t, settings{database: database})
	return []*world{first, newWorld(t, settings{beside: first})}
}

// Rule: ACCOUNT-4
func TestFiftyParallelCreationsLeaveExactlyTenAccounts(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		servers := replicas(t, database)
		a := servers[0].app(apps.Registration{})
		got := atOnce(t, 50, func(i int) *http.Request {
			return servers[i%2].request("POST", accountsPath, a.Token, fmt.Sprintf(`{"name":"robot-%d"}`, i))
		})
		if diff := cmp.Diff(map[int]int{201: 10, 403: 40}, got); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
		list, err := servers[0].Store.ListServiceAccounts(t.Context(), storage.ServiceAccountFilter{ClientID: a.ID})
		if err != nil || len(list) != 10 {
			t.Errorf("%d accounts, %v", len(list), err)
		}
	})
}

// Rule: ACCOUNT-3
func TestFiftyParallelCreationsOfOneNameLeaveOneAccount(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		servers := replicas(t, database)
		a := servers[0].app(apps.Registration{})
		names := []string{"robot", "Robot", "ROBOT"}
		got := atOnce(t, 50, func(i int) *http.Request {
			return servers[i%2].request("POST", accountsPath, a.Token, `{"name":"`+names[i%3]+`"}`)
		})
		if diff := cmp.Diff(map[int]int{201: 1, 400: 49}, got); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
	})
}

// Rule: ACCOUNT-4
func TestFiftyParallelCreationsLeaveExactlyThreeKeys(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		servers := replicas(t, database)
		a := servers[0].app(apps.Registration{})
		account := servers[0].account(a, "robot")
		create := func(i int) *http.Request {
			return servers[i%2].request("POST", accountsPath+"/"+account+"/keys", a.Token, "")
		}
		got := atOnce(t, 50, create)
		for got[503] > 0 { // on a busy machine some are told to come again
			again := got[503]
			delete(got, 503)
			for status, n := range atOnce(t, again, create) {
				got[status] += n
			}
		}
		if diff := cmp.Diff(map[int]int{201: 3, 403: 47}, got); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
		list, err := servers[0].Store.ListServiceAccountKeys(t.Context(), account)
		if err != nil || len(list) != 3 {
			t.Errorf("%d keys, %v", len(list), err)
		}
	})
}

// Rule: ACCOUNT-5
func TestOfParallelDisablingsOneIsTheFirst(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		servers := replicas(t, database)
		a := servers[0].app(apps.Registration{})
		account := servers[0].account(a, "robot")
		got := atOnce(t, 20, func(i int) *http.Request {
			return servers[i%2].request("PATCH", accountsPath+"/"+account, a.Token, `{"status":"DISABLED"}`)
		})
		if diff := cmp.Diff(map[int]int{200: 1, 400: 19}, got); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
	})
}

// Rule: ACCOUNT-16
func TestDisablingActsOnEveryReplica(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		servers := replicas(t, database)
		s := servers[0].signer(servers[0].app(apps.Registration{}), "robot")
		token := s.token()
		if !servers[1].works(token) {
			t.Fatal("the token does not work on the other replica")
		}
		servers[0].setStatus(s.app, s.account, "DISABLED")
		if servers[1].works(token) {
			t.Error("it works there after the account was disabled")
		}
	})
}

// Rule: ACCOUNT-18
func TestAKeyEndsEverywhereWhenWhoMadeItChose(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		servers := replicas(t, database)
		a := servers[0].app(apps.Registration{})
		account := servers[0].account(a, "robot")
		path := accountsPath + "/" + account + "/keys"
		end := servers[0].ambient.Now().Add(time.Minute).UTC().Truncate(time.Second)
		for name, body := range map[string]string{
			"an end in the past":   `{"endsAt": "2020-01-01T00:00:00Z"}`,
			"a label of two lines": `{"label": "a\nb"}`,
		} {
			got := servers[0].expect(http.StatusBadRequest, "POST", path, a.Token, body)
			if got.JSON(t)["title"] != "invalid_request" {
				t.Errorf("%s: %s", name, got.Body)
			}
		}
		s := servers[0].keyAs(a, account, `{"label": "Night job", "endsAt": "`+end.Format(time.RFC3339)+`"}`)
		lasting := servers[0].key(a, account)
		there := s
		there.world = servers[1]
		list := string(servers[1].expect(http.StatusOK, "GET", path, a.Token, "").Body)
		if strings.Count(list, `"label":"Night job","endsAt":"`+end.Format(time.RFC3339)+`"`) != 1 ||
			strings.Count(list, "endsAt") != 1 {
			t.Errorf("the keys are %s", list)
		}
		tokens := []string{s.token(), there.token()}
		if !s.works(tokens[1]) || !there.works(tokens[0]) {
			t.Error("before its end its tokens don't work")
		}
		s.wait(time.Minute)
		for _, one := range []signer{s, there} {
			one.refused(one.exchange(one.sign(nil)), http.StatusBadRequest, "invalid_grant")
			if one.works(tokens[0]) || one.works(tokens[1]) {
				t.Error("a token outlives the key that it came from")
			}
		}
		if !there.works(lasting.token()) {
			t.Error("the key without an end has ended")
		}
	})
}

// Rules: TOKEN-27, EXCHANGE-9
func TestADisabledKeyOrAccountIsRefusedEverywhereWithinASecond(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		servers := replicas(t, database)
		s := servers[0].signer(servers[0].app(apps.Registration{}), "robot")
		there := s
		there.world = servers[1]
		for _, what := range []string{s.account, s.account + "/keys/" + s.kid} {
			before := []string{s.token(), there.token()}
			s.wait(time.Second) // tokens tell no more than the second of their issue
			s.setStatus(s.app, what, "DISABLED")
			s.refused(s.exchange(s.sign(nil)), http.StatusBadRequest, "invalid_grant")
			if got := there.exchange(there.sign(nil)); got.Status == http.StatusOK &&
				there.works(got.JSON(t)["access_token"].(string)) {
				t.Errorf("%s: a token that the other replica issued afterwards works", what)
			}
			s.wait(serviceaccounts.KeyStaleness)
			there.refused(there.exchange(there.sign(nil)), http.StatusBadRequest, "invalid_grant")
			s.setStatus(s.app, what, "ENABLED")
			if fresh := there.token(); !s.works(fresh) || !there.works(fresh) { // enabling counts there at once
				t.Errorf("%s: enabled again, and a new token does not work", what)
			}
			if s.works(before[0]) || there.works(before[1]) {
				t.Errorf("%s: a token from before it was disabled works again", what)
			}
		}
	})
}
