package storage

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
)

// CrowdSize is up to how many people are counted one by one.
const CrowdSize = 1024

// Crowd tells how many different people there were without saying who. Each leaves a mark,
// 32 bits of a hash under a key; of all marks the smallest CrowdSize are kept. As long as
// there is room these are all, and beyond it the largest of them tells how densely marks
// lie, with an error of some three in a hundred (KMV; Bar-Yossef et al., 2002). Crowds of
// several servers are one crowd.
type Crowd []uint32 // ascending, each once

// Met returns the crowd and the marks of others.
func (c Crowd) Met(others ...uint32) Crowd {
	all := slices.Concat(c, others)
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), CrowdSize)]
}

// People is how many there were.
func (c Crowd) People() int64 {
	if len(c) < CrowdSize {
		return int64(len(c))
	}
	return max(CrowdSize, int64(float64(CrowdSize-1)*(1<<32)/(float64(c[CrowdSize-1])+1)))
}

// String is the crowd as it is kept.
func (c Crowd) String() string {
	b := make([]byte, 0, 4*len(c))
	for _, mark := range c {
		b = binary.BigEndian.AppendUint32(b, mark)
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// ParseCrowd reads what String wrote.
func ParseCrowd(text string) (Crowd, error) {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(b)%4 != 0 {
		return nil, errors.Join(errors.New("a crowd of people can't be read"), err)
	}
	c := make(Crowd, 0, len(b)/4)
	for ; len(b) > 0; b = b[4:] {
		c = append(c, binary.BigEndian.Uint32(b))
	}
	return c, nil
}
