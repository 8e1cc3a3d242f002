package serviceaccounts

// KeysReady returns how many key pairs are made ahead at the moment.
func (a *Accounts) KeysReady() int { return len(a.keys.ready) }

// KeyStaleness is how long another replica may go by what a key was.
const KeyStaleness = keyStaleness
