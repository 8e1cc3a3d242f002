package directory

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// person is an entry that is somebody.
type person struct {
	dn       string
	subject  string
	uid      string // by which groups of memberUid name them
	email    string
	verified bool
	disabled bool
	fields   map[string]string // of storage.User, by name
}

// personal are the fields of people beside address and name, and the attributes that
// say them.
var personal = map[string][]string{
	"given_name": {"givenName"}, "family_name": {"sn"}, "phone_number": {"telephoneNumber"},
	"job_title": {"title"}, "company": {"company", "o"},
}

// wanted are the attributes that an entry is asked for.
func (c Config) wanted() []string {
	all := append([]string{c.Subject, c.Email, c.Name, c.MemberUID, "nsAccountLock", "pwdAccountLockedTime"}, c.Logins...)
	for _, attributes := range personal {
		all = append(all, attributes...)
	}
	if c.ActiveDirectory {
		all = append(all, "userAccountControl", "accountExpires")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// personOf reads an entry. An error says why it is none that counts.
func (d directory) personOf(entry *ldap.Entry) (person, error) {
	if !below(entry.DN, d.config.Base) {
		return person{}, causef("the entry %q is not below the base", entry.DN)
	}
	p := person{dn: entry.DN, uid: entry.GetEqualFoldAttributeValue(d.config.MemberUID), fields: map[string]string{}}
	var err error
	if p.subject, err = subjectOf(entry, d.config.Subject); err != nil {
		return p, err
	}
	p.email = strings.TrimSpace(entry.GetEqualFoldAttributeValue(d.config.Email))
	for _, login := range d.config.Logins {
		if value := entry.GetEqualFoldAttributeValue(login); p.email == "" && strings.Contains(value, "@") {
			p.email = value
		}
	}
	p.verified = said.Within(p.email, d.config.Vouch)
	p.disabled = d.config.isDisabled(entry, d.with.Ambient.Now())
	for field, attributes := range personal {
		for _, attribute := range attributes {
			p.fields[field] = cmp.Or(p.fields[field], line(entry.GetEqualFoldAttributeValue(attribute)))
		}
	}
	both := strings.TrimSpace(p.fields["given_name"] + " " + p.fields["family_name"])
	p.fields["name"] = cmp.Or(line(entry.GetEqualFoldAttributeValue(d.config.Name)), both, p.email)
	return p, nil
}

// below reports whether a DN is beneath another.
func below(dn, base string) bool {
	one, err := ldap.ParseDN(dn)
	if err != nil {
		return false
	}
	top, err := ldap.ParseDN(base)
	return err == nil && top.AncestorOfFold(one)
}

// keyOf is a DN in the form in which DNs compare.
func keyOf(dn string) string {
	parsed, err := ldap.ParseDN(dn)
	if err != nil {
		return strings.ToLower(dn)
	}
	return strings.ToLower(parsed.String())
}

// subjectOf is what stays of an entry when it is renamed or moved.
func subjectOf(entry *ldap.Entry, attribute string) (string, error) {
	values := entry.GetEqualFoldRawAttributeValues(attribute)
	if len(values) != 1 || len(values[0]) == 0 || len(values[0]) > 64 {
		return "", causef("the entry %q has no %s by which to know it", entry.DN, attribute)
	}
	if strings.EqualFold(attribute, "objectGUID") || strings.EqualFold(attribute, "objectSid") {
		return hex.EncodeToString(values[0]), nil
	}
	return strings.ToLower(string(values[0])), nil
}

// isDisabled reports whether the directory says that the account is not to be used.
func (c Config) isDisabled(entry *ldap.Entry, now time.Time) bool {
	if strings.EqualFold(entry.GetEqualFoldAttributeValue("nsAccountLock"), "true") {
		return true
	}
	if strings.HasPrefix(entry.GetEqualFoldAttributeValue("pwdAccountLockedTime"), "00000") { // for ever
		return true
	}
	if !c.ActiveDirectory {
		return false
	}
	flags, _ := strconv.ParseInt(entry.GetEqualFoldAttributeValue("userAccountControl"), 10, 64)
	ends, _ := strconv.ParseInt(entry.GetEqualFoldAttributeValue("accountExpires"), 10, 64)
	const never = 1<<63 - 1
	return flags&2 != 0 || ends > 0 && ends < never && !fileTime(ends).After(now)
}

// fileTime is a moment as Windows counts: in 100 ns since 1601.
func fileTime(ticks int64) time.Time {
	const unix = 116444736000000000
	return time.UnixMicro((ticks - unix) / 10)
}

const maxName = 256 // bytes of what somebody types as their name

// filterFor finds whose name it is. Names are escaped, and nothing of them is read.
func (c Config) filterFor(login string) string {
	either := ""
	for _, attribute := range c.Logins {
		either += "(" + attribute + "=" + ldap.EscapeFilter(login) + ")"
	}
	return "(&" + c.Filter + "(|" + either + "))"
}

// find returns the one whose name it is, by a search of the service account; false:
// nobody, or several.
func (d directory) find(ctx context.Context, login string) (who person, found bool, err error) {
	if login == "" || len(login) > maxName || strings.ContainsRune(login, 0) {
		return who, false, nil
	}
	err = d.serve(ctx, func(l *link) error {
		request := d.search(d.config.Base, ldap.ScopeWholeSubtree, d.config.filterFor(login), d.config.wanted())
		request.SizeLimit = 2
		result, err := l.Search(request)
		if ldap.IsErrorWithCode(err, ldap.LDAPResultSizeLimitExceeded) {
			d.with.Log.WarnContext(ctx, "several entries of a directory have the name that somebody typed",
				"directory", d.ID)
			return nil
		}
		if err != nil {
			return err
		}
		d.noteReferrals(ctx, result)
		if len(result.Entries) != 1 {
			return nil
		}
		who, err = d.personOf(result.Entries[0])
		if found = err == nil; !found {
			d.with.Log.WarnContext(ctx, "an entry of a directory is nobody", "directory", d.ID, "cause", err)
		}
		return nil
	})
	return who, found, reached(err)
}

// search is a request that follows nothing, neither aliases nor referrals.
func (d directory) search(base string, scope int, filter string, attributes []string) *ldap.SearchRequest {
	return ldap.NewSearchRequest(base, scope, ldap.NeverDerefAliases, 0, int(callTime/time.Second), false, filter,
		attributes, nil)
}

// noteReferrals says that a directory wanted to send us elsewhere. Nobody goes there:
// passwords would, too.
func (d directory) noteReferrals(ctx context.Context, result *ldap.SearchResult) {
	if n := len(result.Referrals); n > 0 {
		d.with.Log.DebugContext(ctx, "a directory refers elsewhere", "directory", d.ID, "referrals", n)
	}
}

// proof is what a directory said to a password.
type proof int

const (
	wrong   proof = iota
	right         //
	expired       // right, and a new one is needed first
)

// prove binds as the person, over a connection of its own. It is asked once: to ask the
// next host would count twice against whoever mistypes.
func (d directory) prove(ctx context.Context, dn, password string) (proof, error) {
	l, err := d.reach(ctx)
	if err != nil {
		return wrong, err
	}
	defer l.cut()
	defer context.AfterFunc(ctx, l.cut)()
	request := ldap.NewSimpleBindRequest(dn, password, []ldap.Control{ldap.NewControlBeheraPasswordPolicy()})
	result, err := l.SimpleBind(request)
	if broken(err) || ctx.Err() != nil {
		d.failed(ctx, l, err)
		return wrong, errUnreachable.Because(err)
	}
	return judged(result, err), nil
}

// judged reads the answer to a bind: of Active Directory the code in its text, of others
// the control of password policies. All but an expired password are one wrong.
func judged(result *ldap.SimpleBindResult, err error) proof {
	policy := int8(-1)
	if result != nil {
		control, _ := ldap.FindControl(result.Controls,
			ldap.ControlTypeBeheraPasswordPolicy).(*ldap.ControlBeheraPasswordPolicy)
		if control != nil {
			policy = control.Error
		}
	}
	const passwordExpired, changeAfterReset = 0, 2
	switch {
	case err == nil && policy == changeAfterReset:
		return expired
	case err == nil:
		return right
	case !ldap.IsErrorWithCode(err, ldap.LDAPResultInvalidCredentials):
		return wrong
	case policy == passwordExpired, says(err, "532"), says(err, "773"):
		return expired
	}
	return wrong
}

// says reports whether Active Directory gave the code.
func says(err error, code string) bool {
	return strings.Contains(err.Error(), ", data "+code+",") || strings.Contains(err.Error(), " data "+code+" ")
}

// apply makes of a user what the directory says. What does not fit a field is left out.
func (d directory) apply(user *storage.User, p person) error {
	before := user.Email
	if err := d.set(user, "email", p.email); err != nil {
		return causef("the entry %q has no address that can be used", p.dn)
	}
	user.EmailVerified = p.verified || user.EmailVerified && before == user.Email
	for field, value := range p.fields {
		if d.set(user, field, value) != nil {
			_ = d.set(user, field, "")
		}
	}
	user.Profile.LDAPDomain = d.config.domain()
	return nil
}
