package people

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/templates/texts"
)

// Rule: HOME-5
func TestDevicesAreSaidInWords(t *testing.T) {
	on := func(browser, system string) texts.Text {
		return texts.Say("own.sessions.device-on", "Browser", browser, "System", system)
	}
	for header, want := range map[string]texts.Text{
		"": texts.Say("own.sessions.device-unknown"),
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                 on("Firefox", "Linux"),
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":          on("Edge", "Windows"),
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15":                  on("Safari", "macOS"),
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1": on("Chrome", "iPhone"),
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36":       on("Samsung Internet", "Android"),
		"curl/8.5.0":         texts.Own("curl"),
		"<b>Something</b>/1": texts.Own("<b>Something</b>/1"),
	} {
		if diff := cmp.Diff(want, device(header)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", header, diff)
		}
	}
}
