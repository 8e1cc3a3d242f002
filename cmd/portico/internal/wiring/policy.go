package wiring

import "github.com/portico-id/portico/provider/policy"

func (p *Parts) newPolicy() *policy.Policy {
	return policy.New(p.Store, p.Ambient, policy.Decisions{
		policy.SecondFactor: p.Config.SecondFactor, policy.RegisterApps: p.Config.RegisterApps,
		policy.AppsPerPerson: p.Config.AppsPerPerson,
	})
}
