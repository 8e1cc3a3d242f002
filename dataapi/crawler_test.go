package dataapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// secrets are the name and every id of each thing of the scene, by the thing.
// Names that every project has are no secrets.
func (s *scene) secrets() map[string][]string {
	return map[string][]string{
		"Main Hub":       {"Main Hub", s.hub.ID},
		"Other Hub":      {"Other Hub", s.otherHub.ID},
		"Tower":          {`"Tower"`, s.tower.ID},
		"Bridge":         {`"Bridge"`, s.bridge.ID},
		"Far":            {`"Far"`, s.far.ID},
		"root":           {s.tower.RootFolderID, strings.TrimPrefix(s.tower.ID, "b.") + "-root-folder"},
		"Project Files":  {s.files.ID},
		"Plans":          {s.plans.ID},
		"Outer":          {"Outer", s.outer},
		"Middle":         {"Middle", s.middle},
		"Inner":          {`"Inner"`, s.inner},
		"Innermost":      {`"Innermost"`, s.innermost},
		"Hidden":         {`"Hidden"`, s.hidden},
		"report.txt":     {"report.txt", s.report},
		"reserved.txt":   {"reserved.txt", s.reserved},
		"deleted.txt":    {"deleted.txt", s.deleted},
		"buried.txt":     {"buried.txt", s.buried},
		"deep.txt":       {"deep.txt", s.deepItem},
		"innermost.txt":  {"innermost.txt", s.innerItem},
		"plan.txt":       {"plan.txt", s.plan},
		"Readers":        {"Readers", s.group.ID},
		"the other apps": {stranger, s.machineOwner},
	}
}

// visible says who may find what.
func (s *scene) visible() map[string][]string {
	tower := []string{"Main Hub", "Tower"}
	inner := append(slices.Clone(tower), "Inner", "Innermost", "deep.txt", "innermost.txt")
	outer := append(slices.Clone(inner), "Outer", "Middle", "report.txt", "reserved.txt", "Readers")
	edit := append(slices.Clone(outer), "Hidden", "deleted.txt", "buried.txt")
	all := append(slices.Clone(edit), "root", "Project Files", "Plans", "plan.txt")
	return map[string][]string{
		"two-legged":                 append(slices.Clone(all), "Other Hub", "Bridge", "Far"),
		"hub admin":                  append(slices.Clone(all), "Bridge"),
		"project admin":              all,
		"editor":                     edit,
		"two-legged for editor":      edit,
		"viewer":                     outer,
		"deep viewer":                inner,
		"service account":            inner,
		"outsider":                   {"Main Hub"},
		"other hub":                  {"Other Hub", "Far"},
		"not provisioned, hub admin": {"the other apps"}, // its own id, in the warning
		"two-legged for nobody":      {},
	}
}

// crawler follows every link and id of every answer.
type crawler struct {
	*scene
	by    caller
	to    []string // addresses not yet asked
	seen  map[string]bool
	text  strings.Builder // every answer
	asked int
}

// notBuilt are links into the parts of the API that are described elsewhere.
var notBuilt = regexp.MustCompile(`/oss/v2/`)

func (c *crawler) run() {
	c.Helper()
	for len(c.to) > 0 {
		address := c.to[0]
		c.to = c.to[1:]
		if c.seen[address] || notBuilt.MatchString(address) {
			continue
		}
		c.seen[address] = true
		c.asked++
		got := c.get(c.by, address)
		if got.Status >= http.StatusInternalServerError {
			c.Errorf("%s: %d %s", address, got.Status, got.Body)
		}
		c.text.Write(got.Body)
		c.follow(got.Body)
	}
}

// follow adds what an answer leads to: its links, and the address of each id.
func (c *crawler) follow(body []byte) {
	var value any
	if json.Unmarshal(body, &value) == nil {
		c.walk(value)
	}
}

func (c *crawler) walk(value any) {
	switch v := value.(type) {
	case map[string]any:
		if href, ok := v["href"].(string); ok {
			c.to = append(c.to, href)
		}
		if id, ok := v["id"].(string); ok {
			c.to = append(c.to, c.addresses(v["type"], id)...)
		}
		for _, inner := range v {
			c.walk(inner)
		}
	case []any:
		for _, inner := range v {
			c.walk(inner)
		}
	}
}

// variants are queries of an operation that show more than it shows without.
var variants = map[string]string{"contents": "?includeHidden=true", "item": "?includePathInProject=true"}

// addresses are the operations on the thing with the id, in every project.
func (c *crawler) addresses(kind any, id string) []string {
	var all []string
	for _, project := range []string{c.tower.ID, c.bridge.ID, c.far.ID} {
		ids := map[string]string{"project_id": project}
		switch kind {
		case "folders":
			ids["folder_id"] = id
		case "items":
			ids["item_id"] = id
		case "versions":
			ids["version_id"] = id
		case "hubs":
			ids["hub_id"] = id
		default:
			return nil
		}
		for _, o := range operations() {
			if path := at(o.template, ids); !strings.Contains(path, "{") && strings.Contains(path, url.QueryEscape(id)) {
				all = append(all, c.URL+path)
				if query, ok := variants[o.name]; ok {
					all = append(all, c.URL+path+query)
				}
			}
		}
	}
	return all
}

// crawlersOnPostgres are those who see a part of a project: the statements that
// keep the rest from them differ most. What everybody else may see is the same
// on both engines by TestPermissionMatrix, TestPermissionMatrixOfRelations and
// TestEveryoneListsTheirOwnHubsAndProjects.
var crawlersOnPostgres = []string{"editor", "viewer", "deep viewer", "outsider"}

// Rules: DATA-43, FEED-4, REL-5
func TestACrawlerFindsNothingThatItsCallerMayNotSee(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for name, visible := range s.visible() {
			if strings.HasSuffix(t.Name(), "/postgres") && !slices.Contains(crawlersOnPostgres, name) {
				continue
			}
			by := s.callersOnce(name)
			by.token = s.token(by)
			c := &crawler{scene: s, by: by, seen: map[string]bool{}}
			// It knows every address there is, as somebody who once could see everything.
			for _, thing := range s.things() {
				for _, o := range operations() {
					c.to = append(c.to, s.URL+at(o.template, s.ids(thing.folder, thing.item)))
				}
			}
			c.run()
			found := c.text.String()
			for thing, secrets := range s.secrets() {
				if slices.Contains(visible, thing) {
					continue
				}
				for _, secret := range secrets {
					if strings.Contains(found, secret) {
						t.Errorf("%s finds %q of %s", name, secret, thing)
					}
				}
			}
			for _, thing := range visible {
				if thing != "Readers" && !strings.Contains(found, s.secrets()[thing][0]) {
					t.Errorf("%s does not find %s", name, thing)
				}
			}
			t.Logf("%s: %d answers", name, c.asked)
		}
	})
}
