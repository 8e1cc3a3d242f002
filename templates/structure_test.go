package templates_test

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/portico-id/portico/templates"
)

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// elements returns the elements with the tag, in order; "" means every element.
func elements(root *html.Node, tag string) []*html.Node {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (tag == "" || n.Data == tag) {
			found = append(found, n)
		}
	}
	return found
}

func byID(t *testing.T, root *html.Node, id string) *html.Node {
	t.Helper()
	for _, n := range elements(root, "") {
		if attribute(n, "id") == id {
			return n
		}
	}
	t.Fatalf("there is no element with the id %s", id)
	return nil
}

// eachSample runs the check for every sample page.
func eachSample(t *testing.T, check func(t *testing.T, page string, root *html.Node)) {
	t.Helper()
	pages := newPages(t)
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			page := rendered(t, pages, s, templates.Frame{RequestID: "req-1"})
			check(t, page, parse(t, page))
		})
	}
}

func TestEveryTagIsClosed(t *testing.T) {
	void := map[string]bool{"meta": true, "link": true, "input": true, "path": true, "img": true}
	eachSample(t, func(t *testing.T, page string, _ *html.Node) {
		var open []string
		for z := html.NewTokenizer(strings.NewReader(page)); ; {
			kind := z.Next()
			if kind == html.ErrorToken {
				break
			}
			tag := z.Token().Data
			if kind == html.StartTagToken && !void[tag] {
				open = append(open, tag)
			}
			if kind == html.EndTagToken {
				if len(open) == 0 || open[len(open)-1] != tag {
					t.Fatalf("</%s> closes nothing; open: %v", tag, open)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("never closed: %v", open)
		}
	})
}

func TestIDsAreUniqueAndReferencesLeadSomewhere(t *testing.T) {
	eachSample(t, func(t *testing.T, _ string, root *html.Node) {
		seen := map[string]string{}
		for _, n := range elements(root, "") {
			id := attribute(n, "id")
			if _, twice := seen[id]; id != "" && twice {
				t.Errorf("id %s is there twice", id)
			}
			seen[id] = n.Data
		}
		for _, n := range elements(root, "") {
			for to := range strings.FieldsSeq(attribute(n, "aria-describedby")) {
				if seen[to] == "" {
					t.Errorf("aria-describedby=%s leads nowhere", to)
				}
			}
			to := attribute(n, "for")
			if n.Data == "label" && !slices.Contains([]string{"input", "textarea", "select"}, seen[to]) {
				t.Errorf("the label for %q has no field", to)
			}
			if to, inside := strings.CutPrefix(attribute(n, "href"), "#"); inside && seen[to] == "" {
				t.Errorf("#%s leads nowhere", to)
			}
		}
	})
}

func TestEveryVisibleInputHasALabel(t *testing.T) {
	eachSample(t, func(t *testing.T, _ string, root *html.Node) {
		labelled := map[string]bool{}
		for _, n := range elements(root, "label") {
			labelled[attribute(n, "for")] = true
		}
		for _, n := range slices.Concat(elements(root, "input"), elements(root, "textarea"), elements(root, "select")) {
			if attribute(n, "type") != "hidden" && !labelled[attribute(n, "id")] {
				t.Errorf("input %s has no label", attribute(n, "id"))
			}
		}
	})
}

func TestEveryPageHasOneHeadingATitleAndALanguage(t *testing.T) {
	eachSample(t, func(t *testing.T, _ string, root *html.Node) {
		if n := len(elements(root, "h1")); n != 1 {
			t.Errorf("%d main headings", n)
		}
		if n := len(elements(root, "main")); n != 1 {
			t.Errorf("%d main parts", n)
		}
		title := elements(root, "title")[0].FirstChild
		if title == nil || title.Data == " · Portico" {
			t.Error("the window has no title")
		}
		if attribute(elements(root, "html")[0], "lang") == "" {
			t.Error("the page has no language")
		}
	})
}

// Rules: PAGE-2, PORTAL-16
func TestNoPageNeedsMoreThanThePolicyAllows(t *testing.T) {
	assets := templates.Assets()
	eachSample(t, func(t *testing.T, _ string, root *html.Node) {
		for _, n := range elements(root, "") {
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
					t.Errorf("<%s> has an inline %s", n.Data, a.Key)
				}
			}
			source := attribute(n, "src")
			if n.Data == "link" {
				source = attribute(n, "href")
			}
			if n.Data == "style" || n.Data == "script" && source == "" {
				t.Errorf("<%s> is inline", n.Data)
			}
			_, ours := assets[source]
			if n.Data == "img" {
				ours = strings.HasPrefix(source, "/logos/") || strings.HasPrefix(source, "/portraits/") ||
					strings.HasPrefix(source, "/files/")
			}
			if n.Data == "iframe" { // of a PDF, by PolicyFraming
				ours = strings.HasPrefix(source, "/files/")
			}
			if source != "" && !ours {
				t.Errorf("<%s> loads %s, which is not ours", n.Data, source)
			}
		}
	})
}

// Rule: PORTAL-17
func TestEveryPageWithItsAssetsIsUnder30kBOverTheWire(t *testing.T) {
	var shared int
	for _, asset := range templates.Assets() {
		shared += compressed(t, string(asset.Body))
	}
	eachSample(t, func(t *testing.T, page string, _ *html.Node) {
		if size := shared + compressed(t, page); size >= 30_000 {
			t.Errorf("%d bytes", size)
		}
		if size := shared + len(page); size >= 30_000 {
			t.Errorf("%d bytes without compression", size)
		}
	})
}

func compressed(t *testing.T, s string) int {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
