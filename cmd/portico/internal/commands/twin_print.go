package commands

import (
	"strconv"

	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/storage"
)

func (e *Env) printTwin(asJSON bool, rules *facilities.Rules, f storage.Facility) error {
	if asJSON {
		return e.printJSON(rules.TwinJSON(f))
	}
	e.printRows([]row{{"id", rules.TwinURN(f.ID)}, {"hub", f.HubID}, {"name", f.Name}, {"created", moment(f.CreatedAt)}})
	return nil
}

func (e *Env) printTwins(asJSON bool, rules *facilities.Rules, twins []storage.Facility) error {
	return printList(e, asJSON, "twins", "ID NAME", twins, rules.TwinJSON, func(f storage.Facility) []string {
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

func (e *Env) printTwinModel(asJSON bool, rules *facilities.Rules, m storage.TwinModel) error {
	if asJSON {
		return e.printJSON(rules.ModelJSON(m))
	}
	e.printRows([]row{{"id", rules.ModelURN(m.ID)}, {"label", m.Label}, {"default", yesNo(m.Default)}})
	return nil
}

func (e *Env) printTwinModels(asJSON bool, rules *facilities.Rules, models []storage.TwinModel) error {
	return printList(e, asJSON, "models", "ID DEFAULT LABEL", models, rules.ModelJSON, func(m storage.TwinModel) []string {
		return []string{rules.ModelURN(m.ID), yesNo(m.Default), m.Label}
	})
}

func (e *Env) printImported(asJSON bool, done facilities.Imported) error {
	if asJSON {
		return e.printJSON(facilities.ImportedJSON(done))
	}
	e.printRows([]row{
		{"elements", strconv.Itoa(done.Elements)}, {"values", strconv.Itoa(done.Values)},
		{"mutation", strconv.FormatInt(done.Mutation, 10)},
	})
	return nil
}
