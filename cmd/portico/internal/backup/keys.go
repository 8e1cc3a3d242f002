package backup

import (
	"os"
	"strings"

	"filippo.io/age"
)

// Recipients reads for whom a snapshot is encrypted: public keys of age, or files with
// such, one a line.
func Recipients(given []string) ([]age.Recipient, error) {
	var all []age.Recipient
	for _, one := range given {
		text := one
		if !strings.HasPrefix(one, "age1") {
			content, err := os.ReadFile(one)
			if err != nil {
				return nil, err
			}
			text = string(content)
		}
		found, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Identities reads files with private keys, as age-keygen makes them.
func Identities(files []string) ([]age.Identity, error) {
	var all []age.Identity
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		found, err := age.ParseIdentities(file)
		_ = file.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
