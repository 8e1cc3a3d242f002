package directory_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/storage"
)

func persons(names ...string) string {
	all := ""
	for _, name := range names {
		all += ldaptest.PersonLDIF(name, secret)
	}
	return all
}

func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("p%02d", i))
	}
	return names
}

func remove(dns ...string) string {
	text := ""
	for _, dn := range dns {
		text += "dn: " + dn + "\nchangetype: delete\n\n"
	}
	return text
}

func add(ldif string) string {
	return strings.ReplaceAll(ldif, "\nobjectClass: ", "\nchangetype: add\nobjectClass: ")
}

// Rules: LDAP-8, SERVER-53
func TestWhoLeavesADirectoryIsOutAfterTheNextWalk(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob", "carol"))
		w.works(slapd, map[string]any{"join": "all"})
		if said := w.walk(false); said.Outcome != storage.WalkDone || said.People != 3 || said.Changed != 3 {
			t.Fatalf("the walk says %+v", said)
		}
		if said := w.walk(false); said.Changed != 0 {
			t.Errorf("the second walk says %+v", said)
		}
		carol := w.user("carol@works.test")
		w.wait(time.Hour)
		s, _, err := w.try("bob", secret)
		w.must(err)
		w.wait(-time.Hour) // the clock was ahead
		slapd.Change(remove(ldaptest.PersonDN("bob")) + "dn: " + ldaptest.PersonDN("carol") +
			"\nchangetype: modify\nadd: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z\n\n" +
			"dn: " + ldaptest.PersonDN("alice") + "\nchangetype: modify\nreplace: cn\ncn: Alice New\n\n")
		if said := w.walk(false); said.Outcome != storage.WalkDone || said.Missing != 1 {
			t.Errorf("the walk says %+v", said)
		}
		for name, out := range map[string]bool{"alice": false, "bob": true, "carol": true} {
			if user := w.user(name + "@works.test"); user.Disabled != out {
				t.Errorf("%s: disabled %v", name, user.Disabled)
			}
		}
		if name := w.user("alice@works.test").Profile.Name; name != "Alice New" {
			t.Errorf("her name is %q", name)
		}
		err = w.Store.SetUserDisabled(t.Context(), w.act(), carol.ID, false)
		if !fault.HasReason(err, storage.ReasonManaged) {
			t.Errorf("an administrator lets in whom the directory keeps out: %v", err)
		}
		err = w.Store.StartSession(t.Context(), w.act(), storage.LoginSession{ID: "s", TokenHash: []byte{1},
			UserID: s.User.ID, CreatedAt: w.ambient.Now(), UpstreamID: "works"}, s.Proof)
		if err == nil {
			t.Error("a sign-in under way of who has left goes on")
		}
		slapd.Change("dn: " + ldaptest.PersonDN("carol") +
			"\nchangetype: modify\ndelete: pwdAccountLockedTime\n\n" + add(ldaptest.PersonLDIF("bob", secret)))
		w.walk(false)
		if user := w.user("carol@works.test"); user.Disabled || user.ID != carol.ID || !w.in("carol", secret) {
			t.Errorf("who comes back is %+v", user)
		}
		if s2, _, err := w.try("bob", secret); err == nil && s2.User.ID == s.User.ID {
			t.Error("who has the name of somebody who left has their account")
		}
	})
}

// Rule: LDAP-9
func TestAWalkThatMissesManyDisablesNobody(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons(numbered(30)...))
		w.works(slapd, map[string]any{"join": "all"})
		w.walk(false)
		disabled := func() int {
			yes := true
			all, err := w.Store.ListUsers(t.Context(), storage.UserFilter{Disabled: &yes}, storage.PageRequest{})
			w.must(err)
			return all.Total
		}
		for name, change := range map[string]map[string]any{
			"a filter that finds nobody":  {"filter": "(objectClass=device)"},
			"a filter that finds few":     {"filter": "(uid=p0*)"},
			"a base that is not there":    {"base": "ou=gone," + ldaptest.Suffix},
			"a base that is another":      {"base": ldaptest.Groups},
			"a service account that lies": {"bind_dn": "cn=nobody," + ldaptest.Suffix},
		} {
			w.set(change)
			if said, err := w.Rules.Walk(t.Context(), "works", false); said.Outcome == storage.WalkDone || disabled() > 0 {
				t.Errorf("%s: %+v, %v, %d are out", name, said, err, disabled())
			}
			w.set(map[string]any{"filter": "(objectClass=inetOrgPerson)", "base": ldaptest.People,
				"bind_dn": ldaptest.Service})
		}
		slapd.Stop()
		if said := w.walk(false); said.Outcome != storage.WalkFailed || disabled() > 0 {
			t.Errorf("it is down: %+v, %d are out", said, disabled())
		}
		slapd.Go()
		w.wait(31e9)
		var six []string
		for _, name := range numbered(6) {
			six = append(six, ldaptest.PersonDN(name))
		}
		slapd.Change(remove(six[:5]...))
		if said := w.walk(false); said.Outcome != storage.WalkDone || disabled() != 5 {
			t.Errorf("five left: %+v, %d are out", said, disabled())
		}
		slapd.Change(remove(six[5:]...) + remove(ldaptest.PersonDN("p10"), ldaptest.PersonDN("p11"),
			ldaptest.PersonDN("p12"), ldaptest.PersonDN("p13"), ldaptest.PersonDN("p14")))
		if said := w.walk(false); said.Outcome != storage.WalkStopped || said.Missing != 6 || disabled() != 5 {
			t.Errorf("six more left: %+v, %d are out", said, disabled())
		}
		kept, err := w.noted("works")
		if err != nil || kept.Outcome != storage.WalkStopped {
			t.Errorf("kept is %+v, %v", kept, err)
		}
		if said := w.walk(true); said.Outcome != storage.WalkDone || disabled() != 11 {
			t.Errorf("they are gone: %+v, %d are out", said, disabled())
		}
	})
}

// Rule: LDAP-9
func TestOfAFewPeopleHalfLeaveAtMost(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob", "carol"))
		w.works(slapd, map[string]any{"join": "all"})
		w.walk(false)
		out := func() (n int) {
			for _, name := range []string{"alice", "bob", "carol"} {
				if w.user(name + "@works.test").Disabled {
					n++
				}
			}
			return n
		}
		for name, filter := range map[string]string{"nobody": "(objectClass=device)", "one": "(uid=alice)"} {
			w.set(map[string]any{"filter": filter})
			if said := w.walk(false); said.Outcome != storage.WalkStopped || out() > 0 {
				t.Errorf("a filter that finds %s: %+v, %d are out", name, said, out())
			}
		}
		w.set(map[string]any{"filter": "(objectClass=inetOrgPerson)"})
		slapd.Change(remove(ldaptest.PersonDN("bob")))
		if said := w.walk(false); said.Outcome != storage.WalkDone || out() != 1 {
			t.Errorf("one left: %+v, %d are out", said, out())
		}
		slapd.Change(remove(ldaptest.PersonDN("alice"), ldaptest.PersonDN("carol")))
		if said := w.walk(true); said.Outcome != storage.WalkDone || out() != 3 {
			t.Errorf("they are gone: %+v, %d are out", said, out())
		}
	})
}

// Rule: LDAP-9
func TestWhoseEntryCanNotBeToldIsNotGone(t *testing.T) {
	entry := func(id int64, name, uuid string) []byte {
		said := map[string]string{"uid": name, "mail": name + "@works.test", "cn": name}
		if uuid != "" {
			said["entryUUID"] = uuid
		}
		return ldaptest.Entry(id, ldaptest.PersonDN(name), said)
	}
	eachEngine(t, func(t *testing.T, w *world) {
		told := func(id int64) [][]byte { return [][]byte{entry(id, "alice", "0001")} }
		w.gremlin(bound(func(id int64) [][]byte {
			return append(told(id), entry(id, "bob", "0002"), entry(id, "carol", "0003"), ldaptest.Result(id, 5, 0, ""))
		}), map[string]any{"join": "all"})
		w.walk(false)
		w.wait(time.Millisecond)
		for name, one := range map[string]func(id int64) [][]byte{
			"her id can't be read": func(id int64) [][]byte { return [][]byte{entry(id, "alice", "")} },
			"she is elsewhere": func(id int64) [][]byte {
				return [][]byte{ldaptest.Reference(id, "ldap://127.0.0.1:1/dc=x")}
			},
		} {
			told = one
			if said := w.walk(false); said.Outcome != storage.WalkStopped || w.user("alice@works.test").Disabled {
				t.Errorf("%s: %+v", name, said)
			}
		}
		told = func(int64) [][]byte { return nil }
		if said := w.walk(false); said.Outcome != storage.WalkDone || !w.user("alice@works.test").Disabled {
			t.Errorf("she is not there: %+v", said)
		}
	})
}

// Rule: LDAP-9
func TestOfAFewGroupsHalfAreEmptiedAtMost(t *testing.T) {
	names := []string{"alpha", "beta", "gamma", "delta"}
	eachEngine(t, func(t *testing.T, w *world) {
		text := persons("alice")
		for _, name := range names {
			text += ldaptest.GroupLDIF(name, ldaptest.PersonDN("alice"))
		}
		slapd := ldaptest.Start(t, text)
		w.works(slapd, map[string]any{"join": "all", "groups_come": true})
		w.walk(false)
		in := func() int { return len(w.groupsOf(w.user("alice@works.test").ID)) }
		for name, filter := range map[string]string{"none": "(objectClass=device)", "one": "(cn=alpha)"} {
			w.set(map[string]any{"group_filter": filter})
			if said := w.walk(false); said.Outcome != storage.WalkStopped || in() != 4 {
				t.Errorf("a filter that finds %s: %+v, she is in %d", name, said, in())
			}
		}
		w.set(map[string]any{"group_filter": "(objectClass=groupOfNames)"})
		for i, outcome := range []string{storage.WalkDone, storage.WalkDone, storage.WalkDone, storage.WalkStopped} {
			slapd.Change(remove(ldaptest.GroupDN(names[i])))
			if said := w.walk(false); said.Outcome != outcome || in() != max(1, 3-i) {
				t.Errorf("%d are gone: %+v, she is in %d", i+1, said, in())
			}
			if outcome == storage.WalkDone { // the one that is empty counts no more
				if said := w.walk(false); said.Outcome != outcome || said.Changed > 0 {
					t.Errorf("once more: %+v", said)
				}
			}
		}
		if said := w.walk(true); said.Outcome != storage.WalkDone || in() != 0 {
			t.Errorf("they are gone: %+v, she is in %d", said, in())
		}
	})
}

// Rules: LDAP-9, LDAP-10
func TestAGroupThatCanNotBeToldIsNotGone(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		here := storage.UserGroup{ID: w.ambient.UID(), Name: "here", CreatedAt: w.ambient.Now()}
		w.must(w.Store.CreateUserGroup(t.Context(), w.act(), here))
		group := func(id int64, name, uuid string) []byte {
			said := map[string]string{"cn": name, "member": ldaptest.PersonDN("alice")}
			if uuid != "" {
				said["entryUUID"] = uuid
			}
			return ldaptest.Entry(id, ldaptest.GroupDN(name), said)
		}
		both := func(id int64) [][]byte { return [][]byte{group(id, "staff", "1"), group(id, "leads", "2")} }
		told := both
		g := ldaptest.StartGremlin(t, func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
			base, _ := request.Children[0].Value.(string)
			end := ldaptest.Result(id, 5, 0, "")
			switch {
			case op == ldaptest.Bind:
				return [][]byte{ldaptest.Result(id, 1, 0, "")}
			case base == ldaptest.Groups:
				return append(told(id), end)
			}
			return [][]byte{alice(id, ldaptest.PersonDN("alice")), end}
		})
		_, err := w.Rules.Create(t.Context(), w.act(), "works", "openldap", config(map[string]any{
			"hosts": []string{g.URL}, "join": "all", "groups_come": true, "own_groups": true}))
		w.must(err)
		w.must(w.Rules.SetGroups(t.Context(), w.act(), "works", []storage.UpstreamGroup{
			{External: ldaptest.GroupDN("leads"), GroupID: here.ID}}))
		w.walk(false)
		in := func() int { return len(w.groupsOf(w.user("alice@works.test").ID)) }
		for name, other := range map[string]func(id int64) []byte{
			"its id can't be read": func(id int64) []byte { return group(id, "leads", "") },
			"it is elsewhere":      func(id int64) []byte { return ldaptest.Reference(id, "ldap://127.0.0.1:1/dc=x") },
		} {
			told = func(id int64) [][]byte { return [][]byte{group(id, "staff", "1"), other(id)} }
			if said := w.walk(false); said.Outcome != storage.WalkStopped || in() != 3 {
				t.Errorf("%s: %+v, she is in %d", name, said, in())
			}
			if !w.in("alice", secret) || in() != 3 {
				t.Errorf("%s: after a sign-in she is in %d", name, in())
			}
		}
		told = func(id int64) [][]byte { return both(id)[:1] }
		if said := w.walk(false); said.Outcome != storage.WalkDone || in() != 1 {
			t.Errorf("it is not there: %+v, she is in %d", said, in())
		}
	})
}

// Whoever is in a group that can't be told is in those that hold it; who may be in more than
// is told is taken out of none.
//
// Rule: LDAP-10
func TestWhoMayBeInMoreGroupsIsTakenOutOfNone(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		group := func(id int64, name, member string, more ...string) []byte {
			said := map[string]string{"cn": name, "member": member}
			if len(more) > 0 {
				said["entryUUID"] = more[0]
			}
			return ldaptest.Entry(id, ldaptest.GroupDN(name), said)
		}
		alices, leads := ldaptest.PersonDN("alice"), ldaptest.GroupDN("leads")
		told := func(id int64) [][]byte { return [][]byte{group(id, "staff", leads, "1"), group(id, "leads", alices)} }
		g := ldaptest.StartGremlin(t, func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
			base, _ := request.Children[0].Value.(string)
			end := ldaptest.Result(id, 5, 0, "")
			switch {
			case op == ldaptest.Bind:
				return [][]byte{ldaptest.Result(id, 1, 0, "")}
			case base == ldaptest.Groups:
				return append(told(id), end)
			}
			return [][]byte{alice(id, alices), end}
		})
		_, err := w.Rules.Create(t.Context(), w.act(), "works", "openldap", config(map[string]any{
			"hosts": []string{g.URL}, "join": "all", "groups_come": true}))
		w.must(err)
		in := func() []string { return w.groupsOf(w.user("alice@works.test").ID) }
		if said := w.walk(false); said.Groups != 1 || !slices.Equal(in(), []string{"staff"}) {
			t.Errorf("the walk says %+v, she is in %v", said, in())
		}
		told = func(id int64) [][]byte {
			return [][]byte{group(id, "staff", leads, "1"), ldaptest.Reference(id, "ldap://127.0.0.1:1/dc=x")}
		}
		said := w.walk(false)
		if !slices.Equal(in(), []string{"staff"}) || !strings.Contains(said.Detail, "refers elsewhere") {
			t.Errorf("where leads is elsewhere the walk says %+v, she is in %v", said, in())
		}
		if w.walk(true); len(in()) > 0 {
			t.Errorf("they are gone, and she is in %v", in())
		}
	})
}

// nested is a chain of groups, innermost first, in a circle: the first holds the last.
func nested(depth int, innermost string) string {
	name := func(i int) string { return fmt.Sprintf("level %d", i) }
	text := ldaptest.GroupLDIF(name(0), innermost, ldaptest.GroupDN(name(depth-1)))
	for i := 1; i < depth; i++ {
		text += ldaptest.GroupLDIF(name(i), ldaptest.GroupDN(name(i-1)))
	}
	return text
}

// Rule: LDAP-10
func TestGroupsComeWithEverybodyWithin(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob")+nested(5, ldaptest.PersonDN("alice"))+
			ldaptest.GroupLDIF("Staff", ldaptest.PersonDN("bob")))
		w.works(slapd, map[string]any{"join": "all", "groups_come": true, "own_groups": true})
		_, err := w.Rules.Set(t.Context(), w.act(), "works", directory.Change{GroupPrefix: new("works ")})
		w.must(err)
		here := storage.UserGroup{ID: w.ambient.UID(), Name: "Leads", CreatedAt: w.ambient.Now()}
		w.must(w.Store.CreateUserGroup(t.Context(), w.act(), here))
		w.must(w.Rules.SetGroups(t.Context(), w.act(), "works", []storage.UpstreamGroup{
			{External: strings.ToUpper(ldaptest.GroupDN("level 4")), GroupID: here.ID}}))
		if said := w.walk(false); said.Outcome != storage.WalkDone || said.Groups != 6 {
			t.Fatalf("the walk says %+v", said)
		}
		alice, bob := w.user("alice@works.test"), w.user("bob@works.test")
		all := []string{"Leads", "works level 0", "works level 1", "works level 2", "works level 3", "works level 4"}
		if got := w.groupsOf(alice.ID); !slices.Equal(got, all) {
			t.Errorf("she is in %v", got)
		}
		if got := w.groupsOf(bob.ID); !slices.Equal(got, []string{"works Staff"}) {
			t.Errorf("he is in %v", got)
		}
		slapd.Change("dn: " + ldaptest.GroupDN("level 2") + "\nchangetype: modify\nreplace: member\nmember: " +
			ldaptest.PersonDN("bob") + "\n\n")
		if !w.in("alice", secret) || !w.in("bob", secret) {
			t.Fatal("they are out")
		}
		if got := w.groupsOf(alice.ID); !slices.Equal(got, []string{"works level 0", "works level 1"}) {
			t.Errorf("after a sign-in she is in %v", got)
		}
		if got := len(w.groupsOf(bob.ID)); got != 7 {
			t.Errorf("after a sign-in he is in %v", w.groupsOf(bob.ID))
		}
		if said := w.walk(false); said.Changed != 0 {
			t.Errorf("sign-in and walk don't agree: %+v", said)
		}
		w.set(map[string]any{"group_base": "ou=gone," + ldaptest.Suffix})
		if said := w.walk(false); said.Outcome != storage.WalkFailed {
			t.Errorf("groups that can't be read: %+v", said)
		}
		if !w.in("alice", secret) || len(w.groupsOf(alice.ID)) != 2 {
			t.Errorf("groups that can't be read change hers to %v", w.groupsOf(alice.ID))
		}
	})
}

// Rule: LDAP-10
func TestGroupsNestedTooDeepChangeNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob")+nested(13, ldaptest.PersonDN("bob"))+
			ldaptest.GroupLDIF("staff", ldaptest.PersonDN("alice")))
		w.works(slapd, map[string]any{"join": "all", "groups_come": true})
		said := w.walk(false)
		w.in("bob", secret)
		if got := w.groupsOf(w.user("bob@works.test").ID); len(got) > 0 || !strings.Contains(said.Detail, "nested too deep") {
			t.Errorf("he is in %v, the walk says %+v", got, said)
		}
		alice := w.user("alice@works.test").ID
		slapd.Change("dn: " + ldaptest.GroupDN("level 0") + "\nchangetype: modify\nadd: member\nmember: " +
			ldaptest.PersonDN("alice") + "\n\n")
		w.walk(false)
		w.in("alice", secret)
		if got := w.groupsOf(alice); !slices.Equal(got, []string{"staff"}) {
			t.Errorf("whose groups are not told any more is in %v", got)
		}
		slapd.Change("dn: " + ldaptest.GroupDN("level 0") + "\nchangetype: modify\nreplace: member\nmember: " +
			ldaptest.PersonDN("alice") + "\n\n")
		for i := 5; i < 13; i++ {
			slapd.Change(remove(ldaptest.GroupDN(fmt.Sprintf("level %d", i))))
		}
		if w.walk(false); len(w.groupsOf(alice)) != 6 {
			t.Errorf("told again she is in %v", w.groupsOf(alice))
		}
	})
}

// Rule: LDAP-10
func TestSomebodyInTwoThousandGroupsSignsIn(t *testing.T) {
	groups := ""
	for i := range 2000 {
		groups += ldaptest.GroupLDIF(fmt.Sprintf("g%d", i), ldaptest.PersonDN("alice"))
	}
	slapd := ldaptest.Start(t, persons("alice")+groups)
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, map[string]any{"join": "all", "groups_come": true})
		if said := w.walk(false); said.Groups != 2000 {
			t.Errorf("the walk says %+v", said)
		}
		if !w.in("alice", secret) || len(w.groupsOf(w.user("alice@works.test").ID)) != 2000 {
			t.Errorf("she is in %d groups", len(w.groupsOf(w.user("alice@works.test").ID)))
		}
	})
}

// Rule: LDAP-11
func TestABadEntryStopsNobodyElse(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice", "bob")+`dn: uid=lost,`+ldaptest.People+`
objectClass: inetOrgPerson
uid: lost
cn: lost
sn: lost

`)
	eachEngine(t, func(t *testing.T, w *world) {
		taken := w.person("bob@works.test")
		w.works(slapd, map[string]any{"join": "all"})
		if said := w.walk(false); said.Outcome != storage.WalkDone || said.Changed != 1 || said.Skipped != 2 {
			t.Errorf("the walk says %+v", said)
		}
		if w.user("alice@works.test").Disabled || w.user("bob@works.test").ID != taken.ID {
			t.Error("the others are not as they should be")
		}
	})
}

// Whoever was known loses their address there, has one that an account here has, or is
// unwelcome here; who has left is out all the same.
//
// Rules: LDAP-8, LDAP-11
func TestAKnownEntryThatGoesBadKeepsNobodyIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob", "carol", "dave")+
			ldaptest.GroupLDIF("staff", ldaptest.PersonDN("alice")))
		w.works(slapd, map[string]any{"join": "all", "groups_come": true})
		w.walk(false)
		alice := w.user("alice@works.test").ID
		w.person("manager@works.test")
		if w.user("bob@works.test").Disabled || w.user("carol@works.test").Disabled {
			t.Fatal("they are not in")
		}
		slapd.Change("dn: " + ldaptest.PersonDN("alice") + "\nchangetype: modify\ndelete: mail\n\n" +
			"dn: " + ldaptest.PersonDN("bob") + "\nchangetype: modify\nreplace: mail\nmail: manager@works.test\n-\n" +
			"add: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z\n\n" +
			"dn: " + ldaptest.PersonDN("carol") + "\nchangetype: delete\n\n")
		if said := w.walk(true); said.Outcome != storage.WalkDone {
			t.Errorf("the walk says %+v", said)
		}
		if !w.user("carol@works.test").Disabled {
			t.Error("who was removed there is in")
		}
		if !w.user("bob@works.test").Disabled {
			t.Error("who is locked there, and whose address another has, is in")
		}
		if w.user("alice@works.test").Disabled || w.user("dave@works.test").Disabled {
			t.Error("who is there is out")
		}
		if got := w.groupsOf(alice); !slices.Equal(got, []string{"staff"}) {
			t.Errorf("whose entry went bad is in %v", got)
		}
	})
}

// Rule: LDAP-11
func TestAKnownEntryThatGoesBadLetsItsOwnerInAllTheSame(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob"))
		w.works(slapd, nil)
		before := map[string]storage.User{}
		for _, name := range []string{"alice", "bob"} {
			s, _, err := w.try(name, secret)
			w.must(err)
			before[name] = s.User
		}
		w.person("manager@works.test")
		slapd.Change("dn: " + ldaptest.PersonDN("alice") + "\nchangetype: modify\ndelete: mail\n\n" +
			"dn: " + ldaptest.PersonDN("bob") + "\nchangetype: modify\nreplace: mail\nmail: manager@works.test\n\n")
		for name, was := range before {
			s, _, err := w.try(name, secret)
			if err != nil || s.User.ID != was.ID || s.User.Email != was.Email {
				t.Errorf("%s is %q, %q: %v", name, s.User.ID, s.User.Email, err)
			}
			if _, _, err := w.try(name, "wrong"); !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("whoever does not know the password of %s is told %v", name, err)
			}
		}
	})
}

// Rule: LDAP-8
func TestWhomAnAdministratorDisabledNoDirectoryLetsIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob"))
		w.works(slapd, map[string]any{"join": "all"})
		w.walk(false)
		lock := func(name string, locked bool) {
			change := "delete: pwdAccountLockedTime\n\n"
			if locked {
				change = "add: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z\n\n"
			}
			slapd.Change("dn: " + ldaptest.PersonDN(name) + "\nchangetype: modify\n" + change)
			w.walk(false)
		}
		alice, bob := w.user("alice@works.test").ID, w.user("bob@works.test").ID
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), alice, true)) // before they are locked there, and while
		lock("bob", true)
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), bob, true))
		lock("alice", true)
		lock("alice", false)
		lock("bob", false)
		for _, name := range []string{"alice", "bob"} {
			if !w.user(name+"@works.test").Disabled || w.in(name, secret) {
				t.Errorf("%s is let in again", name)
			}
		}
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), alice, false))
		lock("alice", true)
		lock("alice", false)
		if w.user("alice@works.test").Disabled || !w.in("alice", secret) {
			t.Error("whom the administrator enabled is out")
		}
	})
}

// Rules: LDAP-4, LDAP-8
func TestWhoIsConnectedByAnAdministratorLeavesWithTheirEntry(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob", "root"))
		w.works(slapd, map[string]any{"join": "off"})
		alice, bob, root, yes := w.person("a@example.test"), w.person("b@example.test"), w.person("r@example.test"), true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), root, &yes))
		for name, user := range map[string]storage.User{"alice": alice, "bob": bob, "root": root} {
			w.must(w.Rules.Connect(t.Context(), w.act(), "works", name, user.ID))
			w.must(w.Rules.Connect(t.Context(), w.act(), "works", name, user.ID))
		}
		if err := w.Rules.Connect(t.Context(), w.act(), "works", "alice", bob.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("one identity is two accounts': %v", err)
		}
		w.walk(false)
		slapd.Change(remove(ldaptest.PersonDN("alice"), ldaptest.PersonDN("root")))
		w.walk(true) // two of three
		out := func(id string) bool {
			user, err := w.Store.FindUser(t.Context(), id)
			w.must(err)
			return user.Disabled
		}
		if !out(alice.ID) || out(bob.ID) || out(root.ID) || !w.in("bob", secret) {
			t.Errorf("out are alice %v, bob %v, the administrator %v", out(alice.ID), out(bob.ID), out(root.ID))
		}
	})
}

// Rules: LDAP-4, LDAP-8
func TestWhoseEntryIsMadeAnewIsConnectedToTheirAccountAgain(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob"))
		w.works(slapd, map[string]any{"join": "all"})
		w.walk(false)
		alice := w.user("alice@works.test")
		slapd.Change(remove(ldaptest.PersonDN("alice")))
		w.walk(false)
		slapd.Change(add(ldaptest.PersonLDIF("alice", secret)))
		if w.walk(false); w.in("alice", secret) {
			t.Fatal("who has the address of somebody who left has their account")
		}
		connect := func(login string) error {
			return w.Rules.Connect(t.Context(), w.act(), "works", login, alice.ID)
		}
		if err := connect("bob"); err == nil || !w.user("alice@works.test").Disabled {
			t.Errorf("her account is let in by the entry of another: %v", err)
		}
		w.must(connect("alice"))
		w.must(connect("alice"))
		for range 2 {
			for _, name := range []string{"alice", "alice@works.test"} {
				if s, _, err := w.try(name, secret); err != nil || s.User.ID != alice.ID {
					t.Errorf("as %s she is %q: %v", name, s.User.ID, err)
				}
			}
			if said := w.walk(false); said.Outcome != storage.WalkDone || said.Missing > 0 {
				t.Errorf("the walk says %+v", said)
			}
		}
	})
}

// Rules: LDAP-8, LDAP-19
func TestAWalkIsAloneAndHasAnEnd(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		bob := storage.UpstreamIdentity{UpstreamID: "works", Issuer: "entryUUID", Subject: "0002"}
		during := func() {}
		w.gremlin(bound(func(id int64) [][]byte {
			during()
			return [][]byte{alice(id, ldaptest.PersonDN("alice")), ldaptest.Result(id, 5, 0, "")}
		}), map[string]any{"join": "all"})
		during = func() {
			if _, err := w.Rules.Walk(t.Context(), "works", false); !fault.HasReason(err, directory.ReasonWalking) {
				t.Errorf("a second walk at once: %v", err)
			}
			user := storage.User{ID: w.ambient.PersonID(), Email: "bob@works.test", CreatedAt: w.ambient.Now(),
				UpdatedAt: w.ambient.Now()}
			bob.LinkedAt = w.ambient.Now()
			w.must(w.Store.JoinByIdentity(t.Context(), w.act(), user, bob))
			bob.UserID = user.ID
		}
		if said := w.walk(false); said.Outcome != storage.WalkDone || said.Missing != 0 {
			t.Errorf("who joined meanwhile is missing: %+v", said)
		}
		w.wait(time.Millisecond)
		during = func() {
			bob.LastAt = w.ambient.Now()
			w.must(w.Store.NoteIdentity(t.Context(), bob))
		}
		if said := w.walk(false); said.Missing != 0 {
			t.Errorf("who signed in meanwhile is missing: %+v", said)
		}
		w.wait(time.Millisecond)
		during = func() { w.wait(3 * time.Hour) }
		if said := w.walk(false); said.Outcome != storage.WalkFailed || !strings.Contains(said.Detail, "took more than") {
			t.Errorf("the walk has no end: %+v", said)
		}
		during = func() {}
		if said := w.walk(false); said.Outcome != storage.WalkDone || said.Missing != 1 {
			t.Errorf("who is not there is not missing: %+v", said)
		}
	})
}

// Rule: LDAP-20
func TestADirectoryThatIsDeletedIsNobodysAnyMore(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice"))
		w.works(slapd, map[string]any{"join": "all"})
		if w.walk(false); w.user("alice@works.test").Profile.LDAPDomain != "works.test" {
			t.Error("she is of no directory")
		}
		w.must(w.Rules.Delete(t.Context(), w.act(), "works"))
		if alice := w.user("alice@works.test"); alice.Profile.LDAPDomain != "" || alice.Profile.Name == "" {
			t.Errorf("she is %+v", alice.Profile)
		}
	})
}

// Rule: LDAP-10
func TestGroupsByNameOfTheAccount(t *testing.T) {
	posix := func(name, gid string, members ...string) string {
		return "dn: " + ldaptest.GroupDN(name) + "\nobjectClass: posixGroup\ngidNumber: " + gid + "\ncn: " + name +
			"\nmemberUid: " + strings.Join(members, "\nmemberUid: ") + "\n\n"
	}
	eachEngine(t, func(t *testing.T, w *world) {
		slapd := ldaptest.Start(t, persons("alice", "bob")+posix("staff", "1", "alice", "bob")+posix("admins", "2", "bob"))
		w.works(slapd, map[string]any{"join": "all", "groups_come": true, "member": "memberUid",
			"group_filter": "(objectClass=posixGroup)"})
		w.walk(false)
		for name, want := range map[string][]string{"alice": {"staff"}, "bob": {"admins", "staff"}} {
			if got := w.groupsOf(w.user(name + "@works.test").ID); !slices.Equal(got, want) {
				t.Errorf("after a walk %s is in %v", name, got)
			}
		}
		slapd.Change("dn: " + ldaptest.GroupDN("admins") + "\nchangetype: modify\nadd: memberUid\nmemberUid: alice\n\n")
		if !w.in("alice", secret) || !slices.Equal(w.groupsOf(w.user("alice@works.test").ID), []string{"admins", "staff"}) {
			t.Errorf("after a sign-in she is in %v", w.groupsOf(w.user("alice@works.test").ID))
		}
	})
}

// activeDirectory tells members in parts, and of people the attributes.
func activeDirectory(attributes map[string]string, parts map[string]string) func(ber.Tag, int64, *ber.Packet) [][]byte {
	return func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
		if op == ldaptest.Bind {
			return [][]byte{ldaptest.Result(id, 1, 0, "")}
		}
		base, _ := request.Children[0].Value.(string)
		wanted := request.Children[7].Children
		end := ldaptest.Result(id, 5, 0, "")
		if !strings.HasSuffix(strings.ToLower(base), strings.ToLower(ldaptest.Groups)) {
			one := map[string]string{"sAMAccountName": "alice", "mail": "alice@works.test", "displayName": "Alice",
				"objectGUID": "0001"}
			maps.Copy(one, attributes)
			return [][]byte{ldaptest.Entry(id, ldaptest.PersonDN("alice"), one), end}
		}
		group := map[string]string{"cn": "staff", "objectGUID": "0002", "member;range=0-0": ldaptest.PersonDN("bob")}
		if last, _ := wanted[len(wanted)-1].Value.(string); strings.Contains(last, ";range=") {
			group = map[string]string{parts[last]: ldaptest.PersonDN("alice")}
		}
		return [][]byte{ldaptest.Entry(id, ldaptest.GroupDN("staff"), group), end}
	}
}

// Active Directory tells 1500 members of a group at once, and says where it goes on.
//
// Rule: LDAP-10
func TestMembersThatAreToldInPartsAreAllOfThem(t *testing.T) {
	for name, one := range map[string]struct {
		parts map[string]string
		whole bool
	}{
		"to the end": {map[string]string{"member;range=1-*": "member;range=1-*"}, true},
		"in three parts": {map[string]string{"member;range=1-*": "member;range=1-1",
			"member;range=2-*": "member;range=2-*"}, true},
		"again and again": {map[string]string{"member;range=1-*": "member;range=0-0"}, false},
	} {
		eachEngine(t, func(t *testing.T, w *world) {
			g := ldaptest.StartGremlin(t, activeDirectory(map[string]string{"userAccountControl": "512"}, one.parts))
			_, err := w.Rules.Create(t.Context(), w.act(), "works", "ad", config(map[string]any{"hosts": []string{g.URL},
				"join": "all", "groups_come": true}))
			w.must(err)
			said := w.walk(false)
			if (said.Outcome == storage.WalkDone) != one.whole {
				t.Errorf("%s: the walk says %+v", name, said)
			}
			if one.whole && !slices.Equal(w.groupsOf(w.user("alice@works.test").ID), []string{"staff"}) {
				t.Errorf("%s: she is in %v", name, w.groupsOf(w.user("alice@works.test").ID))
			}
		})
	}
}

// Rule: LDAP-8
func TestWhenAnAccountOfActiveDirectoryEnds(t *testing.T) {
	ticks := func(at time.Time) string { return strconv.FormatInt(at.UnixMicro()*10+116444736000000000, 10) }
	for name, one := range map[string]struct {
		flags, ends string
		out         bool
	}{
		"never, by zero":      {"512", "0", false},
		"never, by the most":  {"512", "9223372036854775807", false},
		"not said":            {"512", "", false},
		"tomorrow":            {"512", ticks(time.Now().Add(24 * time.Hour)), false},
		"yesterday":           {"512", ticks(time.Now().Add(-24 * time.Hour)), true},
		"disabled":            {"514", "0", true},
		"disabled and locked": {"66050", "0", true},
	} {
		eachEngine(t, func(t *testing.T, w *world) {
			attributes := map[string]string{"userAccountControl": "512"}
			g := ldaptest.StartGremlin(t, activeDirectory(attributes, nil))
			_, err := w.Rules.Create(t.Context(), w.act(), "works", "ad", config(map[string]any{"hosts": []string{g.URL},
				"join": "all", "group_base": ""}))
			w.must(err)
			w.walk(false)
			attributes["userAccountControl"], attributes["accountExpires"] = one.flags, one.ends
			if w.walk(false); w.user("alice@works.test").Disabled != one.out || w.in("alice", secret) == one.out {
				t.Errorf("%s: disabled %v", name, w.user("alice@works.test").Disabled)
			}
		})
	}
}
