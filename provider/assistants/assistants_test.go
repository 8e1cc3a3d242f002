package assistants

import (
	"reflect"
	"testing"

	"github.com/portico-id/portico/templates/texts"
)

// Rule: MCP-12
func TestPeopleAreToldHowAnAssistantIsKnown(t *testing.T) {
	say := func(one ...texts.Text) []texts.Text { return one }
	everybody, others := texts.Say("assistants.published-all"), texts.Say("assistants.others-closed")
	hosts := texts.Say("assistants.published-hosts", "Hosts", "claude.ai, agent.example.test:8443")
	for _, c := range []struct {
		mode, hosts string
		want        []texts.Text
	}{
		{closed, off, say(texts.Say("assistants.arrive-closed"))},
		{byToken, off, say(texts.Say("assistants.arrive-token"))},
		{open, off, say(texts.Say("assistants.arrive-open"))},
		{open, "claude.ai", say(texts.Say("assistants.arrive-open"))},
		{closed, all + " -evil.example", say(everybody, others)},
		{byToken, all, say(everybody, texts.Say("assistants.others-token"))},
		{closed, "claude.ai -https://claude.ai/x agent.example.test:8443",
			say(hosts, others)},
	} {
		if got := arrive(c.mode, c.hosts); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, %s: %+v, want %+v", c.mode, c.hosts, got, c.want)
		}
	}
}
