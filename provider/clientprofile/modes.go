package clientprofile

import (
	"slices"
	"strings"
)

// ResponseModes returns the response modes of a response type, the default
// first; none for a type that does not exist. An ID token never travels in a
// query, where it would end up in logs (decision A2).
func (p Profile) ResponseModes(responseType string) []string {
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
	modes := p.ResponseModes(responseType)
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
