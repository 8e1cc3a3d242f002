package people

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// AuditKinds are the kinds of events in the trail, in order.
func AuditKinds() []string {
	return []string{
		"assertion.refused", "backup.made", "brand.set", "client.access_given", "client.access_taken",
		"client.created", "client.deleted", "client.disabled", "client.enabled", "client.handed_over",
		"client.invitation_declined", "client.invitation_withdrawn", "client.logo_deleted", "client.logo_set",
		"client.member_added", "client.member_invited", "client.member_removed", "client.secret_added",
		"client.secret_deleted", "client.updated", "code.reuse_detected", "code.verifier_failed", "consent.denied",
		"consent.granted", "consent.withdrawn", "device.allowed", "device.denied", "directory.walk_failed",
		"directory.walk_stopped", "grant.caught_up", "grant.reuse_detected", "grant.revoked",
		"initial_token.created", "initial_token.ended", "link.created", "mail.resent", "mail.tested",
		"object.infected", "policy.set", "resource.created", "resource.deleted", "resource.disabled",
		"resource.enabled", "resource.updated", "scim.connection_created", "scim.connection_deleted",
		"scim.connection_updated", "scim.members_changed", "scim.token_created", "scim.token_ended",
		"scim.user_hidden", "scim.user_taken_over", "server.set_up", "service_account.created",
		"service_account.deactivated", "service_account.deleted", "service_account.disabled",
		"service_account.enabled", "service_account.key_created", "service_account.key_deleted",
		"service_account.key_disabled", "service_account.key_enabled", "session.ended", "signing_key.added",
		"signing_key.deleted", "signing_key.promoted", "token.exchanged", "token.revoked", "upstream.created",
		"upstream.deleted", "upstream.disabled", "upstream.enabled", "upstream.groups_set", "upstream.updated",
		"user.address_changed", "user.claimed", "user.created", "user.deleted", "user.demoted", "user.disabled",
		"user.enabled", "user.factor_added", "user.factor_refused", "user.factor_removed", "user.identity_ended",
		"user.identity_linked", "user.identity_unlinked", "user.invited", "user.password_set",
		"user.portrait_deleted", "user.portrait_set", "user.promoted", "user.recovery_asked",
		"user.recovery_code_used", "user.recovery_codes_made", "user.sign_in_failed", "user.sign_up_asked",
		"user.signed_in", "user.signed_out_everywhere", "user.signed_out_upstream", "user.updated",
		"user_group.created", "user_group.deleted", "user_group.member_added", "user_group.member_removed",
		"user_group.updated",
	}
}

func kindOptions() []templates.Option {
	var all []templates.Option
	for _, kind := range AuditKinds() {
		all = append(all, templates.Option{Value: kind})
	}
	return all
}

// called is what a page of the trail tells of, by id.
type called map[string]storage.Called

// calledIn looks up what the events tell of.
func (p *People) calledIn(ctx context.Context, events []storage.AuditEvent) (called, error) {
	known, ids := called{}, []string{}
	for _, e := range events {
		for _, id := range []string{e.Act.Actor.ID, e.Subject} {
			if _, there := known[id]; id != "" && !there {
				known[id] = storage.Called{}
				ids = append(ids, id)
			}
		}
	}
	found, err := p.store.ListCalled(ctx, ids)
	for _, one := range found {
		known[one.ID] = one
	}
	return known, err
}

// pagesOf are the pages of what has one.
var pagesOf = map[storage.CalledKind]string{
	storage.CalledUser: "/admin/users/", storage.CalledClient: "/admin/apps/", storage.CalledGroup: "/admin/groups/",
}

func (c called) name(id string) templates.AuditName {
	one, name := c[id], templates.AuditName{ID: id}
	name.Name = one.Name
	if path := pagesOf[one.Kind]; path != "" {
		name.URL = path + id
	}
	return name
}
