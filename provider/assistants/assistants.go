// Package assistants is the page that tells people how an assistant reads for them: the
// address that they give it, what they do there, and what it sees. What assistants read is
// elsewhere (dataapi/mcp), and how they register themselves, too (provider/registration).
// Start at New.
package assistants

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Path is where the page is.
const Path = "/account/assistants"

// Options are what Pages are made of. Every field is needed.
type Options struct {
	Address  string        // where assistants read; empty: nowhere
	Mode     func() string // who may register themselves, in the words of the policy
	Hosts    func() string // whose documents describe clients, likewise
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Pages is the page.
type Pages struct {
	with Options
	gate *websession.Gate
}

// New returns the page.
func New(o Options) *Pages { return &Pages{o, o.Sessions.Gate(o.Web.Error)} }

// Routes are the page.
func (p *Pages) Routes() []httpio.Route {
	return []httpio.Route{httpio.At(Path).Get(p.gate.Show(p.show))}
}

func (p *Pages) show(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	view := templates.AssistantsPage{Desk: webpage.Desk(r, "", nil), Address: p.with.Address,
		Back:   templates.Link{URL: "/", Text: texts.Say("parts.your-account")},
		Arrive: arrive(p.with.Mode(), p.with.Hosts()),
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Assistants(out, view) })
}

// The words of the policy that are looked for.
const (
	closed, byToken, open = "closed", "token", "open" // who may register themselves
	off, all              = "off", "all"              // whose documents count, where it is no hosts
)

// arrive says how an assistant is known here.
func arrive(mode, hosts string) []texts.Text {
	known := map[string]texts.Text{
		closed:  texts.Say("assistants.arrive-closed"),
		byToken: texts.Say("assistants.arrive-token"),
		open:    texts.Say("assistants.arrive-open"),
	}[mode]
	words := slices.DeleteFunc(strings.Fields(hosts), func(one string) bool { return strings.HasPrefix(one, "-") })
	if mode == open || len(words) == 0 || words[0] == off {
		return []texts.Text{known}
	}
	published := texts.Say("assistants.published-hosts", "Hosts", strings.Join(words, ", "))
	if words[0] == all {
		published = texts.Say("assistants.published-all")
	}
	others := map[string]texts.Text{
		closed:  texts.Say("assistants.others-closed"),
		byToken: texts.Say("assistants.others-token"),
	}[mode]
	return []texts.Text{published, others}
}
