package people

import (
	"strings"

	"github.com/portico-id/portico/templates/texts"
)

// browsers and systems are found by what their user-agent header holds. The first
// that fits counts: most browsers name those that they resemble, too.
var (
	browsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}
)

// device says in words which browser a user-agent header comes from, and on what.
// What it does not know it shows as it came.
func device(userAgent string) texts.Text {
	browser, system := found(browsers, userAgent), found(systems, userAgent)
	switch {
	case userAgent == "":
		return texts.Say("own.sessions.device-unknown")
	case browser == "":
		shown := []rune(userAgent)
		return texts.Own(string(shown[:min(len(shown), maxAgent)]))
	case system == "":
		return texts.Own(browser)
	}
	return texts.Say("own.sessions.device-on", "Browser", browser, "System", system)
}

// maxAgent is how much is shown of a program that is not known.
const maxAgent = 150

func found(known [][2]string, userAgent string) string {
	for _, one := range known {
		if strings.Contains(userAgent, one[0]) {
			return one[1]
		}
	}
	return ""
}
