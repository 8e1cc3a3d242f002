package apps

import (
	"fmt"
	"strings"

	"github.com/portico-id/portico/templates/texts"
)

// whereMark begins what says where a block of a guide belongs, where that is more than the
// name of a file.
const whereMark = "@"

// where says where a block belongs: "@name what" is a text, all else a name.
func where(line string) (texts.Text, error) {
	name, what, _ := strings.Cut(strings.TrimPrefix(line, whereMark), " ")
	if !strings.HasPrefix(line, whereMark) {
		return texts.Own(line), nil
	}
	for _, known := range []map[string]texts.Text{wheres(what), wheresOfServices(what)} {
		if text, ok := known[name]; ok {
			return text, nil
		}
	}
	return texts.Text{}, fmt.Errorf("a guide says %q, which is no text", line)
}

// wheres are those of libraries.
func wheres(what string) map[string]texts.Text {
	return map[string]texts.Text{
		"discovery": texts.Say("guides.where.discovery"),
		"open":      texts.Say("guides.where.open"),
		"exchange":  texts.Say("guides.where.exchange"),
		"person":    texts.Say("guides.where.person"),
		"without":   texts.Say("guides.where.without"),
		"token":     texts.Say("guides.where.token"),
		"token-by":  texts.Say("guides.where.token-by"),
		"configure": texts.Say("guides.where.configure", "What", what),
		"send":      texts.Say("guides.where.send", "What", what),
		"called":    texts.Say("guides.where.called", "What", what),
		"callback":  texts.Say("guides.where.callback"),
		"back":      texts.Say("guides.where.back"),
		"sign-in":   texts.Say("guides.where.sign-in"),
		"sign-out":  texts.Say("guides.where.sign-out"),
		"both":      texts.Say("guides.where.both"),
		"use":       texts.Say("guides.where.use"),
		"once":      texts.Say("guides.where.once"),
	}
}

// wheresOfServices are those of services, and of other programs.
func wheresOfServices(what string) map[string]texts.Text {
	return map[string]texts.Text{
		"agent":   texts.Say("guides.where.agent", "What", what),
		"account": texts.Say("guides.where.account"),
		"gitea":   texts.Say("guides.where.gitea"),
		"site":    texts.Say("guides.where.site"),
		"inside":  texts.Say("guides.where.inside", "What", what),
		"flags":   texts.Say("guides.where.flags"),
		"minio":   texts.Say("guides.where.minio"),
		"grafana": texts.Say("guides.where.grafana"),
		"kcadm":   texts.Say("guides.where.kcadm", "What", what),
		"element": texts.Say("guides.where.element"),
		"api":     texts.Say("guides.where.api"),
		"typ":     texts.Say("guides.where.typ"),
		"ios":     texts.Say("guides.where.ios"),
		"android": texts.Say("guides.where.android"),
		"link":    texts.Say("guides.where.link"),
	}
}
