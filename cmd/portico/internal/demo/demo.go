// Package demo fills a fresh server with something to look at: a person and a
// client application, with a password and a secret made at that moment, and a
// hub with people of every role, folders and items, under fixed ids.
//
// It is for `make run` and for trying Portico out; nothing else calls it. It
// adds what it can through the same rules as the command line. Start at Prepare.
package demo

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

const (
	email    = "demo@example.test"
	username = "demo"
	callback = "http://127.0.0.1:8765/callback"
	leaving  = "http://127.0.0.1:8765/"
)

// Store is what is added below the rules: people with fixed ids, a hidden
// folder, a reserved item.
type Store interface {
	FindUser(ctx context.Context, id string) (storage.User, error)
	CreateUser(ctx context.Context, act storage.Act, user storage.User, passwordHash string) error
	UpdateFolder(ctx context.Context, change storage.Change, projectID, folderID string,
		patch storage.FolderPatch) (storage.Folder, error)
	ReserveItem(ctx context.Context, change storage.Change, projectID, itemID string) (storage.ItemWithTip, error)
	UpdateItem(ctx context.Context, change storage.Change, projectID, itemID string,
		patch storage.ItemPatch) (storage.ItemWithTip, error)
	ListContents(ctx context.Context, projectID, folderID string, query storage.ContentsQuery,
		page storage.DataPage) (storage.Contents, error)
	FindTransmittal(ctx context.Context, projectID string, number int) (storage.Transmittal, []storage.SentVersion,
		[]storage.SentTo, error)
	ListFacilities(ctx context.Context, hubID string, page storage.PageRequest) ([]storage.Facility, string, error)
}

// Options are what Prepare needs.
type Options struct {
	Store   Store
	Data    *administration.Rules
	Files   Files
	Sent    Sent
	Twins   *facilities.Rules
	Papers  Documents
	People  *people.People
	Apps    *apps.Apps
	Ambient *ambient.Source
	URL     string // base URL of the server
	DataDir string // demo.env goes here
	Out     io.Writer

	renewed bool // the password is a new one
}

// Prepare makes sure that the demo person and client exist, prints how to use
// them and writes the same to demo.env in the data directory (mode 0600). What
// an earlier start made is used again; one that did not come to its end is made up for,
// which demo.env tells by having no hub yet.
func Prepare(ctx context.Context, o Options) error {
	path := filepath.Join(o.DataDir, "demo.env")
	sheet, err := readSheet(path)
	if err != nil {
		return err
	}
	sheet.url, sheet.file = o.URL, path
	before, begun := sheet.password, sheet.password != "" && sheet.hub == ""
	if err := o.person(ctx, &sheet); err != nil {
		return fmt.Errorf("making the demo user: %w", err)
	}
	o.renewed = sheet.password != before
	if err := o.client(ctx, &sheet); err != nil {
		return fmt.Errorf("making the demo client: %w", err)
	}
	if err := o.content(ctx, sheet, begun); err != nil {
		return fmt.Errorf("making the demo content: %w", err)
	}
	sheet.hub, sheet.project = HubID, TowerID
	if err := sheet.write(); err != nil {
		return err
	}
	sheet.print(o.Out)
	return nil
}

func (o Options) act() storage.Act {
	return storage.Act{At: o.Ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

// person sees to the demo user. One whose password was lost with demo.env gets
// a new one.
func (o Options) person(ctx context.Context, sheet *sheet) error {
	user, err := o.visitor(ctx, *sheet)
	switch {
	case fault.Is(err, fault.NotFound):
		sheet.password = o.Ambient.UID()
		user, err = o.newVisitor(ctx, sheet.password)
	case err == nil && sheet.password == "":
		sheet.password = o.Ambient.UID()
		err = o.People.SetPassword(ctx, o.act(), user, sheet.password, "")
	}
	sheet.user, sheet.userID = user.Email, user.ID
	return err
}

// visitor returns the demo user. Whoever an earlier start made, as demo.env tells, may have
// another address by now.
func (o Options) visitor(ctx context.Context, sheet sheet) (storage.User, error) {
	user, err := o.People.Find(ctx, email)
	if fault.Is(err, fault.NotFound) && sheet.password != "" {
		user, err = o.People.Find(ctx, username)
	}
	return user, err
}

// newVisitor makes the demo user, without the user name where somebody has it.
func (o Options) newVisitor(ctx context.Context, password string) (storage.User, error) {
	newcomer := people.Newcomer{
		Email: email, EmailVerified: true, Name: "Demo Person", Username: username, Password: password,
	}
	user, err := o.People.Create(ctx, o.act(), newcomer)
	if fault.Is(err, fault.Conflict) {
		newcomer.Username = ""
		user, err = o.People.Create(ctx, o.act(), newcomer)
	}
	return user, err
}

// client sees to the demo client, a web app whose callback is on this machine.
func (o Options) client(ctx context.Context, sheet *sheet) error {
	if sheet.clientID != "" && sheet.clientSecret != "" {
		_, err := o.Apps.Find(ctx, sheet.clientID)
		if !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	created, err := o.Apps.Create(ctx, o.act(), apps.Registration{
		OwnerUserID: sheet.userID, Name: "Demo App", Type: storage.ClientWeb, Profile: storage.ProfileStandard,
		RedirectURIs:           []string{callback},
		PostLogoutRedirectURIs: []string{leaving},
		Scopes: []string{
			scope.OpenID, scope.Profile, scope.Email, scope.OfflineAccess, scope.UserProfileRead,
			scope.DataRead, scope.DataWrite, scope.DataCreate, scope.DataSearch,
		},
	})
	sheet.clientID, sheet.clientSecret = created.Client.ID, created.Secret
	return err
}
