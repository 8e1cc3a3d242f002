// Package filing is what people do with folders and files on their pages: make,
// rename, move, copy, hide and restore them, reserve them, and say how far a
// version has come.
//
// A form is carried out by the rules that the API calls, tree.Rules and flow.Rules;
// nothing is judged here. Start at Routes.
package filing

import (
	"context"
	"io"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/flow"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Store is what the pages look up beside what is named in their address.
type Store interface {
	ListTopFolders(ctx context.Context, place storage.Place, q storage.TopQuery) ([]storage.Folder, error)
	ListContents(ctx context.Context, projectID, folderID string, query storage.ContentsQuery,
		page storage.DataPage) (storage.Contents, error)
	FindObject(ctx context.Context, bucket, key string) (storage.Object, error)
}

// Uploads is what the page of an upload needs of the bytes.
type Uploads interface {
	Bring(ctx context.Context, change storage.Change, object storage.Object, body io.Reader) (storage.Object, error)
	Begin(ctx context.Context, change storage.Change, object storage.Object) (storage.Upload, error)
	Take(w http.ResponseWriter, r *http.Request, who storage.Caller, object storage.Object, id string, part int) error
	Came(ctx context.Context, who storage.Caller, object storage.Object, id string) (map[int]int64, bool, error)
	Cancel(ctx context.Context, who storage.Caller, object storage.Object, id string) error
	Finish(ctx context.Context, change storage.Change, object storage.Object, id string,
		size *int64) (storage.Object, error)
}

const (
	uploadPath = ground.ProjectPath + "/uploads/{object}/{upload}"
	partPath   = uploadPath + "/{part}"
	chosenPath = ground.FolderPath + "/chosen"
)

// Options are what a Desk is made of. Every field is needed.
type Options struct {
	Ground *ground.Ground
	Store  Store
	Rules  *tree.Rules
	States *flow.Rules
	Bytes  Uploads
}

// Desk is the pages. It is safe for concurrent use.
type Desk struct {
	*ground.Ground
	store  Store
	rules  *tree.Rules
	states *flow.Rules
	bytes  Uploads
}

// New returns the pages.
func New(o Options) *Desk { return &Desk{o.Ground, o.Store, o.Rules, o.States, o.Bytes} }

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	routes := []httpio.Route{
		httpio.At(ground.FolderPath + "/new").Get(d.Shown(d.askFolder)).Post(d.Done(d.makeFolder)),
		httpio.At(ground.FolderPath + "/hidden").Get(d.Shown(d.hidden)),
		httpio.At(chosenPath + "/hide").Get(d.Shown(d.askHideChosen)).Post(d.Done(d.hideChosen)),
		httpio.At(chosenPath + "/move").Get(d.Shown(d.movingChosen)).Post(d.Done(d.moveChosen)),
		httpio.At(chosenPath + "/copy").Get(d.Shown(d.copyingChosen)).Post(d.Done(d.copyChosen)),
		httpio.At(ground.ItemPath + "/copy").Get(d.Shown(d.copying)).Post(d.Done(d.copied)),
		httpio.At(ground.ItemPath + "/reserve").Post(d.Done(d.reserve)).On(ground.ItemPath),
		httpio.At(ground.ItemPath + "/release").Post(d.Done(d.release)).On(ground.ItemPath),
		httpio.At(ground.VersionPath + "/newest").Get(d.Shown(d.askNewest)).Post(d.Done(d.newest)),
		httpio.At(ground.VersionPath + "/state").Get(d.Shown(d.state)).Post(d.Done(d.setState)),
		httpio.At(uploadPath).Get(d.Gate.Show(d.answering(d.cameUpload))).Post(d.Gate.Stream(d.answering(d.finishUpload))).
			Delete(d.Gate.Stream(d.answering(d.cancelUpload))),
		httpio.At(partPath).Put(d.Gate.Stream(d.answering(d.takePart))),
	}
	for _, kind := range []struct {
		path string
		of   func(*http.Request) (thing, error)
	}{{ground.FolderPath, d.folder}, {ground.ItemPath, d.item}} {
		path, of := kind.path, kind.of
		show := func(page func(http.ResponseWriter, *http.Request, thing) error) httpio.Endpoint {
			return d.Shown(func(w http.ResponseWriter, r *http.Request) error {
				t, err := of(r)
				if err != nil {
					return err
				}
				return page(w, r, t)
			})
		}
		act := func(form func(http.ResponseWriter, *http.Request, storage.Change, thing) error) httpio.Endpoint {
			return d.Done(func(w http.ResponseWriter, r *http.Request, change storage.Change) error {
				t, err := of(r)
				if err != nil {
					return err
				}
				return form(w, r, change, t)
			})
		}
		stream := func(form func(http.ResponseWriter, *http.Request, websession.Visit, thing) error) httpio.Endpoint {
			return d.Gate.Stream(func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
				r = access.AsPerson(r, v.UserID)
				t, err := of(r)
				if err != nil {
					return err
				}
				return form(w, r, v, t)
			})
		}
		begin := func(w http.ResponseWriter, r *http.Request, v websession.Visit) (any, error) {
			t, err := of(r)
			if err != nil {
				return nil, err
			}
			return d.beginUpload(w, r, v, t)
		}
		routes = append(routes,
			httpio.At(path+"/upload").Get(show(d.askUpload)).Post(stream(d.upload)),
			httpio.At(path+"/uploads").Post(d.Gate.Stream(d.answering(begin))),
			httpio.At(path+"/name").Get(show(d.askName)).Post(act(d.rename)),
			httpio.At(path+"/move").Get(show(d.moving)).Post(act(d.move)),
			httpio.At(path+"/hide").Get(show(d.askHide)).Post(act(d.hide)),
			httpio.At(path+"/restore").Post(act(d.restore)).On(path),
		)
	}
	return routes
}
