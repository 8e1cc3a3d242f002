package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// fullPage is how many items are in the folder that is listed, unless a plan has fewer.
const fullPage = 200

// newVisit sets up a hub with a project, and a person who signs in to it.
func newVisit(ctx context.Context, s *server) (*visit, error) {
	const scope = "data:read data:write data:create data:search"
	who := person{"data@example.test", "correct horse battery staple"}
	made, failed := s.commandWith(ctx, who.password, "user", "create", "--email", who.name, "--name", "Data",
		"--password-stdin")
	page, err := s.command(ctx, "client", "create", "--name", "Data Page", "--type", "web", "--profile", "standard",
		"--redirect-uri", returnAddress, "--scope", scope)
	if err = errors.Join(failed, err); err != nil {
		return nil, err
	}
	v := &visit{at: s}
	login := signIn{appOf(page), scope, who}
	got, err := newBrowser(s).tokens(ctx, http.DefaultClient, login)
	if err != nil {
		return nil, err
	}
	v.token = got.Access
	hub, failed := s.command(ctx, "hub", "create", "--name", "Load")
	_, err = s.command(ctx, "hub", "provision", login.app.id, "--hub", idOf(hub), "--level", "edit")
	if err = errors.Join(failed, err); err != nil {
		return nil, err
	}
	project, err := s.command(ctx, "project", "create", "--hub", idOf(hub), "--name", "Load")
	if err != nil {
		return nil, err
	}
	v.project = idOf(project)
	return v, v.furnish(ctx, idOf(hub), idOf(made))
}

// furnish makes folders and items as an administrator of the project, and leaves the
// person a member who was given the folder above them.
func (v *visit) furnish(ctx context.Context, hub, person string) error {
	role := func(role string) error {
		_, err := v.at.command(ctx, "member", "add", "--project", v.project, "--user", person, "--role", role)
		return err
	}
	if err := role("admin"); err != nil {
		return err
	}
	var top struct{ Data []struct{ ID string } }
	path := "/project/v1/hubs/" + hub + "/projects/" + v.project + "/topFolders"
	if err := v.call(ctx, http.DefaultClient, http.MethodGet, path, nil, &top); err != nil || len(top.Data) == 0 {
		return errors.Join(err, errors.New("the project has no folders"))
	}
	theirs, err := v.makeFolder(ctx, top.Data[0].ID, "Theirs")
	if err != nil {
		return err
	}
	_, granted := v.at.command(ctx, "grant", "set", "--project", v.project, "--folder", theirs, "--user", person,
		"--level", "edit")
	v.full, err = v.makeFolder(ctx, theirs, "Full")
	if err = errors.Join(granted, err); err != nil {
		return err
	}
	if v.arrivals, err = v.makeFolder(ctx, theirs, "Arrivals"); err != nil {
		return err
	}
	return errors.Join(v.fillPage(ctx), role("member"))
}

// fillPage brings the items of the folder that is listed.
func (v *visit) fillPage(ctx context.Context) (err error) {
	if v.object, err = v.bringInto(ctx, http.DefaultClient, v.full); err != nil {
		return err
	}
	failures := make([]error, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for n := i + 1; n < v.at.items && failures[i] == nil; n += writers {
				_, failures[i] = v.bringInto(ctx, http.DefaultClient, v.full)
			}
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

func (v *visit) makeFolder(ctx context.Context, parent, name string) (string, error) {
	var made struct{ Data struct{ ID string } }
	err := v.call(ctx, http.DefaultClient, http.MethodPost, v.in("folders"), document{"data": document{
		"type": "folders", "attributes": document{"name": name},
		"relationships": document{"parent": leads("folders", parent)},
	}}, &made)
	return made.Data.ID, err
}
