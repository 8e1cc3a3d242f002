package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// carriersAtOnce is how many programs read and upload beside those who sign in.
const carriersAtOnce = 4

// depot is where the programs of a fleet put their files.
type depot struct {
	app     client
	hub     string
	project string
	folder  string // URN
}

// openDepot makes a project, and finds its folder by asking the fleet.
func (f *fleet) openDepot() {
	f.Helper()
	d := &f.depot
	d.app = f.client("--type", "service", "--profile", "platform", "--scope", "data:read data:write data:create")
	var hub, project struct{ ID string }
	f.commandJSON(&hub, "", "hub", "create", "--name", "Works")
	f.commandJSON(&project, "", "project", "create", "--hub", hub.ID, "--name", "Depot")
	f.command("", "app", "provision", "--hub", hub.ID, "--client", d.app.ID, "--level", "control")
	d.hub, d.project = hub.ID, project.ID
	f.began = time.Now()
	top := f.insists(didRead, "top", f.bearing(f.tokenOf("top"), "GET", "/project/v1/hubs/"+d.hub+"/projects/"+d.project+
		"/topFolders", nil))
	var list struct {
		Data []struct {
			ID         string
			Attributes struct{ Name string }
		}
	}
	f.must(json.Unmarshal([]byte(top.Body), &list))
	for _, folder := range list.Data {
		if folder.Attributes.Name == "Project Files" {
			d.folder = folder.ID
		}
	}
}

// bearing makes a request with a token as often as it is asked for.
func (f *fleet) bearing(token, method, path string, body any) func() *http.Request {
	text := must(json.Marshal(body))
	if body == nil {
		text = nil
	}
	return func() *http.Request {
		r := must(http.NewRequest(method, f.URL+path, bytes.NewReader(text)))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/vnd.api+json")
		if strings.HasPrefix(path, "/oss/") {
			r.Header.Set("Content-Type", "application/json")
		}
		return r
	}
}

// insists asks until somebody has done it. Nobody may refuse.
func (f *fleet) insists(what, in string, request func() *http.Request) answer {
	for {
		h, got := f.sends(happening{Chain: -1, What: what, In: in}, request(), nil)
		switch {
		case h.succeeded():
			return got
		case h.Status >= 400 && h.Status < 500, time.Since(f.began) > f.limit+time.Minute:
			f.Errorf("%s %s: %d %s", what, in, h.Status, got.Body)
			return got
		}
		time.Sleep(pauseBetween)
	}
}

func (f *fleet) tokenOf(in string) string {
	return f.insists(didToken, in, func() *http.Request {
		return f.post(tokenPath, f.depot.app, form("grant_type", "client_credentials", "scope",
			"data:read data:write data:create"))
	}).text("access_token")
}

// carry reads and uploads until the time is up.
func (f *fleet) carry(carrier int) {
	for step := 0; time.Since(f.began) < f.limit && !f.Failed(); step++ {
		in := fmt.Sprintf("%d.%d", carrier, step)
		token := f.tokenOf(in)
		f.insists(didRead, in, f.bearing(token, "GET", "/data/v1/projects/"+f.depot.project+"/folders/"+
			url.PathEscape(f.depot.folder)+"/contents", nil))
		f.uploads(in, token)
	}
}

// uploads brings one small file, and says so in the history once that is acknowledged.
func (f *fleet) uploads(in, token string) {
	stored := f.insists(didRead, "storage "+in, f.bearing(token, "POST", "/data/v1/projects/"+f.depot.project+"/storage",
		object{"jsonapi": object{"version": "1.0"}, "data": object{
			"type": "objects", "attributes": object{"name": in + ".txt"},
			"relationships": object{"target": leads("folders", f.depot.folder)},
		}}))
	var made struct{ Data struct{ ID string } }
	f.must(json.Unmarshal([]byte(stored.Body), &made))
	bucket, key, _ := strings.Cut(made.Data.ID[strings.Index(made.Data.ID, "os.object:")+len("os.object:"):], "/")
	path := "/oss/v2/buckets/" + bucket + "/objects/" + url.PathEscape(key)
	var to addresses
	begun := f.insists(didRead, "begin "+in, f.bearing(token, "GET", path+"/signeds3upload", nil))
	f.must(json.Unmarshal([]byte(begun.Body), &to))
	body := []byte("the bytes of " + in)
	put, err := try(f.through, must(http.NewRequest(http.MethodPut, to.URLs[0], bytes.NewReader(body))))
	if err != nil || put.Status != http.StatusOK {
		f.Errorf("the place of bytes itself: %v, %d %s", err, put.Status, put.Body)
		return
	}
	sum := sha256.Sum256(body)
	f.insists(didComplete, path, f.bearing(token, "POST", path+"/signeds3upload",
		object{"uploadKey": to.UploadKey, "sha256": hex.EncodeToString(sum[:])}))
}

// fetches asks for the bytes of every upload that was acknowledged.
func (f *fleet) fetches() (files int) {
	token := f.tokenOf("fetching")
	for _, h := range f.history() {
		if h.What != didComplete || !h.succeeded() {
			continue
		}
		files++
		f.sends(happening{Chain: -1, What: didFetch, In: h.In}, f.bearing(token, "GET", h.In, nil)(),
			func(got answer) string { return strings.TrimPrefix(got.Body, "the bytes of ") })
	}
	return files
}
