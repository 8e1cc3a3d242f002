package storagetest

import (
	"fmt"
	"reflect"

	"github.com/portico-id/portico/storage"
)

func patchChecks() []treeCheck {
	return []treeCheck{
		{"every field that a patch can set tells that it was", everyFieldTells},
	}
}

func everyFieldTells(w *Tree) {
	n := 0
	fresh := func() string { n++; return fmt.Sprint("thing ", n) }
	eachField(w, func() string { return w.Folder(w.Files.ID, fresh()).ID },
		func(id string, patch storage.FolderPatch) error {
			_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, id, patch)
			return err
		})
	eachField(w, func() string { return w.Item(w.Files.ID, fresh()).Item.ID },
		func(id string, patch storage.ItemPatch) error {
			_, err := w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, id, patch)
			return err
		})
	t := w.NewTwin("Tower")
	document := t.imported("item").ID
	eachField(w, func() string { return t.Facility.ID }, func(id string, patch storage.DocumentPatch) error {
		_, err := w.Data.UpdateDocument(w.Ctx(), w.Change(), id, document, patch)
		return err
	})
}

// eachField sets field after field of a patch, each of a subject that make gives,
// and wants one event more of it, and none when it is set to the same again.
func eachField[P any](w *Tree, make func() string, apply func(id string, patch P) error) {
	hidden, policy := true, storage.PolicyPin
	text := func(text string) reflect.Value { return reflect.ValueOf(&text) }
	values := map[string]reflect.Value{
		"Name": text("Other"), "Label": text("Label"), "ExtensionData": text(`{"a": 2}`),
		"ParentID": text(w.Plans.ID), "FolderID": text(w.Plans.ID),
		"Hidden": reflect.ValueOf(&hidden), "Policy": reflect.ValueOf(&policy),
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[P]()) {
		var patch P
		value, known := values[field.Name]
		if !known {
			w.Fatalf("say here what another %s of a %T is", field.Name, patch)
		}
		reflect.ValueOf(&patch).Elem().FieldByIndex(field.Index).Set(value)
		id := make()
		for _, more := range []int{1, 0} {
			before := len(w.Events(storage.EventQuery{Subject: id}))
			w.Must(apply(id, patch))
			if got := len(w.Events(storage.EventQuery{Subject: id})) - before; got != more {
				w.Errorf("%s of a %T: %d events, want %d", field.Name, patch, got, more)
			}
		}
	}
}
