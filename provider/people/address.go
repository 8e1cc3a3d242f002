package people

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// AskAddress has links mailed by which the user shows that the new address is
// theirs, and that they want to leave the one until now, if that was verified:
// one that nobody reads can't hold anybody. A later change voids them, and so does
// a new password. Nobody learns here whether another has the address. Invalid for
// what is no address, and for the one that they have; Conflict (storage.ReasonManaged)
// where it is their company's to say.
func (p *People) AskAddress(ctx context.Context, act storage.Act, user storage.User, address string) error {
	to, err := CheckAddress(address)
	if err != nil {
		return err
	}
	if strings.EqualFold(to, user.Email) {
		return fault.New(fault.Invalid, ReasonField, "This is your address already.").At(FieldEmail)
	}
	owner, owned, err := p.Owner(ctx, user.ID)
	if owned {
		err = fault.Newf(fault.Conflict, storage.ReasonManaged, "This comes from %s and is changed there.",
			owner.Name).At(FieldEmail)
	}
	if err != nil {
		return err
	}
	act, link := p.addressLink(act, user, storage.LinkAddressNew, to, to, templates.LetterAddressNew)
	if !user.EmailVerified {
		return p.store.CreateOneTimeLink(ctx, act, link)
	}
	act, other := p.addressLink(act, user, storage.LinkAddressOld, user.Email, to, templates.LetterAddressOld)
	return p.store.CreateOneTimeLink(ctx, act, link, other)
}

// addressLink makes a link of the purpose for a change to the address, and puts
// the mail with it into the act.
func (p *People) addressLink(act storage.Act, user storage.User, purpose storage.LinkPurpose, to, address,
	kind string) (storage.Act, storage.OneTimeLink) {
	link := Link{Token: p.ambient.Token(), Until: act.At.Add(AddressLinkLife)}
	act = p.mailed(act, user, to, templates.Letter{
		Kind: kind, Email: address, URL: p.baseURL + linkAction(addressPath, link.Token), Until: link.Until,
	})
	return act, storage.OneTimeLink{Hash: hashOf(link.Token), Purpose: purpose, UserID: user.ID,
		ExpiresAt: link.Until, Email: address}
}

// AddressLink returns what a link for a change of address is about, and whose it
// is, or Gone (ReasonLinkOver).
func (p *People) AddressLink(ctx context.Context, token string,
	act storage.Act) (storage.OneTimeLink, storage.User, error) {
	link, err := p.store.FindOneTimeLink(ctx, hashOf(token), storage.LinkAddressNew, act.At)
	if fault.Is(err, fault.NotFound) {
		link, err = p.store.FindOneTimeLink(ctx, hashOf(token), storage.LinkAddressOld, act.At)
	}
	if err != nil {
		return link, storage.User{}, linkOver(err)
	}
	user, err := p.store.FindUser(ctx, link.UserID)
	if err == nil && user.Disabled {
		err = fault.New(fault.NotFound, "", "")
	}
	return link, user, linkOver(err)
}

// ConfirmAddress spends a link for a change of address. The change is made with
// the last one, and the former address is told. Gone (ReasonLinkOver); Conflict
// (storage.ReasonEmailTaken).
func (p *People) ConfirmAddress(ctx context.Context, act storage.Act, token string) (done bool, err error) {
	link, user, err := p.AddressLink(ctx, token, act)
	if err != nil {
		return false, err
	}
	act.Actor = storage.Actor{Kind: storage.ActorUser, ID: user.ID}
	act = p.mailed(act, user, user.Email, templates.Letter{Kind: templates.LetterAddressChanged, Email: link.Email})
	done, err = p.store.ConfirmAddress(ctx, act, hashOf(token))
	user.Email = link.Email
	return done, linkOver(named(err, user))
}
