package templates

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// dressed returns the page as its person is to see it: with times in their zone,
// and with what they had typed before in the form that it was typed into.
func dressed(page any, around Desk) any {
	dressed := reflect.New(reflect.TypeOf(page)).Elem()
	dressed.Set(reflect.ValueOf(page))
	around.dress(dressed)
	return dressed.Interface()
}

func (d Desk) dress(v reflect.Value) {
	if !v.CanSet() {
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		if d.Zone != nil && !at.IsZero() {
			*at = at.In(d.Zone)
		}
		return
	case *texts.Text:
		at.Args = d.local(at.Args)
		return
	case *Form:
		if path, _, _ := strings.Cut(at.Action, "?"); path == d.Refill.Action && len(d.Refill.Values) > 0 {
			at.refill(d.Refill.Values)
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			d.dress(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len()) // others may be shown the same list
		reflect.Copy(own, v)
		v.Set(own)
		for i := range v.Len() {
			d.dress(v.Index(i))
		}
	}
}

// local returns what is filled into a text, times in the zone of who reads it.
func (d Desk) local(args []any) []any {
	args = slices.Clone(args)
	for i, arg := range args {
		if t, is := arg.(time.Time); is && d.Zone != nil && !t.IsZero() {
			args[i] = t.In(d.Zone)
		}
	}
	return args
}

// refill puts values into the form. A secret is asked for anew: where none is needed, it
// would be lost without a word.
func (f *Form) refill(values url.Values) {
	f.Inputs, f.Seen = slices.Clone(f.Inputs), values.Get(FieldSeen)
	for i := range f.Inputs {
		input := &f.Inputs[i]
		input.refill(values)
		// One that was typed and had to wait is not among the values; one that was left empty is.
		typed := values.Get(input.Name) != "" || !values.Has(input.Name)
		if input.Kind == InputPassword && !input.Required && typed {
			again := texts.Say("parts.type-again")
			input.Problems = append(input.Problems, again)
			f.Problems = append(f.Problems, Problem{Text: again, Field: input.Name})
		}
	}
}

func (i *Input) refill(values url.Values) {
	switch i.Kind {
	case InputPassword, InputFile:
		return
	case InputChoice, InputList, InputChoices:
		i.Options = slices.Clone(i.Options)
		for n, o := range i.Options {
			if i.Kind == InputChoices {
				i.Options[n].Chosen = values.Get(i.Name+"."+o.Value) == "on"
			} else {
				i.Options[n].Chosen = values.Get(i.Name) == o.Value
			}
		}
	default:
		i.Value = values.Get(i.Name)
	}
}

// failed reports whether the page says that something went wrong: its window
// says so before all else.
func failed(page any) bool {
	if _, is := page.(interface{ failure() }); is {
		return true
	}
	return fails(reflect.ValueOf(page))
}

func fails(v reflect.Value) bool {
	if form, is := v.Interface().(Form); is {
		return len(form.Problems) > 0
	}
	if v.Kind() != reflect.Struct {
		return false
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		said := (field.Name == "Error" || field.Name == "Problem") && !v.Field(i).IsZero()
		if said || fails(v.Field(i)) {
			return true
		}
	}
	return false
}
