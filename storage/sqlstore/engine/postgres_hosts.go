package engine

import (
	"net"
	"net/url"
	"strings"

	"github.com/lib/pq"
)

// manyHosts moves the hosts of a URL that names several, as in
// postgres://user@one:5432,two:5433/database, to where lib/pq looks for them.
func manyHosts(raw string) string {
	scheme, rest, found := strings.Cut(raw, "://")
	end := strings.IndexAny(rest, "/?#")
	if !found || end < 0 {
		return raw
	}
	authority, path := rest[:end], rest[end:]
	user := authority[:strings.LastIndex(authority, "@")+1]
	all := authority[len(user):]
	if !strings.Contains(all, ",") {
		return raw
	}
	var hosts, ports []string
	for each := range strings.SplitSeq(all, ",") {
		host, port, err := net.SplitHostPort(each)
		if err != nil {
			host, port = strings.Trim(each, "[]"), "5432"
		}
		hosts, ports = append(hosts, host), append(ports, port)
	}
	where := url.Values{"host": {strings.Join(hosts, ",")}, "port": {strings.Join(ports, ",")}}
	path, query, _ := strings.Cut(path, "?")
	return scheme + "://" + user + path + "?" + strings.TrimPrefix(query+"&"+where.Encode(), "&")
}

// eachHost returns a configuration for every host of one. Of several, a host
// that can't be written to is none, unless the URL says otherwise.
func eachHost(config pq.Config) []pq.Config {
	hosts := []pq.Config{config.Clone()}
	for _, other := range config.Multi {
		one := config.Clone()
		one.Host, one.Hostaddr, one.Port = other.Host, other.Hostaddr, other.Port
		hosts = append(hosts, one)
	}
	for i := range hosts {
		hosts[i].Multi = nil
		if len(hosts) > 1 && hosts[i].TargetSessionAttrs == "" {
			hosts[i].TargetSessionAttrs = pq.TargetSessionAttrsReadWrite
		}
	}
	return hosts
}
