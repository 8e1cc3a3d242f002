package templates

import "strings"

// Language returns the language tag that a page shown to someone who asked for
// wish carries. The pages speak English: a wish for a kind of English is kept,
// any other falls back to "en" (OpenID Connect Core 3.1.2.1: ui_locales never
// causes an error).
func Language(wish string) string {
	region, isEnglish := strings.CutPrefix(wish, "en-")
	if !isEnglish || len(region) != 2 || strings.Trim(region, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "en"
	}
	return wish
}
