package templates

// Content security policies of pages. None allows inline scripts or styles,
// anything of other hosts, pictures too, or being framed (RFC 9700 section
// 4.16).
const (
	// PolicyInteractive is for pages of a parked authorize request: sign-in,
	// consent, form_post. It leaves form-action out, for browsers hold that
	// directive against every redirect after the form too, and the last one
	// goes to the client.
	PolicyInteractive = "default-src 'none'; style-src 'self'; img-src 'self'; " +
		"script-src 'self'; frame-ancestors 'none'; base-uri 'none'"

	// PolicyOwn is for pages whose forms stay with us, and for pages without a
	// form.
	PolicyOwn = PolicyInteractive + "; form-action 'self'"

	// PolicyCalling is for pages of ours whose script calls the server.
	PolicyCalling = PolicyOwn + "; connect-src 'self'"

	// PolicyFraming is for pages of ours that show a PDF, which comes from us, too.
	PolicyFraming = PolicyOwn + "; frame-src 'self'"

	// PolicyPicture is for a picture that is opened by itself.
	PolicyPicture = "default-src 'none'; frame-ancestors 'none'; sandbox"
)
