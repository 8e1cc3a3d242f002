package jsonapi

import "net/http"

// ReadIdentifiers decodes the body as ReadInput does, but its member data is a
// resource identifier object, or an array of 1 to most of them (JSON:API 1.0,
// Updating Relationships). It returns each with its place.
func ReadIdentifiers(w http.ResponseWriter, r *http.Request, most int) (*Input, []Value, error) {
	in, err := readDocument(w, r)
	if err != nil {
		return nil, nil, err
	}
	data := in.Member("data").Required()
	entries := []Value{data}
	if _, isArray := data.raw.([]any); isArray || !data.given {
		entries = data.List()
	}
	if data.given && (len(entries) == 0 || len(entries) > most) {
		data.Refuse(invalidf("The data must have 1 to %d entries.", most))
	}
	for _, entry := range entries {
		entry.Member("type").Required()
	}
	return in, entries, in.Err()
}
