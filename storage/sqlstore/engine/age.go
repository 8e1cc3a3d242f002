package engine

// Age grows with whatever may have changed what somebody read before: each act of this
// process that writes by other statements than the hot ones, whose rooms declare as hot
// only what ends and narrows nothing; each notice of others, where there are any; and on
// SQLite, where there are none, whatever anybody has written to the file. It has grown
// when an act of this process returns. Who remembers what they read, and at which age before they read
// it, must forget it when the age is another.
func (d *DB) Age() uint64 {
	if d.log != nil {
		d.log.look(d.grow)
	}
	return d.grown.Load()
}

func (d *DB) grow() { d.grown.Add(1) }

// age notes that the transaction makes the database older, unless its statement only reads
// or is a hot one.
func (t Tx) age(query string) {
	if !*t.aging && !t.handle.hot.has(query) && verbOf(query) != "SELECT" {
		*t.aging = true
	}
}
