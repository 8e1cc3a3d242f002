package shape

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// What clients send: the parts that several documents have.

// Members of a resource.
const (
	InAttributes    = "attributes"
	InRelationships = "relationships"
)

// ReadParent returns the short id of the folder that a relationship leads to,
// "" for a missing one.
func (s Shape) ReadParent(v jsonapi.Value) string {
	return ReadURN(v, TypeFolders, s.URN.Folder("<id>"), s.URN.FolderUID)
}

// ReadURN reads the id of the thing, of the type, that a relationship leads to.
func ReadURN[T any](v jsonapi.Value, kind, form string, read func(string) (T, bool)) T {
	name, place := v.ToOne(kind)
	id, ok := read(name)
	if !ok && name != "" {
		place.Refuse(fault.Newf(fault.Invalid, "malformed_id", "The id must look like %s.", form))
	}
	return id
}

var (
	extensionForm    = pattern.Of(`^[a-z]+:[A-Za-z0-9.-]+:[A-Za-z0-9]+$`)
	extensionVersion = pattern.Of(`^[0-9]{1,9}(\.[0-9]{1,9}){0,2}$`) // it is shown in every list
)

const (
	maxExtension   = 200      // characters of a type
	maxData        = 16 << 10 // bytes of an extension's data
	maxDescription = 255      // characters
)

// ReadExtension reads an extension, or returns the usual one.
func ReadExtension(v jsonapi.Value, usual string) storage.Extension {
	e := storage.Extension{Type: usual, Version: urn.ExtensionVersion}
	kind, _, _ := strings.Cut(usual, ":")
	if name, given := v.Member("type").OptionalText(); given {
		e.Type = name
		if !extensionForm().MatchString(name) || len(name) > maxExtension || !strings.HasPrefix(name, kind+":") {
			v.Member("type").Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "The type must look like %s.", usual))
		}
	}
	if number, given := v.Member("version").OptionalText(); given {
		e.Version = number
		if !extensionVersion().MatchString(number) {
			v.Member("version").Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid, "The version must look like 1.0."))
		}
	}
	if data := v.Member("data"); data.Given() {
		e.Data = readData(data)
		checkData(data, e.Data)
	}
	return e
}

// readData reads an extension's data without what is ours to tell; "" when
// nothing is left.
func readData(v jsonapi.Value) string {
	all := map[string]json.RawMessage{}
	for _, name := range v.Names() {
		if !oursToTell(name) {
			all[name] = v.Member(name).JSON()
		}
	}
	return encodeData(all)
}

// encodeData is "" for no members. What HTML has a use for stays as it is: it
// counts against the limit.
func encodeData(all map[string]json.RawMessage) string {
	if len(all) == 0 {
		return ""
	}
	body, err := jsonapi.Marshal(all)
	if err != nil {
		return "" // can't be: it was JSON before
	}
	return string(body)
}

// oursToTell reports whether a member of an extension's data says where bytes
// lie, what a folder is to its project or how far a version has come. Clients may send it along, as those do
// that send back what they read, but can't set it.
func oursToTell(name string) bool {
	switch name {
	case "storageUrn", "storageType", "isRoot", "folderType", storage.StateMember:
		return true
	}
	return false
}

// checkData refuses data that is too large to be shown in every list, and
// numbers that not every reader can take.
func checkData(v jsonapi.Value, stored string) {
	checkNumbers(v)
	if len(stored) > maxData {
		v.Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "The data of an extension has at most %d bytes.", maxData))
	}
	if text, _ := v.Member("description").Raw().(string); utf8.RuneCountInString(text) > maxDescription {
		v.Member("description").Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid,
			"A description has at most %d characters.", maxDescription))
	}
}

// checkNumbers refuses numbers outside a double's range: most readers of JSON
// turn them into something else, or fail (RFC 8259, 6), and so does a database
// that compares them for a filter.
func checkNumbers(v jsonapi.Value) {
	switch raw := v.Raw().(type) {
	case json.Number:
		if !isDouble(raw) {
			v.Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid,
				"The number is too large or too small: it must fit into 64 bits of floating point."))
		}
	case map[string]any:
		for _, name := range v.Names() {
			checkNumbers(v.Member(name))
		}
	case []any:
		for _, entry := range v.List() {
			checkNumbers(entry)
		}
	}
}

// isDouble reports whether the number is in the range of a double, and neither
// becomes infinite nor, when it is none, zero.
func isDouble(n json.Number) bool {
	value, err := n.Float64()
	digits, _, _ := strings.Cut(strings.ToLower(n.String()), "e")
	return err == nil && (value != 0 || !strings.ContainsAny(digits, "123456789"))
}

// ResourceNow is a resource as its readers see it, for comparing what clients
// send with. It is shown when there is something to compare: most changes name
// nothing but what they change.
type ResourceNow struct {
	show func() (jsonapi.Resource, error)
	err  error // of showing it

	Attributes    map[string]any `json:"attributes"`
	Relationships map[string]any `json:"relationships"`
}

// NewResourceNow returns the resource that show shows.
func NewResourceNow(show func() (jsonapi.Resource, error)) *ResourceNow {
	return &ResourceNow{show: show}
}

// shown returns the resource as it is sent, or nothing and keeps why.
func (now *ResourceNow) shown() *ResourceNow {
	if now.Attributes != nil || now.err != nil {
		return now
	}
	var body []byte
	resource, err := now.show()
	if err == nil {
		body, err = json.Marshal(resource)
	}
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		err = decoder.Decode(now)
	}
	now.err = err
	return now
}

// RefuseOthers refuses what a document changes beside the attributes and
// relationships that can be changed: an unsupported request (JSON:API 1.0,
// Updating Resources, 403). What is sent as it is changes nothing.
func (now *ResourceNow) RefuseOthers(in *jsonapi.Input, changeable ...string) error {
	all := in.Member("data", InAttributes)
	for _, name := range all.Names() {
		if v := all.Member(name); !slices.Contains(changeable, name) &&
			!reflect.DeepEqual(v.Raw(), now.shown().Attributes[name]) {
			return v.At(unsupported(name))
		}
	}
	if err := now.refuseRetyping(all.Member("extension")); err != nil {
		return err
	}
	all = in.Member("data", InRelationships)
	for _, name := range all.Names() {
		v := all.Member(name, "data")
		if !v.Given() || slices.Contains(changeable, name) {
			continue
		}
		if is := resourceMember(now.shown().Relationships[name], "data"); !reflect.DeepEqual(v.Raw(), is) {
			return v.At(unsupported(name))
		}
	}
	return now.err
}

// refuseRetyping refuses another extension: only its data can be changed.
func (now *ResourceNow) refuseRetyping(v jsonapi.Value) error {
	for _, name := range v.Names() {
		if name == "data" {
			continue
		}
		member, is := v.Member(name), resourceMember(now.shown().Attributes["extension"], name)
		if !reflect.DeepEqual(member.Raw(), is) {
			return member.At(unsupported(name))
		}
	}
	return nil
}

func resourceMember(of any, name string) any {
	object, _ := of.(map[string]any)
	return object[name]
}

func unsupported(name string) error {
	return fault.Newf(fault.Forbidden, "unsupported_change",
		"%s can't be changed in this way: leave it out, or send it as it is.", name)
}

// MergedData lays the members of an extension's data over the stored ones: null
// takes one away, and what is shown so already stays unsaid. Nil when nothing
// changes.
func (now *ResourceNow) MergedData(v jsonapi.Value, stored string) *string {
	if len(v.Names()) == 0 {
		return nil
	}
	shown := resourceMember(now.shown().Attributes["extension"], "data")
	all := map[string]json.RawMessage{}
	if stored != "" && json.Unmarshal([]byte(stored), &all) != nil {
		return nil // can't be: it was checked when it came
	}
	changes := false
	for _, name := range v.Names() {
		member := v.Member(name)
		_, kept := all[name]
		switch {
		case reflect.DeepEqual(member.Raw(), resourceMember(shown, name)), member.Raw() == nil && !kept, oursToTell(name):
			continue
		case member.Raw() == nil:
			delete(all, name)
		default:
			all[name] = member.JSON()
		}
		changes = true
	}
	if !changes {
		return nil
	}
	data := encodeData(all)
	checkData(v, data)
	return &data
}
