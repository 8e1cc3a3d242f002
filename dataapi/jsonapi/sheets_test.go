package jsonapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/portico-id/portico/dataapi/jsonapi"
)

// gone is a client that left in the middle of an answer, of which a part is on its way.
type gone struct {
	http.ResponseWriter
	sending []byte
}

func (g *gone) Write(body []byte) (int, error) {
	g.sending = body
	return 0, errors.New("the stream was closed")
}

func TestNoAnswerHasAnythingOfAnotherOne(t *testing.T) {
	var sheets jsonapi.Sheets
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { answered(t, &sheets, i) })
	}
	all.Wait()
}

// answered has one who left and one who stays answered, and tells whether both got their own.
func answered(t *testing.T, sheets *jsonapi.Sheets, i int) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	document := func(i int) jsonapi.Document {
		return jsonapi.Document{Data: make([]jsonapi.Resource, i%5), Meta: "answer " + strconv.Itoa(i)}
	}
	left := &gone{ResponseWriter: httptest.NewRecorder()}
	answer, plain := httptest.NewRecorder(), httptest.NewRecorder()
	err := sheets.WriteDocument(left, r, jsonapi.Query{}, document(100+i))
	before := string(left.sending)
	err = errors.Join(err, sheets.WriteDocument(answer, r, jsonapi.Query{}, document(i)),
		jsonapi.WriteDocument(plain, r, jsonapi.Query{}, document(i)))
	if err != nil {
		t.Error(err)
	}
	if answer.Body.String() != plain.Body.String() {
		t.Errorf("got  %s\nwant %s", answer.Body, plain.Body)
	}
	if before != string(left.sending) {
		t.Errorf("what is on its way becomes %s", left.sending)
	}
}
