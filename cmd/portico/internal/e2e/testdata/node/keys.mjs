// Two libraries whose clients prove themselves by a key and check ID tokens that
// are signed with ES256.
import * as client from 'openid-client'
import * as oauth from 'oauth4webapi'
import { open, done } from './talk.mjs'

const { ISSUER, CLIENT_ID, PRIVATE_JWK } = process.env
const { kid, ...jwk } = JSON.parse(PRIVATE_JWK)
const key = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
const redirect_uri = 'https://app.example.test/callback'

const config = await client.discovery(
  new URL(ISSUER), CLIENT_ID, { id_token_signed_response_alg: 'ES256' }, client.PrivateKeyJwt({ key, kid }),
  { execute: [client.allowInsecureRequests] })
const own = await client.clientCredentialsGrant(config, { scope: 'data:read' })
const pkce = client.randomPKCECodeVerifier()
const signIn = client.buildAuthorizationUrl(config, {
  redirect_uri, scope: 'openid email', code_challenge: await client.calculatePKCECodeChallenge(pkce), code_challenge_method: 'S256',
})
const tokens = await client.authorizationCodeGrant(config, await open(signIn), { pkceCodeVerifier: pkce })
const fresh = await client.refreshTokenGrant(config, tokens.refresh_token)
const active = await client.tokenIntrospection(config, fresh.access_token)

const insecure = { [oauth.allowInsecureRequests]: true }
const issuer = new URL(ISSUER)
const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
const me = { client_id: CLIENT_ID }
const response = await oauth.clientCredentialsGrantRequest(
  as, me, oauth.PrivateKeyJwt({ key, kid }), new URLSearchParams({ scope: 'data:read' }), insecure)
const other = await oauth.processClientCredentialsResponse(as, me, response)

done({ own: own.scope, sub: tokens.claims().sub, active: active.active, other: other.scope })
