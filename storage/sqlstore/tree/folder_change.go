package tree

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	// How deep the deepest folder lies, by the steps of its path.
	selectDepthBelow = `
SELECT max(length(path) - length(replace(path, '/', ''))) - 1 FROM folder_paths WHERE path >= :path AND path < :path_end`

	movePaths = `
UPDATE folder_paths SET path = :new_path || substr(path, :rest) WHERE path >= :path AND path < :path_end`

	moveChanges = `
UPDATE folder_changes SET path = :new_path || substr(path, :rest) WHERE path >= :path AND path < :path_end`

	showPaths = `
UPDATE folder_paths SET visible = :visible WHERE path >= :path AND path < :path_end AND visible <> :visible`

	selectHiddenBelow = `
SELECT fp.path FROM folders f JOIN folder_paths fp ON fp.folder_id = f.id
WHERE f.project_id = :project_id AND f.hidden AND fp.path >= :path AND fp.path < :path_end
ORDER BY fp.path`
)

var updateFolder = `
UPDATE folders SET parent_id = :parent_key, ` + engine.Assign(ownFolderColumns) + `,
	hidden_at = CASE WHEN NOT cast(:hidden AS {bool}) THEN NULL WHEN hidden THEN hidden_at ELSE :modified_at END, hidden = :hidden,
	revision = revision + 1, modified_at = :modified_at, modified_by = :modified_by
WHERE id = :key`

// CreateFolder implements storage.FolderStore.
func (s *Tree) CreateFolder(ctx context.Context, change storage.Change, projectID string,
	folder storage.Folder) (storage.Folder, error) {
	var made storage.Folder
	err := s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		if err := tx.once(ctx, change, folder.ID); err != nil {
			return err
		}
		parent, err := tx.parentSpot(ctx, project, folder.ParentID)
		if err != nil {
			return err
		}
		if depthOf(parent.Path) >= storage.MaxDepth {
			return tooDeep()
		}
		row, err := tx.addFolder(ctx, newFolder(stampOf(change), project, folder), parent)
		if err != nil {
			return err
		}
		if err := tx.note(ctx, change, parent, 1); err != nil {
			return err
		}
		made = row.record()
		return tx.Tell(ctx, change, storage.EventFolderCreated, project.About(folder.ID, folder.ParentID),
			engine.Detail{"name": folder.Name, "parent": folder.ParentID})
	})
	return made, err
}

func tooDeep() error {
	return fault.Newf(fault.Invalid, storage.ReasonTooDeep, "Folders lie at most %d levels deep.", storage.MaxDepth)
}

// folderChange is an UpdateFolder under way.
type folderChange struct {
	tx      tx
	change  storage.Change
	project hubs.ProjectRow
	was     folderRow
	now     folderRow
	changed []string // columns
	from    spot     // the parent it was in, and is in
	to      spot
}

// UpdateFolder implements storage.FolderStore.
func (s *Tree) UpdateFolder(ctx context.Context, change storage.Change, projectID, folderID string,
	patch storage.FolderPatch) (storage.Folder, error) {
	how := hubs.Together
	if patch.ParentID != nil || patch.Hidden != nil {
		how = hubs.Alone
	}
	var done folderRow
	err := s.inOpenProject(ctx, projectID, how, func(tx tx, project hubs.ProjectRow) error {
		was, err := tx.folder(ctx, lockFolder, project, folderID)
		if err != nil {
			return err
		}
		if err := checkSeen(change, was.Revision); err != nil {
			return err
		}
		done = was
		c := &folderChange{tx: tx, change: change, project: project, was: was, now: was}
		if c.changed = tx.Patch(&c.now, patch); len(c.changed) == 0 {
			return nil
		}
		if err := c.mayChange(); err != nil {
			return err
		}
		if err := c.run(ctx); err != nil {
			return err
		}
		done, err = tx.folder(ctx, selectFolder, project, folderID)
		return err
	})
	return done.record(), err
}

// mayChange refuses what would leave a project without its root, or without the
// folder that its clients look for their files in. One that was renamed, moved
// or hidden before that was refused can come back.
func (c *folderChange) mayChange() error {
	switch c.was.Kind {
	case storage.FolderRoot:
		return fault.New(fault.Invalid, storage.ReasonRootFolder, "The root of a project stays as it is.")
	case storage.FolderFiles:
		renamed := c.now.Name != c.was.Name && c.now.Name != storage.FilesName
		hides := c.now.Hidden && !c.was.Hidden
		leaves := c.moves() && c.now.ParentID != c.project.RootUID
		if renamed || hides || leaves {
			return fault.New(fault.Forbidden, storage.ReasonFilesFolder,
				"This is the folder of the project's files: it keeps its name and its place, and can't be hidden.")
		}
	}
	return nil
}

func (c *folderChange) moves() bool { return c.now.ParentID != c.was.ParentID }

func (c *folderChange) run(ctx context.Context) error {
	if err := c.findParents(ctx); err != nil {
		return err
	}
	if err := c.update(ctx); err != nil {
		return err
	}
	if c.moves() {
		if err := c.movePaths(ctx); err != nil {
			return err
		}
	}
	if err := c.showPaths(ctx); err != nil {
		return err
	}
	if err := c.note(ctx); err != nil {
		return err
	}
	return c.tell(ctx)
}

// findParents finds where the folder lies and shall lie, and refuses what
// would be no tree.
func (c *folderChange) findParents(ctx context.Context) error {
	err := c.tx.Get(ctx, &c.from, selectSpot, engine.Args{"uid": c.was.ParentID, "project_id": c.project.ID})
	c.to = c.from
	if err != nil || !c.moves() {
		return err
	}
	if c.to, err = c.tx.parentSpot(ctx, c.project, c.now.ParentID); err != nil {
		return c.orCycle(ctx, err)
	}
	if below(c.to.Path, c.was.Path) {
		return intoItself()
	}
	var deepest int
	if err := c.tx.Get(ctx, &deepest, selectDepthBelow, subtree(c.was.Path)); err != nil {
		return err
	}
	if depthOf(c.to.Path)+1+deepest-depthOf(c.was.Path) > storage.MaxDepth {
		return tooDeep()
	}
	return nil
}

// orCycle makes moving a hidden folder into itself what it is in the first
// place: a cycle.
func (c *folderChange) orCycle(ctx context.Context, err error) error {
	if !fault.HasReason(err, storage.ReasonParentHidden) {
		return err
	}
	var to spot
	if err := c.tx.Get(ctx, &to, selectSpot, engine.Args{"uid": c.now.ParentID, "project_id": c.project.ID}); err != nil {
		return err
	}
	if below(to.Path, c.was.Path) {
		return intoItself()
	}
	return err
}

func intoItself() error {
	return fault.New(fault.Invalid, storage.ReasonCycle, "A folder can't be moved into itself or into a folder below it.")
}

// subtree names the range of the paths of a folder and everything below it.
func subtree(path string) engine.Args { return engine.Args{"path": path, "path_end": pathEnd(path)} }

func (c *folderChange) update(ctx context.Context) error {
	c.now.NameKey, c.now.ParentKey = textkey.Fold(c.now.Name), &c.to.ID
	c.now.ModifiedAt, c.now.ModifiedBy = c.change.At, c.change.Caller.UserID
	_, err := c.tx.Exec(ctx, updateFolder, c.now)
	if engine.IsDuplicate(err) {
		return nameTaken("folder")
	}
	return err
}

func (c *folderChange) movePaths(ctx context.Context) error {
	arg := subtree(c.was.Path)
	c.now.Path = c.to.Path + segment(c.was.Key)
	arg["new_path"], arg["rest"] = c.now.Path, len(c.was.Path)+1
	if _, err := c.tx.Exec(ctx, movePaths, arg); err != nil {
		return err
	}
	_, err := c.tx.Exec(ctx, moveChanges, arg)
	return err
}

// showPaths makes the subtree visible or not. What is hidden itself, and all
// below that, stays so.
func (c *folderChange) showPaths(ctx context.Context) error {
	visible := c.to.Visible && !c.now.Hidden
	if visible == c.was.Visible {
		return nil
	}
	arg := subtree(c.now.Path)
	arg["visible"] = visible
	if _, err := c.tx.Exec(ctx, showPaths, arg); err != nil || !visible {
		return err
	}
	var paths []string
	arg["project_id"] = c.project.ID
	if err := c.tx.List(ctx, &paths, selectHiddenBelow, arg); err != nil {
		return err
	}
	last := "/"
	for _, path := range paths {
		if below(path, last) {
			continue
		}
		last = path
		hidden := subtree(path)
		hidden["visible"] = false
		if _, err := c.tx.Exec(ctx, showPaths, hidden); err != nil {
			return err
		}
	}
	return nil
}

// note lets the parents know: that there is one thing less or more to see in
// them, and that something has changed.
func (c *folderChange) note(ctx context.Context) error {
	folder := c.was.spot()
	folder.Path = c.now.Path
	if err := c.tx.note(ctx, c.change, folder, 0); err != nil {
		return err
	}
	if c.moves() {
		if err := c.tx.note(ctx, c.change, c.from, -seen(c.was.Hidden)); err != nil {
			return err
		}
		moved := c.change // what is below has been changed when it was: its new parents shall know of that
		if c.was.RollupAt.After(moved.At) {
			moved.At = c.was.RollupAt
		}
		return c.tx.note(ctx, moved, c.to, seen(c.now.Hidden))
	}
	if n := seen(c.now.Hidden) - seen(c.was.Hidden); n != 0 {
		return c.tx.note(ctx, c.change, c.to, n)
	}
	return nil
}

func (c *folderChange) tell(ctx context.Context) error {
	kinds := changeKinds{
		renamed: storage.EventFolderRenamed, moved: storage.EventFolderMoved, hidden: storage.EventFolderHidden,
		restored: storage.EventFolderRestored, updated: storage.EventFolderUpdated,
	}
	return c.tx.tellAll(ctx, c.change, c.project.About(c.was.ID, c.now.ParentID), kinds, c.changed,
		facets{c.was.Name, c.was.ParentID, c.was.Hidden}, facets{c.now.Name, c.now.ParentID, c.now.Hidden})
}
