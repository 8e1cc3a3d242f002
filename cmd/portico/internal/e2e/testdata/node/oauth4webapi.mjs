import { open, done } from './talk.mjs'
// guide: js 1
// guide: js 2
const currentUrl = await open(signIn)
// guide: js 3
const request = new Request('https://api.example.test/things', {
  headers: { Authorization: `Bearer ${tokens.access_token}` },
})
// guide: js 4

// The rest is not in the guide: what the library checks beside it.
const fresh = await oauth.processRefreshTokenResponse(
  as, client,
  await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token, options),
)
const stranger = { client_id: 'nobody-here' }
const refused = await oauth
  .processRefreshTokenResponse(
    as, stranger,
    await oauth.refreshTokenGrantRequest(as, stranger, oauth.ClientSecretBasic('a-b_c.d~e+f'), fresh.refresh_token, options),
  )
  .catch((e) => ({ code: e.code, status: e.status ?? e.response?.status, challenge: e.cause?.[0]?.scheme }))
await oauth.processRevocationResponse(
  await oauth.revocationRequest(as, client, oauth.None(), fresh.refresh_token, options),
)
const dead = await oauth
  .processRefreshTokenResponse(
    as, client,
    await oauth.refreshTokenGrantRequest(as, client, oauth.None(), fresh.refresh_token, options),
  )
  .catch((e) => ({ error: e.error, status: e.status }))

done({ sub, person, caller, rotated: fresh.refresh_token !== tokens.refresh_token, refused, dead })
