package provider_test

import "net/http"

// The plans' modules on request objects, which we do not support: each is
// refused so that the client learns of it, by GET and by POST.

// inside is an unsigned request object with all that a refusal needs.
func (s *suite) inside() string {
	return requestObject(`{"response_mode":"`+s.mode+`","state":"a-state","redirect_uri":"`+callback+`"}`, "")
}

func (s *suite) byBothMethods(check func(ask func(pairs ...string) visit)) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		check(func(pairs ...string) visit { return s.asked(method, s.asking(pairs...)) })
	}
}

func (s *suite) requestObject() {
	s.byBothMethods(func(ask func(...string) visit) {
		v := ask("state", "", "response_mode", "", "request", s.inside())
		if got := s.answer(v).Get("error"); got != "request_not_supported" {
			s.Errorf("error %q", got)
		}
	})
}

func (s *suite) requestURI() {
	s.byBothMethods(func(ask func(...string) visit) {
		fields := s.answer(ask("request_uri", "https://app.example.test/object.jwt"))
		if got := fields.Get("error"); got != "request_uri_not_supported" {
			s.Errorf("error %q", got)
		}
	})
}

func (s *suite) requestObjectWithAnotherTarget() {
	s.flow()
	s.byBothMethods(func(ask func(...string) visit) {
		s.isError(ask("redirect_uri", callback+"/other", "request", s.inside()))
	})
}
