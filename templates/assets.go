package templates

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"path"
	"strings"
)

//go:embed static/*
var static embed.FS

// AssetPrefix is the path under which assets are served.
const AssetPrefix = "/assets/"

// LogoPath returns the path of the logo of an app whose picture has the hash;
// empty for an empty one.
func LogoPath(hash string) string {
	if hash == "" {
		return ""
	}
	return "/logos/" + hash + ".png"
}

// Asset is a file that pages refer to. Its name changes with its content, so
// that a browser may keep it for ever.
type Asset struct {
	Path        string // "/assets/portico.0123456789abcdef.css"
	Body        []byte
	ContentType string
	ETag        string // strong, with its quotes
}

// AssetSet is all assets, by the path they are served under.
type AssetSet map[string]Asset

// AssetCacheControl is the caching header of every asset.
const AssetCacheControl = "public, max-age=31536000, immutable"

// Assets returns every file that pages refer to.
func Assets() AssetSet {
	entries, err := static.ReadDir("static")
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	set := AssetSet{}
	for _, entry := range entries {
		body, err := static.ReadFile("static/" + entry.Name())
		if err != nil {
			panic(err)
		}
		asset := newAsset(entry.Name(), body)
		set[asset.Path] = asset
	}
	return set
}

func newAsset(name string, body []byte) Asset {
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:8])
	ext := path.Ext(name)
	return Asset{
		Path:        AssetPrefix + strings.TrimSuffix(name, ext) + "." + hash + ext,
		Body:        body,
		ContentType: contentType(ext),
		ETag:        `"` + hash + `"`,
	}
}

func contentType(ext string) string {
	switch ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(ext)
}

// path returns the path of the asset with the stem and extension, or "".
func (set AssetSet) path(stem, ext string) string {
	for p := range set {
		if strings.HasPrefix(p, AssetPrefix+stem+".") && path.Ext(p) == ext {
			return p
		}
	}
	return ""
}
