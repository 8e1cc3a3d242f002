package archive

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

const (
	projectVariable = "projectId"
	ticketVariable  = "ticket"
	ticketLabel     = "archive address"

	// Prefix is where the operations are, below the base URL.
	Prefix = "/files/v1"
)

// APIOptions are what an API is made of. Every field is needed.
type APIOptions struct {
	Rules     *Rules
	Bearer    *bearer.Authenticator
	Signer    *sealing.Ring // of addresses
	BaseURL   string
	Namespace string // of URNs
}

// API is the operations on archives under Prefix.
type API struct {
	rules  *Rules
	bearer *bearer.Authenticator
	signer *sealing.Ring
	base   string
	urn    urn.Space
}

// NewAPI returns the operations.
func NewAPI(o APIOptions) *API {
	return &API{o.Rules, o.Bearer, o.Signer, o.BaseURL, urn.Space(o.Namespace)}
}

// Routes are the operations. An address of an archive needs no token: whose it is
// stands in it.
func (a *API) Routes() []httpio.Route {
	proven := a.bearer.Require(adminapi.WriteError, scope.DataRead)
	return []httpio.Route{
		httpio.Shared("/projects/{projectId}/archives").Post(httpio.Endpoint{
			Handler: proven(httpio.Handle(adminapi.WriteError, a.create)), Scope: scope.DataRead}),
		httpio.Shared("/archives/{ticket}").Get(httpio.Open(adminapi.WriteError, a.get)),
	}
}

// wanted is what is to be packed: a folder, or some of what lies in it.
type wanted struct {
	Folder  string   `json:"folder"`
	Folders []string `json:"folders"`
	Items   []string `json:"items"`
}

// made is an archive, for whoever has asked for it.
type made struct {
	URL       string    `json:"url"`
	Name      string    `json:"name"`
	Files     int       `json:"files"`
	Missing   int       `json:"missing"`
	Size      int64     `json:"size"`
	ExpiresAt time.Time `json:"expires_at"`
}

// ticket is what an address allows, as those of objects do.
type ticket struct {
	ID string `json:"a"`
	bearer.Asker
}

// create serves POST /files/v1/projects/{projectId}/archives.
func (a *API) create(w http.ResponseWriter, r *http.Request) error {
	var body wanted
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	who, err := access.Caller(r)
	if err != nil {
		return err
	}
	project, err := httpio.PathID(r, projectVariable)
	if err != nil {
		return err
	}
	folder, choice, err := a.read(body)
	if err != nil {
		return err
	}
	httpio.AtLeisure(w)
	archive, err := a.rules.Pack(r.Context(), who, project, folder, choice)
	if err != nil {
		return err
	}
	return a.Hand(w, r, who, archive)
}

// Hand answers with the address of an archive that was made for the caller.
func (a *API) Hand(w http.ResponseWriter, r *http.Request, who storage.Caller, archive storage.Archive) error {
	token, _ := bearer.From(r.Context())
	text, err := a.signer.Sign(ticketLabel, ticket{archive.ID, bearer.NewAsker(token, who, scope.DataRead)})
	if err != nil {
		return err
	}
	address := a.base + Prefix + "/archives/" + text
	w.Header().Set("Location", address)
	w.Header().Set("Cache-Control", "no-store")
	return adminapi.WriteJSON(w, http.StatusCreated, made{URL: address, Name: archive.Name, Files: archive.Files,
		Missing: archive.Missing, Size: archive.Size, ExpiresAt: archive.ExpiresAt})
}

// read finds the ids in what is wanted.
func (a *API) read(body wanted) (folder string, choice *storage.ArchiveChoice, err error) {
	folder, err = idOf(a.urn.FolderUID, body.Folder, "folder", a.urn.Folder("<id>"))
	if err != nil || body.Folders == nil && body.Items == nil {
		return folder, nil, err
	}
	choice = &storage.ArchiveChoice{}
	if choice.FolderIDs, err = idsOf(a.urn.FolderUID, body.Folders, "folders", a.urn.Folder("<id>")); err != nil {
		return "", nil, err
	}
	choice.ItemIDs, err = idsOf(a.urn.ItemUID, body.Items, "items", a.urn.Item("<id>"))
	if err == nil && len(choice.FolderIDs)+len(choice.ItemIDs) == 0 {
		err = fault.New(fault.Invalid, reasonInvalid, "Nothing is chosen.").At("items")
	}
	return folder, choice, err
}

func idOf(read func(string) (string, bool), name, field, form string) (string, error) {
	id, ok := read(name)
	if !ok {
		return "", fault.Newf(fault.Invalid, reasonInvalid, "It must look like %s.", form).At(field)
	}
	return id, nil
}

// maxChosen is how many things one choice names.
const maxChosen = 1000

func idsOf(read func(string) (string, bool), names []string, field, form string) ([]string, error) {
	if len(names) > maxChosen {
		return nil, fault.Newf(fault.Invalid, reasonInvalid, "At most %d can be chosen.", maxChosen).At(field)
	}
	seen := map[string]bool{}
	var ids []string
	for _, name := range names {
		id, err := idOf(read, name, field, form)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			ids = append(ids, id)
		}
		seen[id] = true
	}
	return ids, nil
}

// get serves GET /files/v1/archives/{ticket}.
func (a *API) get(w http.ResponseWriter, r *http.Request) error {
	var t ticket
	text, err := httpio.PathID(r, ticketVariable)
	if err == nil {
		err = a.signer.Verify(ticketLabel, text, &t)
	}
	if err != nil {
		return fault.New(fault.Forbidden, "address_invalid",
			"This address is not one of ours, or was changed.").Because(err)
	}
	return a.rules.Serve(w, r, t.ID, t.Caller(), func(ctx context.Context) error {
		active, err := a.bearer.StillMay(ctx, t.Asker)
		if err == nil && !active {
			err = fault.New(fault.Forbidden, "address_invalid", "Whoever asked for this address may not use it any more.")
		}
		return err
	})
}
