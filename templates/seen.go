package templates

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
)

// FieldSeen is the hidden field of a form that changes what is there: what each of
// its fields was when it was shown, as digests.
const FieldSeen = "seen"

// Was returns what FieldSeen says: of a form that is shown for the first time, what is
// in it.
func (f Form) Was() string {
	if !f.Edits || f.Seen != "" {
		return f.Seen
	}
	var all []string
	for _, i := range f.Inputs {
		if i.editable() {
			all = append(all, i.Name+"="+i.digest())
		}
	}
	return strings.Join(all, " ")
}

func (i Input) editable() bool {
	return i.Kind != InputPassword && i.Kind != InputFile && !i.Fixed
}

// Holds is what is in the field, as a text.
func (i Input) Holds() string {
	switch i.Kind {
	case InputChoice, InputList, InputChoices:
		var chosen []string
		for _, o := range i.Options {
			if o.Chosen {
				chosen = append(chosen, o.Value)
			}
		}
		return strings.Join(chosen, " ")
	}
	return strings.TrimSpace(strings.ReplaceAll(i.Value, "\r\n", "\n"))
}

func (i Input) digest() string {
	sum := sha256.Sum256([]byte(i.Holds()))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// Meet brings what somebody sent together with what is there now, which f shows: what
// they left as it was becomes what others made of it meanwhile. It returns the fields
// that both have changed, each as it is now. A form that says nothing of what it was
// is taken as it is.
func (f Form) Meet(sent url.Values) []Input {
	seen := map[string]string{}
	for _, field := range strings.Fields(sent.Get(FieldSeen)) {
		name, digest, _ := strings.Cut(field, "=")
		seen[name] = digest
	}
	if len(seen) == 0 {
		return nil
	}
	var both []Input
	for _, now := range f.Inputs {
		typed := now
		typed.refill(sent)
		switch was, known := seen[now.Name]; {
		case !known || was == now.digest() || typed.Holds() == now.Holds():
		case was == typed.digest():
			now.put(sent)
		default:
			both = append(both, now)
		}
	}
	f.Seen = ""
	sent.Set(FieldSeen, f.Was())
	return both
}

// put sends what is in the field.
func (i Input) put(values url.Values) {
	values.Del(i.Name)
	for _, o := range i.Options {
		values.Del(i.Name + "." + o.Value)
	}
	for _, o := range i.Options {
		switch {
		case o.Chosen && i.Kind == InputChoices:
			values.Set(i.Name+"."+o.Value, "on")
		case o.Chosen:
			values.Set(i.Name, o.Value)
		}
	}
	if len(i.Options) == 0 && i.Value != "" {
		values.Set(i.Name, i.Value)
	}
}

// Refill returns the form with what was sent in it, secrets aside.
func (f Form) Refill(values url.Values) Form {
	f.refill(values)
	return f
}
