package templates

import "io"

// DirectoryRow is a directory in a list.
type DirectoryRow struct {
	URL      string
	Name     string
	Disabled bool
	Troubled bool // the last walk failed, or stopped
	People   int
}

// DirectoriesPage lists the directories by whose passwords people sign in. Ids:
// directories, and those of the form.
type DirectoriesPage struct {
	Desk
	Back        Link
	Directories []DirectoryRow
	Create      Form
}

// Directories writes the list of directories.
func (p *Pages) Directories(w io.Writer, page DirectoriesPage) error {
	return p.render(w, "directories", page)
}

// DirectoryPage is one directory. Ids: walk, sync, delete-directory, and those of the
// forms and buttons.
type DirectoryPage struct {
	Desk
	Back      Link
	Name      string
	Disabled  bool
	Facts     []Fact
	Walk      []Fact // empty: there was none
	Sync      Form
	Test      Form
	Edit      Form
	Switch    Button
	DeleteURL string
}

// Directory writes the page of one directory.
func (p *Pages) Directory(w io.Writer, page DirectoryPage) error {
	return p.render(w, "directory", page)
}
