package dataapi

import (
	"encoding/base64"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

type itemAttributes struct {
	DisplayName string `json:"displayName"`
	stampAttributes
	LastModifiedTimeRollup string `json:"lastModifiedTimeRollup"`
	Hidden                 bool   `json:"hidden"`
	Reserved               bool   `json:"reserved"`
	*reservation
	PathInProject string    `json:"pathInProject,omitempty"`
	Extension     extension `json:"extension"`
}

type reservation struct {
	Time     string `json:"reservedTime"`
	UserID   string `json:"reservedUserId"`
	UserName string `json:"reservedUserName"`
}

type itemData struct {
	SourceFileName string   `json:"sourceFileName"`
	VisibleTypes   []string `json:"visibleTypes"`
	Actions        []string `json:"actions"`
}

type itemRelationships struct {
	Parent   jsonapi.Relationship `json:"parent"`
	Tip      jsonapi.Relationship `json:"tip"`
	Versions jsonapi.Relationship `json:"versions"`
	references
}

// item shows an item. Whoever can read it can read its folder. path is where it
// lies, empty unless that was asked for.
func (s shower) item(i storage.Item, path string) jsonapi.Resource {
	address := s.itemURL(i.ProjectID, i.ID)
	attributes := itemAttributes{
		DisplayName: i.Name, stampAttributes: s.stamp(i.Stamp),
		LastModifiedTimeRollup: jsonapi.FormatTime(i.ModifiedAt),
		Hidden:                 i.Hidden, PathInProject: path,
		Extension: s.extension(i.Extension, s.urn.ItemType(), itemData{i.Name, []string{s.urn.VersionType()}, []string{}}),
	}
	if holder := i.ReservedFor(s.now); holder != "" {
		attributes.Reserved = true
		attributes.reservation = &reservation{jsonapi.FormatTime(i.ReservedAt), holder, s.names[holder]}
	}
	return jsonapi.Resource{
		Type: typeItems, ID: s.urn.Item(i.ID), Attributes: attributes,
		Relationships: itemRelationships{
			Parent:   toOne(typeFolders, s.urn.Folder(i.FolderID), address+"/parent"),
			Tip:      toOne(typeVersions, s.urn.Version(i.ID, i.Tip), address+"/tip"),
			Versions: related(address + "/versions"), references: referencesOf(address),
		},
		Links: self(address),
	}
}

type versionAttributes struct {
	Name          string `json:"name"`
	DisplayName   string `json:"displayName"`
	VersionNumber int    `json:"versionNumber"`
	stampAttributes
	MimeType    string    `json:"mimeType,omitempty"`
	FileType    string    `json:"fileType,omitempty"`
	StorageSize *int64    `json:"storageSize,omitempty"`
	Extension   extension `json:"extension"`
}

type versionData struct {
	ProcessState     string `json:"processState"`
	ExtractionState  string `json:"extractionState"`
	SplittingState   string `json:"splittingState"`
	ReviewState      string `json:"reviewState"`
	ConformingStatus string `json:"conformingStatus"`
	SourceFileName   string `json:"sourceFileName"`
	StorageURN       string `json:"storageUrn,omitempty"`
	StorageType      string `json:"storageType,omitempty"`
}

type versionRelationships struct {
	Item        jsonapi.Relationship  `json:"item"`
	Storage     *jsonapi.Relationship `json:"storage,omitempty"`
	Derivatives *jsonapi.Relationship `json:"derivatives"` // viewers read its id
	Thumbnails  *jsonapi.Relationship `json:"thumbnails"`
	references
}

func (s shower) version(project string, v storage.Version) jsonapi.Resource {
	urn, address := s.urn.Version(v.ItemID, v.Number), s.versionURL(project, v.ItemID, v.Number)
	encoded := base64.RawURLEncoding.EncodeToString([]byte(urn))
	attributes := versionAttributes{
		Name: v.Name, DisplayName: v.Name, VersionNumber: v.Number, stampAttributes: s.stamp(v.Stamp),
		MimeType: v.MimeType, FileType: v.FileType,
	}
	relationships := versionRelationships{
		Item:        toOne(typeItems, s.urn.Item(v.ItemID), address+"/item"),
		Derivatives: outside("derivatives", encoded, ""), Thumbnails: outside("thumbnails", encoded, ""),
		references: referencesOf(address),
	}
	data := versionData{
		ProcessState: "PROCESSING_COMPLETE", ExtractionState: "SUCCESS", SplittingState: "NOT_SPLIT",
		ReviewState: "NOT_IN_REVIEW", ConformingStatus: "NONE", SourceFileName: v.Name,
	}
	if v.Bucket != "" || v.Size > 0 {
		attributes.StorageSize = &v.Size
	}
	if v.Bucket != "" {
		data.StorageURN, data.StorageType = s.urn.Object(v.Bucket, v.ObjectKey), "OSS"
		relationships.Storage = outside(typeObjects, data.StorageURN, s.objectURL(v.Bucket, v.ObjectKey))
	}
	attributes.Extension = s.extension(v.Extension, s.urn.VersionType(), data)
	return jsonapi.Resource{
		Type: typeVersions, ID: urn, Attributes: attributes, Relationships: relationships, Links: self(address),
	}
}
