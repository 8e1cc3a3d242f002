package middleware

import (
	"net/http"
	"strings"
)

// CORSPolicy says which pages of other sites may read an answer.
type CORSPolicy int

// The policies (decision C7). None of them lets cookies along.
const (
	NoCORS         CORSPolicy = iota // pages and authorize
	RegisteredCORS                   // origins that a client has registered
	AnyCORS                          // discovery and keys, which hold nothing secret
)

const (
	corsHeaders = "Authorization, Content-Type, Accept, Idempotency-Key, If-Match, If-Modified-Since, If-None-Match, X-User-Id"
	corsExposed = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id"
	corsMaxAge  = "600" // seconds; what a browser remembers may lag this long behind
)

// CORS answers preflights for the methods and marks the answers of next. An
// origin that is not registered gets the answer unmarked: its browser keeps it
// from the page.
func CORS(policy CORSPolicy, origins *Origins, methods []string, next http.Handler) http.Handler {
	if policy == NoCORS {
		return next
	}
	allowed := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		if policy == RegisteredCORS {
			header.Add("Vary", "Origin")
		}
		origin := r.Header.Get("Origin")
		granted := grant(r, policy, origins, origin)
		if granted != "" {
			header.Set("Access-Control-Allow-Origin", granted)
			header.Set("Access-Control-Expose-Headers", corsExposed)
		}
		if origin == "" || r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		if granted != "" {
			header.Set("Access-Control-Allow-Methods", allowed)
			header.Set("Access-Control-Allow-Headers", corsHeaders)
			header.Set("Access-Control-Max-Age", corsMaxAge)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// grant returns the value of Access-Control-Allow-Origin, or "" for none.
func grant(r *http.Request, policy CORSPolicy, origins *Origins, origin string) string {
	switch {
	case origin == "":
		return ""
	case policy == AnyCORS:
		return "*"
	case origins.Registered(r.Context(), origin):
		return origin
	}
	return ""
}
