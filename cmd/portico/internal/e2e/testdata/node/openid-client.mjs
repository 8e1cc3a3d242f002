import { open, done } from './talk.mjs'
// guide: js 1
// guide: js 2
const currentUrl = await open(signIn)
// guide: js 3
// guide: js 4
// guide: js 5

// The rest is not in the guide: what the library checks beside it.
const before = await client.tokenIntrospection(config, fresh.access_token)
await client.tokenRevocation(config, fresh.refresh_token, { token_type_hint: 'refresh_token' })
const after = await client.tokenIntrospection(config, fresh.access_token)

const reused = await client
  .authorizationCodeGrant(config, currentUrl, { pkceCodeVerifier: pkce, expectedState: state, expectedNonce: nonce })
  .catch((e) => ({ error: e.error, status: e.status }))

await open(signOut)
const silently = client.buildAuthorizationUrl(config, {
  redirect_uri: 'https://app.example.test/callback', scope: 'openid', state, nonce, prompt: 'none',
})
const refused = await client
  .authorizationCodeGrant(config, await open(silently), { expectedState: state, expectedNonce: nonce })
  .catch((e) => ({ error: e.error }))

const another = () => {
  const { client_id, client_secret } = config.clientMetadata()
  const copy = new client.Configuration(config.serverMetadata(), client_id, client_secret)
  client.allowInsecureRequests(copy)
  return copy
}
const request = { redirect_uri: 'https://app.example.test/callback', scope: 'openid email', state, nonce }

const hybrid = another()
client.useCodeIdTokenResponseType(hybrid)
const both = await client.authorizationCodeGrant(
  hybrid, await open(client.buildAuthorizationUrl(hybrid, request)), { expectedState: state, expectedNonce: nonce })

const implicit = another()
client.useIdTokenResponseType(implicit)
const only = await client.implicitAuthentication(
  implicit, await open(client.buildAuthorizationUrl(implicit, request)), nonce, { expectedState: state })

done({
  hybrid: both.claims().sub, implicit: `${only.sub} ${only.email}`,
  idToken: tokens.claims(), refreshed: fresh.claims(), person, own,
  active: before.active, subject: before.sub ?? before.userid, activeAfterRevocation: after.active, reused, refused,
})
