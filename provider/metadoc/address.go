package metadoc

import (
	"errors"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/pattern"
)

// maxAddress is how many characters an address may have.
const maxAddress = 500

// form is an address: a host by its name in lower case, and a path of which nothing can
// be read otherwise. There is no query, for one document would have as many ids as
// anybody likes.
var form = pattern.Of(`^https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?(/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)+$`)

// Check reports why an address can be no client_id, or nil.
func Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case len(address) > maxAddress || !form().MatchString(address) || u.Path == "/":
		return errors.New("it is no https address with a host and a path, and nothing else")
	}
	for segment := range strings.SplitSeq(u.Path, "/") { // after %2e was read
		if segment == "." || segment == ".." {
			return errors.New("its path has dot segments")
		}
	}
	return nil
}
