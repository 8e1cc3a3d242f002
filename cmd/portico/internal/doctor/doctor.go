// Package doctor looks over an installation from the machine on which its server runs,
// with the server's own settings, and says of what is not well how to mend it.
//
// It changes nothing, but for one object that it puts into the place of the bytes and
// takes away again. Each check is a function over a Patient; Look goes through them in
// the order in which they rest on each other. Start there.
package doctor

import "context"

type check struct {
	name  string
	needs bool // the database
	look  func(ctx context.Context, p Patient) []Finding
}

func checks() []check {
	return []check{
		{"data directory", false, dataDir},
		{"disk", false, disks},
		{"descriptors", false, descriptors},
		{"settings", false, settings},
		{"certificate", false, certificate},
		{"clock", true, clock},
		{"keys", true, keys},
		{"administrators", true, administrators},
		{"bytes", true, blobs},
		{"mail", true, mails},
		{"redis", false, redisServer},
		{"virus scanner", false, scanner},
		{"traces", false, collector},
		{"DNS", false, name},
		{"base URL", false, baseURL},
		{"server", false, server},
		{"clean-up", true, backlog},
		{"upstreams", true, lookAtUpstreams},
		{"directories", true, directories},
	}
}

// Names are what is looked at, in its order, beside the settings and the database.
func Names() []string {
	var names []string
	for _, c := range checks() {
		names = append(names, c.name)
	}
	return names
}

// Look looks everything over. A part that does not answer takes ten seconds at most.
func Look(ctx context.Context, p Patient) []Finding {
	var all []Finding
	for _, c := range checks() {
		if c.needs && p.Store == nil {
			all = append(all, Finding{Check: c.name, State: Unseen, Says: "It can't be seen without the database."})
			continue
		}
		all = append(all, one(ctx, c, p)...)
	}
	return all
}

func one(ctx context.Context, c check, p Patient) []Finding {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found := c.look(ctx, p)
	for i := range found {
		found[i].Check = c.name
	}
	if len(found) == 0 {
		found = []Finding{{Check: c.name, State: Sound}}
	}
	return found
}
