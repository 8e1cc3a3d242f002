package apps

import "testing"

// Rule: ACCESS-9
func TestNamesThatPassForTheServer(t *testing.T) {
	for _, server := range []string{"Portico", "Acme ID"} {
		if !poses(server, server) || poses("Site Planner", server) {
			t.Errorf("%q is not its own name, or a stranger's", server)
		}
	}
	for text, want := range map[string]bool{
		"Portico": true, "portico": true, "Portico Login": true, "PorticoLogin": true, "porticologin": true,
		"The Official PORTICO": true,
		"P0rtico":              true, "Port1co": true, "Pоrtico": true, "Роrtісо": true, "Ｐｏｒｔｉｃｏ": true, "𝐏𝐨𝐫𝐭𝐢𝐜𝐨": true,
		"Pórtîcö": true, "P o r t i c o": true,
		"Por-ti.co": true, "Por\u200dtico": true, "Por\u3164tico": true, "Ροrtιcο": true, "Portıco": true, "MyPortico": true,
		"Port of Hamburg": false, "Porti": false, "Portal": false, "Comic": false, "日本語": false, "": false,
	} {
		if got := poses(text, "Portico"); got != want {
			t.Errorf("%q passes for Portico: %v", text, got)
		}
	}
	for text, want := range map[string]bool{"ID": true, "My ID": true, "I.D.": true, "Video": false, "Idea": false} {
		if got := poses(text, "ID"); got != want {
			t.Errorf("%q passes for ID: %v", text, got)
		}
	}
}
