package clientprofile

import (
	"slices"
	"strings"
)

// ResponseModes returns the response modes of a response type, the default
// first; none for a type that does not exist. An ID token never travels in a
// query, where it would end up in logs (decision A2), signed or not (JARM 2.3.1).
func (p Profile) ResponseModes(responseType string) []string {
	plain := p.plainModes(responseType)
	switch {
	case plain == nil, !p.TakesSigned():
		return plain
	case p.SignedOnly():
		return signed(plain)
	}
	return append(plain, signed(plain)...)
}

func (p Profile) plainModes(responseType string) []string {
	switch responseType {
	case ResponseCode:
		return []string{ModeQuery, ModeFragment, ModeFormPost}
	case ResponseCodeIDToken:
		return []string{ModeFragment, ModeFormPost}
	case ResponseIDToken:
		return p.IDTokenModes()
	}
	return nil
}

func signed(modes []string) []string {
	all := make([]string, len(modes))
	for i, mode := range modes {
		all[i] = mode + ModeSigned
	}
	return all
}

// Resolve returns the mode that the shorthand jwt stands for (JARM 2.3.4), and any
// other as it is.
func (p Profile) Resolve(responseType, asked string) string {
	if modes := p.plainModes(responseType); asked == ModeJWT && modes != nil && p.TakesSigned() {
		return modes[0] + ModeSigned
	}
	return asked
}

// RefusalModes returns the response modes in which a request of the type may be
// refused, the default first. Where a type does not exist the client waits for
// the answer where its words would have put it: one with a token in the fragment
// (OAuth 2.0 Multiple Response Types 3 and 5).
func (p Profile) RefusalModes(responseType string) []string {
	if modes := p.ResponseModes(responseType); modes != nil {
		return modes
	}
	if strings.Contains(responseType, "token") {
		return p.ResponseModes(ResponseCodeIDToken)
	}
	return p.ResponseModes(ResponseCode)
}

// ResponseMode returns the mode that answers a request: the one asked for, or
// the response type's default when none was. A mode the response type does not
// have is an Invalid invalid_request at response_mode.
func (p Profile) ResponseMode(responseType, asked string) (string, error) {
	modes, asked := p.ResponseModes(responseType), p.Resolve(responseType, asked)
	if asked == "" && len(modes) > 0 {
		return modes[0], nil
	}
	if !slices.Contains(modes, asked) {
		return "", invalid("response_mode", "The response_mode does not exist, or does not go with this response_type.")
	}
	return asked, nil
}

// IDTokenModes returns the response modes of response_type=id_token, the
// default first. S1 section 4.1 allows form_post alone.
func (p Profile) IDTokenModes() []string {
	if p.standard {
		return []string{ModeFragment, ModeFormPost}
	}
	return []string{ModeFormPost}
}
