package storage

import (
	"context"
	"time"
)

// Project is a tree of folders in a hub.
type Project struct {
	ID           string // b.<UUID>
	HubID        string
	Name         string
	Type         string // such as ACC; the wire's projectType
	Extension    Extension
	Active       bool
	Archived     bool   // nothing changes in it
	RootFolderID string // uid of the hidden root
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// ProjectQuery narrows a list of projects; empty fields keep everything.
type ProjectQuery struct {
	IDs            []string // any of them; nil: all
	ExtensionTypes []TextCondition
	Inactive       bool // inactive projects too
	Descending     bool // by name from the end
}

// ProjectPatch is what is to become of a project; nil leaves a field as it is.
type ProjectPatch struct {
	Name     *string
	Archived *bool
	Active   *bool
}

// ProjectStore keeps projects.
type ProjectStore interface {
	// CreateProject adds the project with its hidden root, whose uid is
	// project.RootFolderID, and top folders, of which ID, Name, Kind and
	// Extension are taken. NotFound for an absent hub; Conflict when an id is
	// taken, and ReasonNameTaken when two folders have one name.
	CreateProject(ctx context.Context, change Change, project Project, top []Folder) error

	// PatchProject renames the project, archives it or takes that back, and activates or
	// deactivates it: all of that or nothing. Archiving waits for changes under way. What
	// is so already is no change. NotFound; Locked (ReasonProjectBusy).
	PatchProject(ctx context.Context, change Change, projectID string, patch ProjectPatch) error

	// ListProjects returns a page of the hub's projects that the caller
	// HasPart in (to the zero Caller all), ordered by name key and id, and the
	// cursor of the next page, "" on the last. None for an absent hub.
	ListProjects(ctx context.Context, caller Caller, hubID string, query ProjectQuery,
		page DataPage) ([]Project, string, error)

	// FindProject returns the project, inactive too, with its hub and the
	// caller's standing whatever that is, or NotFound.
	FindProject(ctx context.Context, caller Caller, projectID string) (Place, error)
}

// Place is a project with its hub, and how the caller stands there.
type Place struct {
	Hub      Hub
	Project  Project
	Standing Standing
}
