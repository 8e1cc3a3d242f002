package archive

import (
	"encoding/binary"
	"math"
	"time"
)

// Records of the format (APPNOTE.TXT 6.3): numbers are little-endian.
const (
	localMark   = 0x04034b50
	centralMark = 0x02014b50
	endMark     = 0x06054b50
	end64Mark   = 0x06064b50
	locatorMark = 0x07064b50

	localFixed   = 30
	centralFixed = 46
	timeExtra    = 9  // 0x5455: seconds since 1970, which no time zone spoils
	localExtra64 = 20 // 0x0001 of a local header always has both sizes

	inUTF8   = 1 << 11
	byUnix   = 3 << 8
	aFile    = 0o100644 << 16
	aFolder  = 0o040755<<16 | 0x10
	plain    = 20 // the version that is needed to read it: 2.0
	larger   = 45 // 4.5, of what ZIP64 extends
	fits16   = math.MaxUint16
	fits32   = math.MaxUint32
	stored   = 0 // the method of bytes as they are
	end64    = 56
	locator  = 20
	endFixed = 22
)

// entry is a file in an archive, or an empty folder, whose path ends in a slash.
type entry struct {
	Path  string `json:"p"`
	Size  int64  `json:"s,omitempty"`
	CRC32 uint32 `json:"c,omitempty"`
	Time  int64  `json:"t,omitempty"` // Unix seconds
	Blob  string `json:"b,omitempty"` // where the bytes are; empty: Text
	Text  []byte `json:"x,omitempty"`

	Folder string `json:"f,omitempty"` // uid of an empty folder
	Item   string `json:"i,omitempty"` // uid of a file's item
}

func (e entry) large() bool    { return e.Size >= fits32 }
func (e entry) isFolder() bool { return e.Path[len(e.Path)-1] == '/' }

// head is how long the local header is.
func (e entry) head() int64 {
	n := localFixed + len(e.Path) + timeExtra
	if e.large() {
		n += localExtra64
	}
	return int64(n)
}

// length is that of header and bytes.
func (e entry) length() int64 { return e.head() + e.Size }

// line is how long the entry's record in the directory is.
func (e entry) line(offset int64) int64 {
	return int64(centralFixed + len(e.Path) + timeExtra + len(e.extra64(offset)))
}

// local returns the header that comes before the bytes.
func (e entry) local() []byte {
	var extra []byte
	if e.large() {
		extra = little(nil, uint16(1), uint16(16), e.Size, e.Size)
	}
	b := little(nil, uint32(localMark), e.needs(e.large()))
	b = e.common(b, len(extra))
	b = append(b, e.Path...)
	return append(e.when(b), extra...)
}

// central returns the record in the directory of what begins at an offset.
func (e entry) central(offset int64) []byte {
	extra := e.extra64(offset)
	mode := uint32(aFile)
	if e.isFolder() {
		mode = aFolder
	}
	needs := e.needs(len(extra) > 0)
	b := little(nil, uint32(centralMark), byUnix|needs, needs)
	b = e.common(b, len(extra))
	b = little(b, uint16(0), uint16(0), uint16(0), mode, at32(offset)) // no comment, disk 0, no attributes within
	b = append(b, e.Path...)
	return append(e.when(b), extra...)
}

// common are the fields that both have, from the flags to the length of what is extra.
func (e entry) common(b []byte, extra int) []byte {
	date, clock := dosTime(e.Time)
	return little(b, uint16(inUTF8), uint16(stored), clock, date, e.CRC32, at32(e.Size), at32(e.Size),
		uint16(len(e.Path)), uint16(timeExtra+extra))
}

func (e entry) when(b []byte) []byte {
	return little(b, uint16(0x5455), uint16(5), uint8(1), uint32(e.Time))
}

// extra64 are the sizes and the offset that do not fit into the record, and only
// those: some programs take more for a fault.
func (e entry) extra64(offset int64) []byte {
	var b []byte
	if e.large() {
		b = little(b, e.Size, e.Size)
	}
	if offset >= fits32 {
		b = little(b, offset)
	}
	if len(b) == 0 {
		return nil
	}
	return append(little(nil, uint16(1), uint16(len(b))), b...)
}

func (e entry) needs(zip64 bool) uint16 {
	if zip64 {
		return larger
	}
	return plain
}

// endRecords close an archive of so many entries, whose directory begins at an
// offset and has a length.
func endRecords(entries, central, length int64) []byte {
	var b []byte
	if endLength(entries, central) > endFixed {
		b = little(b, uint32(end64Mark), int64(end64-12), uint16(byUnix|larger), uint16(larger), uint32(0), uint32(0),
			entries, entries, length, central)
		b = little(b, uint32(locatorMark), uint32(0), central+length, uint32(1))
	}
	count := uint16(min(entries, fits16))
	return little(b, uint32(endMark), uint16(0), uint16(0), count, count, at32(length), at32(central), uint16(0))
}

// endLength is that of endRecords. No directory is too long for the old record:
// maxEntries keeps it below that.
func endLength(entries, central int64) int64 {
	if entries >= fits16 || central >= fits32 {
		return end64 + locator + endFixed
	}
	return endFixed
}

func at32(n int64) uint32 { return uint32(min(n, fits32)) }

// dosTime is a time as MS-DOS wrote it, from 1980 to 2107 in steps of two
// seconds; it says no zone, so ours is UTC.
func dosTime(unix int64) (date, clock uint16) {
	t := time.Unix(unix, 0).UTC()
	year := min(max(t.Year(), 1980), 2107) - 1980
	return uint16(year<<9 | int(t.Month())<<5 | t.Day()), uint16(t.Hour()<<11 | t.Minute()<<5 | t.Second()/2)
}

func little(b []byte, values ...any) []byte {
	for _, value := range values {
		switch v := value.(type) {
		case uint8:
			b = append(b, v)
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case int64:
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	return b
}
