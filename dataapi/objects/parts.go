package objects

import (
	"github.com/portico-id/portico/storage/blobstore"
)

// partsAnswer says that an upload can't be completed as it is. It comes with the
// status 200, as existing clients expect (decision X3).
type partsAnswer struct {
	UploadKey string       `json:"uploadKey"`
	Status    string       `json:"status"`
	Reason    string       `json:"reason"`
	Size      sizeAnswer   `json:"size"`
	Parts     []partAnswer `json:"parts"`
}

type sizeAnswer struct {
	Expected *int64 `json:"expected,omitempty"`
	Detected int64  `json:"detected"`
}

// What is to be said of a part.
const (
	partOK                 = "Ok"
	partPending            = "Pending"    // it has not come
	partUnexpected         = "Unexpected" // it is none of those named, or has other bytes
	partTooSmall           = "TooSmall"   // it is not the last, and below blobstore.MinPart
	partUnexpectedTooSmall = "Unexpected+TooSmall"
)

// judge returns what is wrong with the parts that have come, nil when nothing
// is. They must be numbered from 1 on; where the client has named their tags,
// these and no others.
func judge(came []blobstore.Part, said completion) *partsAnswer {
	last := len(said.ETags)
	byNumber := map[int]blobstore.Part{}
	for _, part := range came {
		byNumber[part.Number] = part
		last = max(last, part.Number)
	}
	answer := sizeDiffers(said, totalOf(came))
	fine := len(came) > 0
	for number := 1; number <= last; number++ {
		part, there := byNumber[number]
		status := judgePart(part, there, number, last, said.ETags)
		fine = fine && status == partOK
		answer.Parts = append(answer.Parts, partAnswer{Part: number, Size: part.Size, ETag: part.ETag, Status: status})
	}
	if fine && (said.Size == nil || *said.Size == answer.Size.Detected) {
		return nil
	}
	return answer
}

func judgePart(part blobstore.Part, there bool, number, last int, tags []string) string {
	if !there {
		return partPending
	}
	unexpected := len(tags) > 0 && (number > len(tags) || tags[number-1] != part.ETag)
	tooSmall := number < last && part.Size < blobstore.MinPart
	switch {
	case unexpected && tooSmall:
		return partUnexpectedTooSmall
	case unexpected:
		return partUnexpected
	case tooSmall:
		return partTooSmall
	}
	return partOK
}

// sizeDiffers answers that the whole has another size than the client says.
func sizeDiffers(said completion, detected int64) *partsAnswer {
	return &partsAnswer{
		UploadKey: said.UploadKey, Status: "error", Reason: "MissingOrInvalidParts",
		Size: sizeAnswer{said.Size, detected}, Parts: []partAnswer{},
	}
}
