package templates_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// flow are elements that may not stand where the content model of HTML wants a
// phrase.
const flow = " address article aside blockquote details div dl dt dd fieldset footer form h1 h2 h3 h4 header hr li main nav ol p pre section table ul "

// phrases are elements that hold a phrase alone.
const phrases = " p span h1 h2 h3 strong em small label button code pre bdi dt legend summary option a time th "

// TestPagesAreValidHTML holds every page to where HTML lets elements stand. A
// browser mends what is wrong, each in its own way.
//
// Rule: PAGE-7
func TestPagesAreValidHTML(t *testing.T) {
	eachSample(t, func(t *testing.T, page string, root *html.Node) {
		if written, read := strings.Count(page, "<")+strings.Count(page, "/>"), tags(root); read > written {
			t.Errorf("a browser makes %d tags of %d", read, written)
		}
		for _, n := range elements(root, "") {
			for _, wrong := range misplaced(n) {
				t.Errorf("<%s> in <%s>: %s", n.Data, n.Parent.Data, wrong)
			}
		}
	})
}

func tags(root *html.Node) int {
	var whole strings.Builder
	if err := html.Render(&whole, root); err != nil {
		return 0
	}
	return strings.Count(whole.String(), "<")
}

func misplaced(n *html.Node) []string {
	var wrong []string
	is := func(list, name string) bool { return strings.Contains(list, " "+name+" ") }
	for up := n.Parent; up != nil; up = up.Parent {
		switch {
		case is(flow, n.Data) && is(phrases, up.Data):
			wrong = append(wrong, "a block within a phrase, "+up.Data)
		case is(" a button ", n.Data) && is(" a button label ", up.Data):
			wrong = append(wrong, "something to press within another, "+up.Data)
		case n.Data == "form" && up.Data == "form":
			wrong = append(wrong, "a form within a form")
		}
	}
	parents := map[string]string{"li": " ul ol ", "dt": " dl div ", "dd": " dl div ", "td": " tr ", "th": " tr ",
		"tr": " thead tbody ", "legend": " fieldset ", "summary": " details "}
	if may, known := parents[n.Data]; known && !is(may, n.Parent.Data) {
		wrong = append(wrong, "not a child of"+may)
	}
	return wrong
}

// Rule: PAGE-7
func TestAFailedPageSaysSoInItsTitle(t *testing.T) {
	eachSample(t, func(t *testing.T, page string, root *html.Node) {
		failed := strings.Contains(page, `role="alert"`) || strings.Contains(page, `id="error-page"`)
		title := elements(root, "title")[0].FirstChild.Data
		if strings.HasPrefix(title, "Error: ") != failed {
			t.Errorf("the title is %q, and something failed: %v", title, failed)
		}
	})
}

// Rule: PAGE-10
func TestEveryCellOfATableSaysWhatItIs(t *testing.T) {
	eachSample(t, func(t *testing.T, _ string, root *html.Node) {
		for _, cell := range elements(root, "td") {
			if attribute(cell, "data-label") == "" {
				t.Error("a cell has no label for narrow screens")
			}
		}
	})
}
