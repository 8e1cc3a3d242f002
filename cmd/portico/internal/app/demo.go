package app

import (
	"context"
	"io"

	"github.com/portico-id/portico/cmd/portico/internal/demo"
	"github.com/portico-id/portico/dataapi/transmittal"
)

// prepareDemo has the demo be there, and tells of it.
func (a *App) prepareDemo(ctx context.Context, dataDir string, out io.Writer) error {
	return demo.Prepare(ctx, demo.Options{
		Store: a.parts.Store, Data: a.parts.Administration(), Files: a.parts.desks.files.filing,
		People: a.parts.People(), Apps: a.parts.Apps(), Ambient: a.parts.Ambient,
		Sent: demoSent(a.parts), Twins: a.parts.Facilities(), Papers: a.parts.twins,
		URL: a.URL(), DataDir: dataDir, Out: out,
	})
}

// demoSent sends without mails: nobody has the addresses of the demo.
func demoSent(p *parts) *transmittal.Rules {
	return transmittal.New(transmittal.Options{Store: p.Store, Rights: p.finder, People: p.Administration(),
		Ambient: p.Ambient})
}
