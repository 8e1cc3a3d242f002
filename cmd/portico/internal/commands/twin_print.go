package commands

import (
	"strconv"
	"time"

	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/storage"
)

type twinJSON struct {
	ID        string    `json:"id"`
	HubID     string    `json:"hub_id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

func toTwinJSON(rules *facilities.Rules) func(storage.Facility) twinJSON {
	return func(f storage.Facility) twinJSON {
		return twinJSON{rules.TwinURN(f.ID), f.HubID, f.Name, f.CreatedAt}
	}
}

func (e *Env) printTwin(asJSON bool, rules *facilities.Rules, f storage.Facility) error {
	if asJSON {
		return e.printJSON(toTwinJSON(rules)(f))
	}
	e.printRows([]row{{"id", rules.TwinURN(f.ID)}, {"hub", f.HubID}, {"name", f.Name}, {"created", moment(f.CreatedAt)}})
	return nil
}

func (e *Env) printTwins(asJSON bool, rules *facilities.Rules, twins []storage.Facility) error {
	return printList(e, asJSON, "twins", "ID NAME", twins, toTwinJSON(rules), func(f storage.Facility) []string {
		return []string{rules.TwinURN(f.ID), f.Name}
	})
}

type twinMemberJSON struct {
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	Access string `json:"access"`
}

func (e *Env) printTwinMember(asJSON bool, userID string, access storage.TwinAccess) error {
	name := facilities.AccessName(access)
	if asJSON {
		return e.printJSON(twinMemberJSON{ID: userID, Access: name})
	}
	e.printRows([]row{{"id", userID}, {"access", name}})
	return nil
}

func (e *Env) printTwinMembers(asJSON bool, members []facilities.Member) error {
	toJSON := func(m facilities.Member) twinMemberJSON {
		return twinMemberJSON{m.UserID, m.Name, facilities.AccessName(m.Access)}
	}
	return printList(e, asJSON, "members", "ID ACCESS NAME", members, toJSON, func(m facilities.Member) []string {
		return []string{m.UserID, facilities.AccessName(m.Access), m.Name}
	})
}

type twinModelJSON struct {
	ID      string `json:"id"`
	Label   string `json:"label"`
	Default bool   `json:"default"`
}

func toTwinModelJSON(rules *facilities.Rules) func(storage.TwinModel) twinModelJSON {
	return func(m storage.TwinModel) twinModelJSON {
		return twinModelJSON{rules.ModelURN(m.ID), m.Label, m.Default}
	}
}

func (e *Env) printTwinModel(asJSON bool, rules *facilities.Rules, m storage.TwinModel) error {
	if asJSON {
		return e.printJSON(toTwinModelJSON(rules)(m))
	}
	e.printRows([]row{{"id", rules.ModelURN(m.ID)}, {"label", m.Label}, {"default", yesNo(m.Default)}})
	return nil
}

func (e *Env) printTwinModels(asJSON bool, rules *facilities.Rules, models []storage.TwinModel) error {
	return printList(e, asJSON, "models", "ID DEFAULT LABEL", models, toTwinModelJSON(rules), func(m storage.TwinModel) []string {
		return []string{rules.ModelURN(m.ID), yesNo(m.Default), m.Label}
	})
}

type importedJSON struct {
	Elements int   `json:"elements"`
	Values   int   `json:"values"`
	Mutation int64 `json:"mutation"`
}

func (e *Env) printImported(asJSON bool, done facilities.Imported) error {
	if asJSON {
		return e.printJSON(importedJSON(done))
	}
	e.printRows([]row{
		{"elements", strconv.Itoa(done.Elements)}, {"values", strconv.Itoa(done.Values)}, {"mutation", strconv.FormatInt(done.Mutation, 10)},
	})
	return nil
}
