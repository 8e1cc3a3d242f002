package tree

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
)

const maxName = 255 // characters

// NameFault returns why the text can't be the name of a folder, item or
// version, nil when it can (data model, section 2). What means something in paths,
// patterns or shells could not be saved as a file.
func NameFault(name string) *fault.Error {
	length := utf8.RuneCountInString(name)
	switch {
	case length < 1 || length > maxName:
		return fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "A name has 1 to %d characters, this one %d.", maxName,
			length)
	case strings.ContainsAny(name, `<>:"/\|?*`) || strings.ContainsFunc(name, unicode.IsControl):
		return fault.New(fault.Invalid, jsonapi.ReasonInvalid,
			`A name has no control characters and none of < > : " / \ | ? *.`)
	case strings.TrimFunc(name, isEdge) != name || textkey.Blank(name):
		return fault.New(fault.Invalid, jsonapi.ReasonInvalid, "A name neither begins nor ends with a blank or a dot.")
	}
	return nil
}

func isEdge(c rune) bool { return c == '.' || unicode.IsSpace(c) }

// FileType returns the lower-case ending of a name, "" for one without.
func FileType(name string) string {
	const longest = 10
	dot := strings.LastIndexByte(name, '.')
	ending := strings.ToLower(name[dot+1:])
	odd := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }
	if dot < 0 || len(ending) > longest || strings.ContainsFunc(ending, odd) {
		return ""
	}
	return ending
}

// MimeType returns the media type of files with the ending. The table is
// ours, so that every server says the same whatever its system knows.
func MimeType(fileType string) string {
	if known, ok := mimeTypes[fileType]; ok {
		return known
	}
	return "application/octet-stream"
}

var mimeTypes = map[string]string{
	"bmp":  "image/bmp",
	"csv":  "text/csv",
	"doc":  "application/msword",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"dwf":  "model/vnd.dwf",
	"dwg":  "image/vnd.dwg",
	"dxf":  "image/vnd.dxf",
	"eml":  "message/rfc822",
	"gif":  "image/gif",
	"glb":  "model/gltf-binary",
	"gltf": "model/gltf+json",
	"gz":   "application/gzip",
	"htm":  "text/html",
	"html": "text/html",
	"ifc":  "application/x-step",
	"jpeg": "image/jpeg",
	"jpg":  "image/jpeg",
	"json": "application/json",
	"md":   "text/markdown",
	"mov":  "video/quicktime",
	"mp3":  "audio/mpeg",
	"mp4":  "video/mp4",
	"obj":  "model/obj",
	"odp":  "application/vnd.oasis.opendocument.presentation",
	"ods":  "application/vnd.oasis.opendocument.spreadsheet",
	"odt":  "application/vnd.oasis.opendocument.text",
	"pdf":  "application/pdf",
	"png":  "image/png",
	"ppt":  "application/vnd.ms-powerpoint",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"rtf":  "application/rtf",
	"step": "model/step",
	"stl":  "model/stl",
	"stp":  "model/step",
	"svg":  "image/svg+xml",
	"tar":  "application/x-tar",
	"tif":  "image/tiff",
	"tiff": "image/tiff",
	"txt":  "text/plain",
	"wav":  "audio/wav",
	"webm": "video/webm",
	"webp": "image/webp",
	"xls":  "application/vnd.ms-excel",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"xml":  "application/xml",
	"zip":  "application/zip",
}
