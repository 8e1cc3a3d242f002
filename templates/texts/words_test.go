package texts

import (
	"regexp"
	"testing"
)

// strays are what some texts once called by another word than the rest of their language, or a
// person by another form of address.
var strays = map[string]*regexp.Regexp{
	"de": regexp.MustCompile(`Tokens|Geheimnis|Kennwort|Aussteller|User Info|(^|[^-])\bMails?\b`),
	"fr": regexp.MustCompile(`(^|[^(])\b[Ss]copes?\b|ID client|[Ii]dentifiant du client|électronique|\bKo\b|[Rr]églage|comptes associés`),
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
