package storagetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/storage"
)

func recordChecks() []treeCheck {
	return []treeCheck{
		{"every field of a record that is changed as a whole is kept, and tells that it was", everyFieldOfARecordTells},
	}
}

func everyFieldOfARecordTells(w *Tree) {
	caller, user, client := storage.Caller{}, w.User(), w.Client()
	group := storage.Group{ID: w.Source.UID(), HubID: w.Hub.ID, Name: "Crew", CreatedAt: w.Now()}
	w.Must(w.Data.CreateGroup(w.Ctx(), w.Change(), group))
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user.ID, false))
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, user.ID, false))
	app := w.provision(w.Hub.ID, storage.LevelView, storage.AppForNobody)
	twin := w.NewTwin("Tower")
	w.Must(w.Data.SetTwinMember(w.Ctx(), w.Change(), twin.Facility.ID, user.ID, storage.TwinRead))

	eachFieldOf(w, w.Hub.ID, "ID Active CreatedAt UpdatedAt", func() (storage.Hub, error) {
		hub, _, err := w.Data.FindHub(w.Ctx(), caller, w.Hub.ID)
		return hub, err
	}, func(hub storage.Hub) error { return w.Data.UpdateHub(w.Ctx(), w.Change(), hub.ID, become(hub)) })
	eachFieldOf(w, w.Project.ID, "ID HubID Type Active Archived RootFolderID Extension CreatedAt UpdatedAt",
		func() (storage.Project, error) {
			place, err := w.Data.FindProject(w.Ctx(), caller, w.Project.ID)
			return place.Project, err
		}, func(p storage.Project) error {
			return w.Data.PatchProject(w.Ctx(), w.Change(), p.ID, storage.ProjectPatch{Name: &p.Name})
		})
	eachFieldOf(w, group.ID, "ID HubID CreatedAt", func() (storage.Group, error) {
		groups, err := w.Data.ListGroups(w.Ctx(), w.Hub.ID)
		return groups[0], err
	}, func(g storage.Group) error { return w.Data.RenameGroup(w.Ctx(), w.Change(), g.HubID, g.ID, g.Name) })
	eachFieldOf(w, user.ID, "UserID AddedAt", func() (storage.Member, error) {
		return w.Data.FindHubMember(w.Ctx(), w.Hub.ID, user.ID)
	}, func(m storage.Member) error {
		return w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, m.UserID, m.Admin)
	})
	eachFieldOf(w, user.ID, "UserID AddedAt", func() (storage.Member, error) {
		return w.Data.FindProjectMember(w.Ctx(), w.Project.ID, user.ID)
	}, func(m storage.Member) error {
		return w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, m.UserID, m.Admin)
	})
	eachFieldOf(w, app.ID, "HubID ClientID ClientName UserIDs CreatedAt", func() (storage.AppAccess, error) {
		all, err := w.Data.ListAppAccess(w.Ctx(), w.Hub.ID)
		return all[0], err
	}, func(access storage.AppAccess) error { return w.Data.ProvisionApp(w.Ctx(), w.Change(), access) })
	eachFieldOf(w, w.Project.ID, "Used", func() (storage.Limits, error) {
		return w.Data.FindLimits(w.Ctx(), w.Project.ID)
	}, func(limits storage.Limits) error { return w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, limits) })
	eachFieldOf(w, twin.Facility.ID, "ID HubID CreatedAt ModifiedAt", func() (storage.Facility, error) {
		place, err := w.Data.FindFacility(w.Ctx(), caller, twin.Facility.ID)
		return place.Facility, err
	}, func(f storage.Facility) error { return w.Data.UpdateFacility(w.Ctx(), w.Change(), f.ID, become(f)) })
	eachFieldOf(w, twin.Facility.ID, "UserID AddedAt", func() (storage.TwinMember, error) {
		all, _, err := w.Data.ListTwinMembers(w.Ctx(), twin.Facility.ID, storage.PageRequest{})
		return all[0], err
	}, func(m storage.TwinMember) error {
		return w.Data.SetTwinMember(w.Ctx(), w.Change(), twin.Facility.ID, m.UserID, m.Access)
	})
	eachFieldOf(w, user.ID, "ID Admin Disabled TwoFactor Portrait EndsAt CreatedAt UpdatedAt LastSignInAt",
		func() (storage.User, error) {
			return w.Store.FindUser(w.Ctx(), user.ID)
		}, func(user storage.User) error { return w.Store.UpdateUser(w.Ctx(), w.Change().Act, user, nil) })
	people := w.userGroup("Editors").ID
	eachFieldOf(w, people, "ID Members CreatedAt", func() (storage.UserGroup, error) {
		return w.Store.FindUserGroup(w.Ctx(), people)
	}, func(g storage.UserGroup) error { return changeGroup(w.World, g) })
	eachFieldOf(w, client.ID, "ID Type OwnerUserID Origin Disabled Secrets CreatedAt UpdatedAt",
		func() (storage.Client, error) {
			return w.Store.FindClient(w.Ctx(), client.ID)
		}, func(client storage.Client) error { return w.Store.UpdateClient(w.Ctx(), w.Change().Act, client) })
}

// eachFieldOf sets field after field of a record to another value, and wants it
// kept, and an event or an entry of the audit log more about the subject. Fields
// that stay as they are, by the contract, are left out.
func eachFieldOf[R any](w *Tree, subject, stay string, find func() (R, error), update func(R) error) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		if slices.Contains(strings.Fields(stay), field.Name) {
			continue
		}
		for _, at := range leaves(field.Type, field.Index) {
			record, err := find()
			w.Must(err)
			set := reflect.ValueOf(&record).Elem().FieldByIndex(at)
			set.Set(w.other(set))
			before := w.noted(subject)
			w.Must(update(record))
			kept, err := find()
			w.Must(err)
			if got, want := reflect.ValueOf(kept).FieldByIndex(at).Interface(), set.Interface(); !reflect.DeepEqual(got, want) {
				w.Errorf("%s of a %T is %v, want %v", field.Name, record, got, want)
			}
			if w.noted(subject) == before {
				w.Errorf("%s of a %T was changed without a word", field.Name, record)
			}
		}
	}
}

// leaves returns where the values of a field lie.
func leaves(t reflect.Type, at []int) [][]int {
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return [][]int{at}
	}
	var all [][]int
	for i := range t.NumField() {
		all = append(all, leaves(t.Field(i).Type, append(slices.Clone(at), i))...)
	}
	return all
}

// other returns another value that a field may have.
func (w *Tree) other(value reflect.Value) reflect.Value {
	switch was := value.Interface().(type) {
	case storage.AppUsers:
		return reflect.ValueOf(storage.AppForMembers)
	case []string:
		return reflect.ValueOf(append(slices.Clone(was), "https://other.example.test"))
	case map[string]string:
		all := map[string]string{"other": "value"}
		maps.Copy(all, was)
		return reflect.ValueOf(all)
	}
	other := reflect.New(value.Type()).Elem()
	switch value.Kind() {
	case reflect.String:
		other.SetString(value.String() + "x")
	case reflect.Bool:
		other.SetBool(!value.Bool())
	case reflect.Int, reflect.Int64:
		other.SetInt(value.Int() + 1)
	default:
		w.Fatalf("say here what another %s is", value.Type())
	}
	return other
}

// noted counts what is known to have happened to a subject.
func (w *Tree) noted(subject string) string {
	audited, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{Subject: subject}, storage.PageRequest{})
	w.Must(err)
	return fmt.Sprint(len(audited), len(w.Events(storage.EventQuery{Subject: subject})))
}

// become is the change of a record that makes it another.
func become[T any](record T) func(*T) error {
	return func(to *T) error {
		*to = record
		return nil
	}
}
