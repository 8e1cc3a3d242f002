package e2e

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"
)

// bomb is the beginning of a PNG that says that it is 60 000 pixels square.
func bomb() []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), 60000)
	head = append(binary.BigEndian.AppendUint32(head, 60000), 8, 6, 0, 0, 0)
	_ = binary.Write(&b, binary.BigEndian, uint32(len(head)-4))
	b.Write(head)
	_ = binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(head))
	return b.Bytes()
}

// Rules: PICTURE-1, HOME-9, PORTAL-27
func TestHostilePicturesComeInByNoDoor(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), nil)
	tool := f.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	token := f.admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
	put := func(address string) func([]byte) int {
		return func(file []byte) int {
			r, err := http.NewRequest(http.MethodPut, f.URL+address, bytes.NewReader(file))
			f.must(err)
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "image/png")
			got, err := try(&http.Client{Transport: f.wire}, r) // the checker takes bytes for a form
			f.must(err)
			return got.Status
		}
	}
	page := func(path, field string) func([]byte) int {
		return func(file []byte) int { return f.admin.upload(path, field, file).Status }
	}
	script := `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`
	hostile := map[string][]byte{
		"an SVG": []byte(script), "an SVG as XML": []byte(`<?xml version="1.0"?>` + script),
		"a page": []byte("<!doctype html><script>alert(1)</script>"), "a bomb": bomb(), "nothing": nil,
		"half a picture": picture(t)[:60], "a GIF": []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;" + script),
	}
	for door, brings := range map[string]func([]byte) int{
		"the own picture, page":    page("/account/picture", "portrait"),
		"the own picture, program": put("/account/v1/picture"),
		"an app's, page":           page("/apps/"+f.web["clientId"]+"/logo", "logo"),
		"an app's, program":        put("/admin/v1/apps/" + f.web["clientId"] + "/logo"),
		"the server's, page":       page("/admin/brand/logo", "logo"),
		"the server's, program":    put("/admin/v1/brand/logo"),
	} {
		for what, file := range hostile {
			if got := brings(file); got < http.StatusBadRequest || got >= http.StatusInternalServerError {
				t.Errorf("%s, %s: %d", door, what, got)
			}
		}
		if got := brings(picture(t)); got != http.StatusSeeOther && got != http.StatusNoContent && got != http.StatusOK {
			t.Errorf("%s, a picture: %d", door, got)
		}
	}
	picturesOnPages := 0
	for _, path := range []string{"/brand-logo/", "/logos/", "/portraits/"} {
		for _, from := range []string{"/apps/" + f.web["clientId"], "/account/picture", "/admin/brand", "/"} {
			at := path + inner(f.admin.fetch("GET", from).Body, `"`, `src="`+path)
			if at == path {
				continue
			}
			picturesOnPages++
			got := f.admin.fetch("GET", at)
			if kind := got.Header.Get("Content-Type"); kind != "image/png" && kind != "image/jpeg" ||
				got.Header.Get("X-Content-Type-Options") != "nosniff" ||
				!strings.Contains(got.Header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("%s: %v", at, got.Header)
			}
		}
	}
	if picturesOnPages < 3 {
		t.Errorf("%d pictures are on pages", picturesOnPages)
	}
}
