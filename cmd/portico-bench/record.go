package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// tolerated is how much more than recorded a request may cost: what lies between two
// runs of one build on a machine that others use too.
const tolerated = 1.15

// costs returns what each kind of request costs the first server, in signatures.
func (r *results) costs(server string) map[string]float64 {
	all := map[string]float64{}
	for of, f := range r.rows {
		if of.server == server && !strings.HasPrefix(of.request, yardstickMark) {
			_, all[of.request], _ = spread(f.costs)
		}
	}
	return all
}

// record writes the costs for those that come after.
func record(file string, costs map[string]float64) error {
	raw, err := json.MarshalIndent(costs, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(raw, '\n'), 0o600)
}

// check returns an error that names every request that costs more than was recorded, and
// every one that was not measured.
func check(file string, costs map[string]float64) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var recorded map[string]float64
	if err := json.Unmarshal(raw, &recorded); err != nil {
		return err
	}
	var failures []error
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		was := recorded[name]
		switch is, ok := costs[name]; {
		case !ok:
			failures = append(failures, fmt.Errorf("%s was not measured", name))
		case is > was*tolerated:
			failures = append(failures, fmt.Errorf("%s costs %.3f signatures, %.2f of the recorded %.3f", name, is, is/was, was))
		}
	}
	return errors.Join(failures...)
}
