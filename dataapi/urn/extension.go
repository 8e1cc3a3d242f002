package urn

// ExtensionVersion is that of our own extension types.
const ExtensionVersion = "1.0"

func (s Space) extensionType(kind, name string) string {
	return kind + ":" + string(s) + ".core:" + name
}

// HubType is our own extension type of hubs (decision N3); clients may send
// others of every kind.
func (s Space) HubType() string { return s.extensionType("hubs", "Hub") }

// ProjectType is that of projects.
func (s Space) ProjectType() string { return s.extensionType("projects", "Project") }

// FolderType is that of folders.
func (s Space) FolderType() string { return s.extensionType("folders", "Folder") }

// ItemType is that of items.
func (s Space) ItemType() string { return s.extensionType("items", "File") }

// VersionType is that of versions.
func (s Space) VersionType() string { return s.extensionType("versions", "File") }
