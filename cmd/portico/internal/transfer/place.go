package transfer

import (
	"context"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/textkey"
)

// resource is what is read of one in an answer.
type resource struct {
	Type       string
	ID         string
	Attributes struct {
		DisplayName   string
		Name          string
		VersionNumber int
		Extension     struct{ Type string }
	}
	Relationships struct {
		Item    struct{ Data struct{ ID string } }
		Storage struct{ Data struct{ ID string } }
	}
}

// place makes an item of the stored object or, where one has the name, its next
// version.
func (c *Client) place(ctx context.Context, r *resumption) (Uploaded, error) {
	made, err := c.newItem(ctx, r)
	if !hasCode(err, "NAME_TAKEN") {
		return made, err
	}
	item, failed := c.itemCalled(ctx, r)
	if failed != nil {
		return Uploaded{}, failed
	}
	if item == "" {
		return Uploaded{}, err // a folder has the name
	}
	return c.newVersion(ctx, r, item)
}

func (c *Client) newItem(ctx context.Context, r *resumption) (Uploaded, error) {
	var made struct {
		Data     resource
		Included []resource
	}
	err := c.call(ctx, http.MethodPost, c.in(r, "items"), document{
		"jsonapi": document{"version": "1.0"},
		"data": document{
			"type": "items", "attributes": document{"displayName": r.Name},
			"relationships": document{"tip": leads("versions", "1"), "parent": leads("folders", r.Folder)},
		},
		"included": []any{document{
			"type": "versions", "id": "1", "attributes": document{"name": r.Name},
			"relationships": document{"storage": leads("objects", r.Object)},
		}},
	}, &made, "Idempotency-Key", r.Key+"-i")
	if err != nil {
		return Uploaded{}, err
	}
	if len(made.Included) != 1 {
		return Uploaded{}, refusal("the server's answer can't be read: the item has no version")
	}
	return uploaded(made.Data.ID, made.Included[0]), nil
}

func (c *Client) newVersion(ctx context.Context, r *resumption, item string) (Uploaded, error) {
	var made struct{ Data resource }
	err := c.call(ctx, http.MethodPost, c.in(r, "versions"), document{
		"jsonapi": document{"version": "1.0"},
		"data": document{
			"type": "versions", "attributes": document{"name": r.Name},
			"relationships": document{"item": leads("items", item), "storage": leads("objects", r.Object)},
		},
	}, &made, "Idempotency-Key", r.Key+"-v")
	return uploaded(item, made.Data), err
}

func uploaded(item string, version resource) Uploaded {
	return Uploaded{Item: item, Version: version.ID, Number: version.Attributes.VersionNumber,
		Name: version.Attributes.Name}
}

// itemCalled looks for the item that has the name in the folder.
func (c *Client) itemCalled(ctx context.Context, r *resumption) (string, error) {
	next := c.in(r, "folders") + "/" + url.PathEscape(r.Folder) + "/contents?filter[type]=items&page[limit]=200"
	for next != "" {
		var page struct {
			Data  []resource
			Links struct{ Next struct{ Href string } }
		}
		if err := c.call(ctx, http.MethodGet, next, nil, &page); err != nil {
			return "", err
		}
		for _, item := range page.Data {
			if textkey.Fold(item.Attributes.DisplayName) == textkey.Fold(r.Name) { // as the server knows them
				return item.ID, nil
			}
		}
		next = page.Links.Next.Href
	}
	return "", nil
}

func (c *Client) in(r *resumption, kind string) string {
	return "/data/v1/projects/" + url.PathEscape(r.Project) + "/" + kind
}
