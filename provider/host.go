package provider

import (
	"cmp"
	"net/url"
)

// hostOf names where the browser will go: a host, or the scheme of an app on
// the device.
func hostOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return "" // was judged at registration, so this is never seen
	}
	return cmp.Or(u.Host, u.Scheme)
}
