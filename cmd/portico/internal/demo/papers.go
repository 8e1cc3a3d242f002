package demo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"github.com/portico-id/portico/storage"
)

// Files keeps a file in a folder, as the page of the folder would: the next version where
// one of the name is there.
type Files interface {
	Bring(ctx context.Context, change storage.Change, projectID, folderID, name string, body io.Reader) error
}

// paper is a version of a file with bytes.
type paper struct{ name, body string }

// papers are what the folder that the editor shares has to look at: a plan, a picture, and a
// text, of each two versions to compare, and something that was put away.
func papers() ([]paper, error) {
	site, err := picture(color.RGBA{0x7a, 0x9c, 0xc6, 0xff})
	if err != nil {
		return nil, err
	}
	evening, err := picture(color.RGBA{0xd9, 0x8c, 0x5f, 0xff})
	return []paper{
		{"Ground floor.pdf", drawing("Ground floor, first issue")},
		{"Ground floor.pdf", drawing("Ground floor, second issue: door moved")},
		{"Site.png", site}, {"Site.png", evening},
		{"Handover list.txt", "Keys: 12\nMeters read: no\nLifts tested: yes\n"},
		{"Handover list.txt", "Keys: 14\nMeters read: yes\nLifts tested: yes\nSigned: no\n"},
		{putAway, "What was handed over before. Restore it from the hidden things of this folder.\n"},
	}, err
}

const putAway = "Earlier handover.txt"

// bringPapers keeps them as the editor, who puts one away. What an earlier start brought
// is not brought again.
func (o Options) bringPapers(ctx context.Context, change storage.Change) error {
	all, err := papers()
	if err != nil {
		return err
	}
	change.Caller.UserID = Editor
	brought, err := o.brought(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if brought[p.name]--; brought[p.name] >= 0 {
			continue
		}
		if err := o.Files.Bring(ctx, change, TowerID, ID(SharedFolder), p.name, bytes.NewReader([]byte(p.body))); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	found, err := o.Store.ListContents(ctx, TowerID, ID(SharedFolder),
		storage.ContentsQuery{NoFolders: true, Named: putAway}, storage.DataPage{Limit: 1})
	if err != nil || len(found.Items) == 0 {
		return err
	}
	_, err = o.Store.UpdateItem(ctx, change, TowerID, found.Items[0].Item.ID, storage.ItemPatch{Hidden: new(true)})
	return err
}

// brought is how many versions there are of each file of the shared folder.
func (o Options) brought(ctx context.Context) (map[string]int, error) {
	found, err := o.Store.ListContents(ctx, TowerID, ID(SharedFolder),
		storage.ContentsQuery{NoFolders: true, Hidden: storage.HiddenIncluded}, storage.DataPage{})
	versions := map[string]int{}
	for _, i := range found.Items {
		versions[i.Item.Name] = i.Item.Tip
	}
	return versions, err
}

// picture is a PNG of a sky above a ground.
func picture(sky color.RGBA) (string, error) {
	const width, height = 640, 400
	shown := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			at := sky
			at.R, at.G, at.B = at.R-uint8(y/8), at.G-uint8(y/8), at.B-uint8(y/8)
			if tower := x > 260 && x < 380 && y > 90; y > 320 || tower && (x/12+y/16)%2 == 0 {
				at = color.RGBA{0x4a, 0x50, 0x58, 0xff}
			}
			shown.SetRGBA(x, y, at)
		}
	}
	var out bytes.Buffer
	err := png.Encode(&out, shown)
	return out.String(), err
}

// drawing is a PDF of one page: a plan of one room, with its title.
func drawing(title string) string {
	content := "2 w 60 60 475 300 re S 60 210 200 150 re S 1 w 260 250 m 310 250 l S\n" +
		"BT /F 18 Tf 60 400 Td (" + title + ") Tj ET\n"
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 460]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%sendstream", len(content), content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	out, table := "%PDF-1.4\n", "0000000000 65535 f \n"
	for n, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", len(out))
		out += fmt.Sprintf("%d 0 obj%sendobj\n", n+1, object)
	}
	return out + fmt.Sprintf("xref\n0 %d\n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table, len(objects)+1, len(out))
}
