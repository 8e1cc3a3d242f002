package upstreams

import (
	"context"
	"net/http"
	"strconv"

	"github.com/portico-id/portico/storage"
)

// gitHubPerson returns whose the access token is.
func (r *remote) gitHubPerson(ctx context.Context, upstream storage.Upstream, config Config,
	access string) (proof, error) {
	header := http.Header{"Authorization": {"Bearer " + access}, "Accept": {"application/vnd.github+json"}}
	api := gitHubAPI(config.Issuer)
	var user struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
		Name  string `json:"name"`
	}
	if err := r.get(ctx, api+"/user", header, &user); err != nil {
		return proof{}, err
	}
	if user.ID == 0 {
		return proof{}, causeSubject
	}
	var addresses []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}
	if err := r.get(ctx, api+"/user/emails", header, &addresses); err != nil {
		return proof{}, err
	}
	said := proof{upstream: upstream, config: config, issuer: config.Issuer, subject: strconv.FormatInt(user.ID, 10),
		acr: storage.ACRPassword}
	said.Name = user.Name
	for _, one := range addresses {
		if one.Primary && one.Verified {
			said.Email, said.verified = one.Email, config.Trust
		}
	}
	return said, nil
}

// GitHub is OAuth alone: who it is comes from its API, by a number that stays theirs
// when they take another name. A server of a company's own has all of it below its one
// address.
const gitHub = "https://github.com"

func gitHubAPI(issuer string) string {
	if issuer == gitHub {
		return "https://api.github.com"
	}
	return issuer + "/api/v3"
}

func gitHubMetadata(issuer string) metadata {
	return metadata{Issuer: issuer, Authorize: issuer + "/login/oauth/authorize",
		Token: issuer + "/login/oauth/access_token", UserInfo: gitHubAPI(issuer) + "/user"}
}
