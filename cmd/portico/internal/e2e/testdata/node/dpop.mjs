// Two libraries whose tokens are bound to a key that they made themselves, at a server
// that wants its nonces quoted.
import * as client from 'openid-client'
import * as oauth from 'oauth4webapi'
import { open, done } from './talk.mjs'

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env
const redirect_uri = 'https://app.example.test/callback'
const hubs = new URL('/project/v1/hubs', ISSUER)

const config = await client.discovery(
  new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, { execute: [client.allowInsecureRequests] })
const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
const pkce = client.randomPKCECodeVerifier()
const signIn = client.buildAuthorizationUrl(config, {
  redirect_uri, scope: 'openid email data:read', dpop_jkt: await DPoP.calculateThumbprint(),
  code_challenge: await client.calculatePKCECodeChallenge(pkce), code_challenge_method: 'S256',
})
const tokens = await client.authorizationCodeGrant(config, await open(signIn), { pkceCodeVerifier: pkce }, undefined, { DPoP })
const fresh = await client.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP })
const person = await client.fetchUserInfo(config, fresh.access_token, tokens.claims().sub, { DPoP })
const listed = await client.fetchProtectedResource(config, fresh.access_token, hubs, 'GET', undefined, undefined, { DPoP })
const bare = await fetch(hubs, { headers: { authorization: `Bearer ${fresh.access_token}` } })

const insecure = { [oauth.allowInsecureRequests]: true }
const as = await oauth.processDiscoveryResponse(new URL(ISSUER), await oauth.discoveryRequest(new URL(ISSUER), insecure))
const me = { client_id: CLIENT_ID }
const options = { ...insecure, DPoP: oauth.DPoP(me, await oauth.generateKeyPair('ES256')) }
const retried = []
async function twice(name, ask) { // the first answer tells the nonce
  try {
    return await ask()
  } catch (refusal) {
    if (!oauth.isDPoPNonceError(refusal)) throw refusal
    retried.push(name)
    return await ask()
  }
}
const own = await twice('token', async () => oauth.processClientCredentialsResponse(as, me, await oauth.clientCredentialsGrantRequest(
  as, me, oauth.ClientSecretBasic(CLIENT_SECRET), new URLSearchParams({ scope: 'data:read' }), options)))
const answer = await twice('resource', () => oauth.protectedResourceRequest(own.access_token, 'GET', hubs, undefined, undefined, options))

done({
  type: tokens.token_type, refreshed: fresh.token_type, person: person.email, listed: listed.status, bare: bare.status,
  own: own.token_type, answer: answer.status, retried,
})
