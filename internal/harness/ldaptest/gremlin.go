package ldaptest

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
)

// Gremlin is a directory that fails as the test wants it to.
type Gremlin struct {
	URL   string
	Binds atomic.Int64 // that came
	Open  atomic.Int64 // connections

	// Answer returns what is said to a request, in the order; nil: nothing ever is. Op is
	// the tag of the request. An answer that is nil hangs up.
	Answer func(op ber.Tag, id int64, request *ber.Packet) [][]byte
}

// Operations of LDAP (RFC 4511), by tag.
const (
	Bind     ber.Tag = 0
	Search   ber.Tag = 3
	Extended ber.Tag = 23
)

// StartGremlin runs one until the test ends.
func StartGremlin(t testing.TB, answer func(op ber.Tag, id int64, request *ber.Packet) [][]byte) *Gremlin {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	g := &Gremlin{URL: "ldap://" + l.Addr().String(), Answer: answer}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go g.serve(conn)
		}
	}()
	return g
}

func (g *Gremlin) serve(conn net.Conn) {
	g.Open.Add(1)
	defer g.Open.Add(-1)
	defer conn.Close()
	for {
		packet, err := ber.ReadPacket(conn)
		if err != nil || len(packet.Children) < 2 {
			return
		}
		id, _ := packet.Children[0].Value.(int64)
		op := packet.Children[1]
		if op.Tag == Bind {
			g.Binds.Add(1)
		}
		answers := g.Answer(op.Tag, id, op)
		if answers == nil && op.Tag != 2 { // unbind
			time.Sleep(time.Minute)
		}
		for _, answer := range answers {
			if _, err := conn.Write(answer); err != nil || answer == nil {
				return
			}
		}
	}
}

// Result is an answer that ends an operation: a code, and a text.
func Result(id int64, op ber.Tag, code int, text string) []byte {
	return message(id, op, ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, code, ""),
		octets(""), octets(text))
}

// Entry is an entry that a search found, with attributes of one value each.
func Entry(id int64, dn string, attributes map[string]string) []byte {
	list := ber.NewSequence("")
	for name, value := range attributes {
		set := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSet, nil, "")
		set.AppendChild(octets(value))
		one := ber.NewSequence("")
		one.AppendChild(octets(name))
		one.AppendChild(set)
		list.AppendChild(one)
	}
	return message(id, 4, octets(dn), list)
}

// Reference is a continuation reference to another directory.
func Reference(id int64, url string) []byte { return message(id, 19, octets(url)) }

func octets(text string) *ber.Packet {
	return ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, text, "")
}

func message(id int64, op ber.Tag, parts ...*ber.Packet) []byte {
	packet := ber.NewSequence("")
	packet.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, id, ""))
	body := ber.Encode(ber.ClassApplication, ber.TypeConstructed, op, nil, "")
	for _, part := range parts {
		body.AppendChild(part)
	}
	packet.AppendChild(body)
	return packet.Bytes()
}
