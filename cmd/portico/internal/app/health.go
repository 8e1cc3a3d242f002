package app

import (
	"io"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
)

// healthy answers that the process is up, whatever the database does.
func (a *App) healthy(w http.ResponseWriter, _ *http.Request) {
	plain(w, http.StatusOK, "ok")
}

// ready answers whether requests can be served: 200, or 503, and which parts are
// not well. The signing keys were loaded before the first request.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	a.watchedAt.Store(int64(a.parts.Ambient.Elapsed()))
	if a.stopping.Load() {
		plain(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	found := a.readiness.look(r.Context())
	if found.vital {
		a.log.WarnContext(r.Context(), "not ready", "what", found.ill)
		plain(w, http.StatusServiceUnavailable, strings.Join(found.ill, "\n"))
		return
	}
	plain(w, http.StatusOK, strings.Join(append([]string{"ready"}, found.ill...), "\n"))
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

// assets serves the files that pages refer to. Their names change with their
// content, so a browser may keep them for ever.
func (a *App) assets() http.Handler {
	assets := templates.Assets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _ := httpio.PathID(r, "name")
		asset, ok := assets[templates.AssetPrefix+name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Type", asset.ContentType)
		header.Set("Cache-Control", templates.AssetCacheControl)
		header.Set("ETag", asset.ETag)
		if httpio.Known(r, asset.ETag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(asset.Body)
	})
}
