package texts

import (
	"regexp"
	"strings"
	"testing"
)

// strays are what some texts once called by another word than the rest of their language, or a
// person by another form of address, and words of a gender that does not fit all they are said of.
var strays = map[string]*regexp.Regexp{
	"de": regexp.MustCompile(`Tokens|Geheimnis|Kennwort|Aussteller|User Info|ohne Ende|oder laden Sie den|(^|[^-])\bMails?\b`),
	"fr": regexp.MustCompile(`(^|[^(])\b[Ss]copes?\b|ID client|[Ii]dentifiant du client|électronique|\bKo\b|[Rr]églage|comptes associés` +
		`|^aucune$|dont +désactivés`), // said of what is masculine and of what is feminine
	"ar": regexp.MustCompile(`مديري`),
	"zh-Hans": regexp.MustCompile(`你|账号|用户组|恢复码|电子邮件地址|第二因素|密钥串|签发者|归档最多|` +
		`由 +保留|被保留|\bHub\b|\bscope\b`),
}

// Whoever reads of something under two names takes it for two things.
//
// Rule: LANG-5
func TestEachLanguageCallsOneThingByOneWord(t *testing.T) {
	messages, _ := catalogue(t)
	for tag, stray := range strays {
		for id, m := range messages[tag] {
			for _, words := range forms(m) {
				if found := stray.FindString(placeholder.ReplaceAllString(words, "")); found != "" {
					t.Errorf("%s: %s says %q: %s", tag, id, found, words)
				}
			}
		}
	}
}

// Who is gone is called a former member, which no sentence can take in as it takes a name.
//
// Rule: LANG-5
func TestAFormerMemberStandsByThemselvesInASentence(t *testing.T) {
	messages, _ := catalogue(t)
	for _, tag := range []string{"en", "de", "fr"} {
		for _, id := range []string{"files.reserved-by", "sending.by", "showing.activity-by"} {
			if before, _, _ := strings.Cut(messages[tag][id].Other, "{{"); !strings.HasSuffix(before, ": ") {
				t.Errorf("%s: %s goes on with “%s”: %s", tag, id, messages[tag]["files.former-member"].Other, before)
			}
		}
	}
}

// To give back what one had reserved is another thing than to share it.
//
// Rule: LANG-5
func TestNoTwoThingsToDoWithAFileAreCalledAlike(t *testing.T) {
	messages, _ := catalogue(t)
	for tag, all := range messages {
		called := map[string]string{}
		for id, m := range all {
			if !strings.HasPrefix(id, "filing.act.") {
				continue
			}
			if other := called[m.Other]; other != "" {
				t.Errorf("%s: %s and %s are both called %s", tag, id, other, m.Other)
			}
			called[m.Other] = id
		}
	}
}
