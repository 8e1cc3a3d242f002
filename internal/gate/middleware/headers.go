package middleware

import "net/http"

const (
	// defaultCSP is for answers that are no pages; pages bring their own.
	defaultCSP = "default-src 'none'; frame-ancestors 'none'"

	permissionsPolicy = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
	twoYears          = "max-age=63072000"
)

// SecurityHeaders sets what every answer tells a browser (B18, B26). A handler
// may replace a header, as pages do with Content-Security-Policy.
func SecurityHeaders(https bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSecurityHeaders(w.Header(), https)
		next.ServeHTTP(w, r)
	})
}

func setSecurityHeaders(header http.Header, https bool) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Content-Security-Policy", defaultCSP)
	header.Set("Permissions-Policy", permissionsPolicy)
	if https {
		header.Set("Strict-Transport-Security", twoYears)
	}
}
