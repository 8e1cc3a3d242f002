// Package portrait says in which sizes a person's picture is there, and where.
//
// It draws nothing (package people does) and knows no person. Start at Adorned.
package portrait

import (
	"strconv"
	"strings"

	"github.com/portico-id/portico/storage"
)

// Sides returns the widths and heights of thumbnails, in pixels (S1 section 2.9);
// the last is the picture.
func Sides() []int { return []int{20, 40, 50, 58, 80, 120, 160, 176, 240, 360} }

// Largest is the side of the picture that is none of the small ones.
func Largest() int { return Sides()[len(Sides())-1] }

const (
	folder = "/portraits/"
	size   = "sizeX"
	ending = ".jpg"
)

// Template is the path of a portrait in a size, with the variables hash and size.
const Template = folder + "{hash}/{size}"

// Path returns the path of the portrait with the hash; empty for an empty one.
func Path(hash string, side int) string {
	if hash == "" {
		return ""
	}
	return folder + hash + "/" + size + strconv.Itoa(side) + ending
}

// Side reads the end of a path; 0 when it is none.
func Side(text string) int {
	digits, sized := strings.CutPrefix(text, size)
	digits, jpeg := strings.CutSuffix(digits, ending)
	side, err := strconv.Atoi(digits)
	if !sized || !jpeg || err != nil {
		return 0
	}
	return side
}

// Adorned returns the user with the addresses of the picture that they gave us,
// where there is one, in place of those that their profile has.
func Adorned(user storage.User, baseURL string) storage.User {
	if user.Portrait == "" {
		return user
	}
	user.Profile.PictureURL = baseURL + Path(user.Portrait, Largest())
	user.Profile.Thumbnails = map[string]string{}
	for _, side := range Sides() {
		user.Profile.Thumbnails[size+strconv.Itoa(side)] = baseURL + Path(user.Portrait, side)
	}
	return user
}
