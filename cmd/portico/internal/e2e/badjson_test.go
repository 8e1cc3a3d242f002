package e2e

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// operation is one that takes JSON, with a body that it accepts.
type operation struct {
	*robot
	method, path, good string
	accept             int
	token              string
}

// operations returns the operations of service accounts that take JSON, in an
// order in which each good body is accepted once.
func operations(s *site) []operation {
	s.Helper()
	r := s.robot()
	token := s.token(r.owner, "grant_type", "client_credentials").text("access_token")
	account := accountsPath + "/" + r.AccountID
	return []operation{
		{r, http.MethodPost, accountsPath, `{"name":"another-robot"}`, 201, token},
		{r, http.MethodPatch, account + "/keys/" + r.KID, `{"status":"DISABLED"}`, 204, token},
		{r, http.MethodPatch, account, `{"status":"DISABLED"}`, 200, token},
	}
}

func (o operation) request(media string, body io.Reader) *http.Request {
	o.Helper()
	r, err := http.NewRequest(o.method, o.URL+o.path, body)
	o.must(err)
	r.Header.Set("Authorization", "Bearer "+o.token)
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	return r
}

// refuses checks a 4xx with title and detail, as S1 2.12 has it.
func (o operation) refuses(t *testing.T, got answer) {
	t.Helper()
	if got.Status < 400 || got.Status > 499 {
		t.Fatalf("%d %.200s", got.Status, got.Body)
	}
	if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", got.Header)
	}
	if len(got.object(t)) != 2 || got.text("title") != "invalid_request" || got.text("detail") == "" {
		t.Errorf("body %.200s", got.Body)
	}
	if strings.ContainsAny(got.text("detail"), "\r\n<") {
		t.Errorf("what was sent comes back: %.200s", got.Body)
	}
}

const jsonMedia = "application/json"

// Rule: SERVER-21
func TestMalformedJSONGetsTitleAndDetailFromTheOperationsOfServiceAccounts(t *testing.T) {
	s := start(t, sqliteURL(t))
	for _, o := range operations(s) {
		open := strings.TrimSuffix(o.good, "}")
		for trick, sent := range map[string][2]string{
			"a form":            {formType, "name=robot"},
			"no media type":     {"", o.good},
			"another charset":   {"text/plain; charset=latin1", o.good},
			"no JSON":           {jsonMedia, "name=robot"},
			"cut off":           {jsonMedia, open},
			"two values":        {jsonMedia, o.good + o.good},
			"a repeated member": {jsonMedia, open + "," + o.good[1:]},
			"invalid UTF-8":     {jsonMedia, open + `,"x":"` + "\xff" + `"}`},
			"U+0000":            {jsonMedia, open + `,"x":"\u0000"}`},
			"raw CR and LF":     {jsonMedia, "{\"name\":\"robot\r\nX-Evil: 1\",\"status\":\"DISABLED\r\n\"}"},
			"CR and LF":         {jsonMedia, `{"name":"robot\r\nX-Evil: 1","status":"DISABLED\r\n"}`},
			"markup":            {jsonMedia, `{"name":"<script>","status":"<script>"}`},
			"ten thousand levels": {jsonMedia, open + `,"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) +
				"}"},
			"more than a megabyte":  {jsonMedia, open + `,"x":"` + strings.Repeat("y", 1<<20) + `"}`},
			"an array":              {jsonMedia, "[" + o.good + "]"},
			"numbers for the texts": {jsonMedia, `{"name":1,"status":1}`},
		} {
			t.Run(o.method+" "+strconv.Itoa(o.accept)+" "+trick, func(t *testing.T) {
				got, err := try(s.plain, o.request(sent[0], strings.NewReader(sent[1])))
				s.must(err)
				o.refuses(t, got)
			})
		}
		got, err := try(s.plain, o.request(jsonMedia, strings.NewReader(open+manyMembers(10_000)+"}")))
		if err != nil || got.Status != o.accept { // members that nobody knows are passed over
			t.Errorf("%s, the good body: %v, %d %s", o.method, err, got.Status, got.Body)
		}
	}
}

func manyMembers(n int) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(`,"x` + strconv.Itoa(i) + `":1`)
	}
	return all.String()
}

// Rules: SERVER-19, SERVER-20
func TestEndlessAndSlowJSONIsAnsweredByTheOperationsOfServiceAccounts(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	for _, o := range operations(s) {
		for _, size := range []string{strconv.Itoa(hundredMegabytes), ""} {
			got, err := flood(s, o.request(jsonMedia, nil), size, io.LimitReader(endless{}, hundredMegabytes))
			s.must(err)
			o.refuses(t, got)
		}
		got, err := flood(s, o.request(jsonMedia, nil), strconv.Itoa(hundredMegabytes), newTrickle(t, " "))
		s.must(err)
		o.refuses(t, got)
		if got, err = try(s.plain, o.request(jsonMedia, strings.NewReader(o.good))); err != nil || got.Status != o.accept {
			t.Errorf("%s, the good body: %v, %d %s", o.method, err, got.Status, got.Body)
		}
	}
}
