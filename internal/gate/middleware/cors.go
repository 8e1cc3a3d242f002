package middleware

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/httpio"
)

const (
	// corsHeaders has three beside those that operations know, which existing clients of the data
	// operations send: to refuse what is passed over from everybody else would keep their pages out.
	corsHeaders = "Authorization, Content-Digest, Content-MD5, Content-Type, Accept, DPoP, Idempotency-Key, If-Match, " +
		"If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, " +
		"Mcp-Name, Mcp-Session-Id, Range, Region, User-Agent, X-Ads-Request-Id, X-User-Id"
	corsExposed = "Accept-Ranges, Content-Disposition, Content-Range, DPoP-Nonce, ETag, Location, Mcp-Session-Id, " +
		"RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Dt-Access-Level, X-Request-Id"
	corsMaxAge = "600" // seconds; what a browser remembers may lag this long behind
)

// CORS answers preflights for the methods and marks the answers of next. An
// origin that is not registered gets the answer unmarked: its browser keeps it
// from the page.
func CORS(sites httpio.Sites, origins *Origins, methods []string, next http.Handler) http.Handler {
	if sites == httpio.NoSite {
		return next
	}
	allowed := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		if sites == httpio.RegisteredSites {
			header.Add("Vary", "Origin")
		}
		origin := r.Header.Get("Origin")
		granted := grant(r, sites, origins, origin)
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
func grant(r *http.Request, sites httpio.Sites, origins *Origins, origin string) string {
	switch {
	case origin == "":
		return ""
	case sites == httpio.AnySite:
		return "*"
	case origins.Registered(r.Context(), origin):
		return origin
	}
	return ""
}
