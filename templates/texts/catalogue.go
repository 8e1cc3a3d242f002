package texts

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// Catalogue is all messages in all languages. It is safe for concurrent use.
type Catalogue struct {
	languages []*Language // English first
	choosers  sync.Map    // Chooser by the tags that it chooses among
}

// New returns the catalogue, which is one for all of a process, as what it is read from is
// part of the binary. A language is read when it is first spoken: a server speaks few of
// them.
func New() *Catalogue { return shared() }

var shared = sync.OnceValue(newCatalogue)

func newCatalogue() *Catalogue {
	catalogue := &Catalogue{languages: spoken()}
	english := sync.OnceValue(func() map[string]message { return known(language.English) })
	for i, l := range catalogue.languages {
		l.learned = sync.OnceValue(func() *vocabulary {
			if i == 0 {
				return learn(english(), nil)
			}
			return learn(english(), known(l.tag))
		})
	}
	return catalogue
}

// Tags returns the languages that are spoken, English first.
func Tags() []string {
	var tags []string
	for _, l := range spoken() {
		tags = append(tags, l.Tag)
	}
	return tags
}

// known returns all messages of a language; what can't be read a test has found.
func known(tag language.Tag) map[string]message {
	all, _ := read(tag)
	return all
}

// English returns the language in which everything is said.
func (c *Catalogue) English() *Language { return c.languages[0] }

// Languages returns all of them, English first.
func (c *Catalogue) Languages() []*Language { return c.languages }

// Find returns the language with the tag, or nil.
func (c *Catalogue) Find(tag string) *Language {
	i := slices.IndexFunc(c.languages, func(l *Language) bool { return l.Tag == tag })
	if i < 0 {
		return nil
	}
	return c.languages[i]
}

// Chooser finds, among some languages, the one that somebody understands best.
type Chooser struct {
	among   []*Language
	matcher func() language.Matcher // made when somebody first wishes for something
}

// Among returns the chooser among English and the other languages that fit.
func (c *Catalogue) Among(fits func(*Language) bool) *Chooser {
	var among []*Language
	var tags []language.Tag
	all := ""
	for i, l := range c.languages {
		if i == 0 || fits(l) {
			among, tags, all = append(among, l), append(tags, l.tag), all+" "+l.Tag
		}
	}
	chooser, _ := c.choosers.LoadOrStore(all, &Chooser{among: among,
		matcher: sync.OnceValue(func() language.Matcher { return language.NewMatcher(tags) })})
	return chooser.(*Chooser)
}

// Choose returns the language for somebody who wants those of the list, which is
// as Accept-Language has it; English when none of them is spoken. What can't be
// read in the list is passed over (OpenID Connect Core 3.1.2.1: ui_locales never
// causes an error).
func (c *Chooser) Choose(wanted string) *Language {
	if wanted == "" {
		return c.among[0]
	}
	_, i, confidence := c.matcher().Match(wishes(wanted)...)
	if confidence == language.No {
		return c.among[0]
	}
	return c.among[i]
}

// maxWishes is how much of a list is read: nobody speaks more languages.
const maxWishes = 200

func wishes(list string) []language.Tag {
	list = list[:min(len(list), maxWishes)]
	if tags, _, err := language.ParseAcceptLanguage(list); err == nil {
		return tags
	}
	var tags []language.Tag
	for one := range strings.SplitSeq(list, ",") {
		if found, _, err := language.ParseAcceptLanguage(one); err == nil {
			tags = append(tags, found...)
		}
	}
	return tags
}
