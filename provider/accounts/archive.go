package accounts

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"

	"github.com/portico-id/portico/provider/portrait"
	"github.com/portico-id/portico/storage"
)

// Archive writes all that there is of the person as one ZIP file, as it reads it:
// it is never held as a whole. What was cut off is no ZIP file.
func (a *Accounts) Archive(ctx context.Context, out io.Writer, user storage.User) error {
	archive := zip.NewWriter(out)
	for _, section := range append(a.with.Sections, a.sections()...) {
		file, err := a.file(archive, section.File)
		if err != nil {
			return err
		}
		if err := tellAll(ctx, file, user, section); err != nil {
			return err
		}
	}
	if err := a.addPortrait(ctx, archive, user); err != nil {
		return err
	}
	return archive.Close()
}

func (a *Accounts) file(archive *zip.Writer, name string) (io.Writer, error) {
	return archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.with.Ambient.Now()})
}

func tellAll(ctx context.Context, file io.Writer, user storage.User, section Section) error {
	encoder, before := json.NewEncoder(file), "[\n"
	err := section.Tell(ctx, user, func(one any) error {
		if _, err := io.WriteString(file, before); err != nil {
			return err
		}
		before = ","
		return encoder.Encode(one)
	})
	if err != nil {
		return err
	}
	if before == "," {
		before = ""
	}
	_, err = io.WriteString(file, before+"]\n")
	return err
}

func (a *Accounts) addPortrait(ctx context.Context, archive *zip.Writer, user storage.User) error {
	if user.Portrait == "" {
		return nil
	}
	picture, err := a.with.Store.FindPortrait(ctx, user.Portrait, portrait.Largest())
	if err != nil {
		return err
	}
	file, err := a.file(archive, "portrait.jpg")
	if err == nil {
		_, err = file.Write(picture)
	}
	return err
}

// sections are what is known here.
func (a *Accounts) sections() []Section {
	return []Section{
		{"apps-with-access.json", a.tellConnections},
		{"connected-accounts.json", a.tellIdentities},
		{"second-factors.json", a.tellFactors},
		{"security-events.json", pages(a.Events, newEventJSON)},
		{"my-apps.json", a.tellManaged},
		{"memberships.json", pages(a.with.Store.ListMemberships, newMembershipJSON)},
		{"added-versions.json", pages(a.with.Store.ListAddedVersions, newAddedVersionJSON)},
		{"transmittals.json", pages(a.with.Store.ListOwnTransmittals, newOwnTransmittalJSON)},
	}
}

func (a *Accounts) tellConnections(ctx context.Context, user storage.User, tell func(any) error) error {
	all, err := a.List(ctx, user.ID)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := tell(newConnectionJSON(c)); err != nil {
			return err
		}
	}
	return nil
}

// tellIdentities tells by what upstreams and directories know the person.
func (a *Accounts) tellIdentities(ctx context.Context, user storage.User, tell func(any) error) error {
	all, err := a.with.Store.ListIdentities(ctx, user.ID)
	for _, one := range all {
		if err == nil {
			err = tell(newIdentityJSON(one))
		}
	}
	return err
}

// tellFactors tells what the person proves themselves with beside a password, and nothing
// that others could do so with.
func (a *Accounts) tellFactors(ctx context.Context, user storage.User, tell func(any) error) error {
	mine, err := a.with.Store.FindFactors(ctx, user.ID)
	if err == nil && mine.Authenticator.UserID != "" {
		err = tell(factorJSON{Kind: "authenticator", AddedAt: mine.Authenticator.CreatedAt})
	}
	for _, one := range mine.Passkeys {
		if err == nil {
			err = tell(factorJSON{"passkey", one.Label, one.CreatedAt, orNull(one.LastUsedAt)})
		}
	}
	return err
}

func (a *Accounts) tellManaged(ctx context.Context, user storage.User, tell func(any) error) error {
	return a.eachClient(ctx, storage.ClientFilter{Manager: user.ID},
		func(c storage.Client) error { return tell(newOwnAppJSON(c)) })
}

// pages tells a list page after page.
func pages[T, J any](list func(context.Context, string, storage.PageRequest) ([]T, string, error),
	toJSON func(T) J) func(context.Context, storage.User, func(any) error) error {
	return func(ctx context.Context, user storage.User, tell func(any) error) error {
		for after, more := "", true; more; {
			rows, next, err := list(ctx, user.ID, storage.PageRequest{After: after})
			if err != nil {
				return err
			}
			for _, row := range rows {
				if err := tell(toJSON(row)); err != nil {
					return err
				}
			}
			after, more = next, next != ""
		}
		return nil
	}
}
