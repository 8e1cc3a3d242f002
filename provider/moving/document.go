package moving

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
)

// maxLine is how many bytes a line of a document has at most.
const maxLine = 1 << 20

// ReasonLine is the reason of the faults of a line.
const ReasonLine = "invalid_line"

// Entry is a line of a document: one of its members is set.
type Entry struct {
	Group  *Group  `json:"group,omitempty"`
	User   User    `json:"user,omitempty"`
	Client *Client `json:"client,omitempty"`
	Note   string  `json:"note,omitempty"` // what could not be brought over, for the report
}

// Group is a group of people.
type Group struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// User is a person: the fields of people, by their names, and those that are below.
type User map[string]any

// Names of members of a User beside the fields that people have.
const (
	fieldID       = "id"
	fieldHash     = "password_hash"
	fieldDisabled = "disabled"
	fieldAdmin    = "admin"
	fieldGroups   = "groups"

	fieldEmail    = "email"
	fieldVerified = "email_verified"
	fieldUsername = "preferred_username"
	fieldName     = "name"
)

// Client is an application. Names are those of the administration API.
type Client struct {
	ID                     string   `json:"client_id"`
	Name                   string   `json:"name,omitempty"`    // empty: the id
	Type                   string   `json:"type"`              // web, service, native or spa
	Profile                string   `json:"profile,omitempty"` // empty: standard
	Secrets                []string `json:"client_secrets,omitempty"`
	SecretHashes           []string `json:"client_secret_hashes,omitempty"` // as another product made them
	RedirectURIs           []string `json:"redirect_uris,omitempty"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris,omitempty"`
	Origins                []string `json:"origins,omitempty"`
	Scopes                 []string `json:"scopes,omitempty"`
	BackchannelLogoutURI   string   `json:"backchannel_logout_uri,omitempty"`
	LogoURI                string   `json:"logo_uri,omitempty"`
	PolicyURI              string   `json:"policy_uri,omitempty"`
	TermsURI               string   `json:"tos_uri,omitempty"`
	HomeURI                string   `json:"client_uri,omitempty"`
	KeysURI                string   `json:"jwks_uri,omitempty"` // it proves itself by these keys
	RequirePKCE            bool     `json:"require_pkce,omitempty"`
	FirstParty             bool     `json:"first_party,omitempty"`
	SecondFactor           bool     `json:"require_second_factor,omitempty"`
	Devices                bool     `json:"devices,omitempty"`
	Disabled               bool     `json:"disabled,omitempty"`
}

// lines reads a document, a line at a time.
type lines struct {
	in     *bufio.Reader
	number int
}

// next returns the next entry; io.EOF at the end. What is wrong with a line is a fault.
func (l *lines) next() (Entry, error) {
	for {
		text, err := l.read()
		if err != nil {
			return Entry{}, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			return parse(text)
		}
	}
}

// read returns a line. One that is too long is read to its end and refused.
func (l *lines) read() ([]byte, error) {
	l.number++
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
		case err != nil:
			return nil, err
		}
		if len(line) > maxLine {
			return nil, fault.Newf(fault.Invalid, ReasonLine, "The line is longer than %d bytes.", maxLine)
		}
		return line, nil
	}
}

func parse(line []byte) (Entry, error) {
	var e Entry
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if !utf8.Valid(line) {
		return e, fault.New(fault.Invalid, ReasonLine, "The line is not UTF-8.")
	}
	if err := decoder.Decode(&e); err != nil {
		return e, wrong(err)
	}
	if decoder.More() {
		return e, fault.New(fault.Invalid, ReasonLine, "There is more than one object in the line.")
	}
	if e.Group != nil {
		e.Group.Name, e.Group.Description = strings.TrimSpace(e.Group.Name), strings.TrimSpace(e.Group.Description)
	}
	count := 0
	for _, is := range []bool{e.Group != nil, e.User != nil, e.Client != nil, e.Note != ""} {
		if is {
			count++
		}
	}
	if count != 1 {
		return e, fault.New(fault.Invalid, ReasonLine, "The line must have one of group, user, client and note.")
	}
	return e, nil
}

// wrong says what JSON can't be read as, without what stands there: it may be a secret.
func wrong(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fault.Newf(fault.Invalid, ReasonLine, "This must not be a %s.", kind.Value).
			At(kind.Field[strings.IndexByte(kind.Field, '.')+1:])
	}
	if _, field, unknown := strings.Cut(err.Error(), "unknown field "); unknown {
		return fault.New(fault.Invalid, ReasonLine, "There is no such field.").At(strings.Trim(field, `"`))
	}
	return fault.New(fault.Invalid, ReasonLine, "The line is no JSON object.")
}
