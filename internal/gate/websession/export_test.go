package websession

// KeyOf names a form in the store.
var KeyOf = keyOf
