// Two libraries under FAPI 2.0 Message Signing: clients that prove themselves by a key,
// push requests that they signed, read signed answers, and have tokens that are bound to
// another key, at a server that wants its nonces quoted.
import * as client from 'openid-client'
import * as oauth from 'oauth4webapi'
import { open, done } from './talk.mjs'

const { ISSUER, CLIENT_ID, PRIVATE_JWK } = process.env
const { kid, ...jwk } = JSON.parse(PRIVATE_JWK)
const key = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
const redirect_uri = 'https://app.example.test/callback'
const scope = 'openid email data:read'
const metadata = { id_token_signed_response_alg: 'ES256', authorization_signed_response_alg: 'ES256' }
const hubs = new URL('/project/v1/hubs', ISSUER)

async function openidClient() {
  const config = await client.discovery(
    new URL(ISSUER), CLIENT_ID, metadata, client.PrivateKeyJwt({ key, kid }), { execute: [client.allowInsecureRequests] })
  client.useJwtResponseMode(config)
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
  const pkceCodeVerifier = client.randomPKCECodeVerifier(), expectedNonce = client.randomNonce(), expectedState = client.randomState()
  const signed = await client.buildAuthorizationUrlWithJAR(config, {
    redirect_uri, scope, nonce: expectedNonce, state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256',
  }, { key, kid })
  const pushed = await client.buildAuthorizationUrlWithPAR(config, signed.searchParams, { DPoP })
  const tokens = await client.authorizationCodeGrant(
    config, await open(pushed), { pkceCodeVerifier, expectedNonce, expectedState }, undefined, { DPoP })
  const fresh = await client.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP })
  const person = await client.fetchUserInfo(config, fresh.access_token, tokens.claims().sub, { DPoP })
  const listed = await client.fetchProtectedResource(config, fresh.access_token, hubs, 'GET', undefined, undefined, { DPoP })
  return {
    sent: [...pushed.searchParams.keys()].sort().join(' '), type: tokens.token_type, rotated: fresh.refresh_token !== undefined,
    person: person.email, listed: listed.status,
  }
}

async function oauth4webapi() {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const as = await oauth.processDiscoveryResponse(new URL(ISSUER), await oauth.discoveryRequest(new URL(ISSUER), insecure))
  const me = { client_id: CLIENT_ID, ...metadata }
  const proof = oauth.PrivateKeyJwt({ key, kid })
  const options = { ...insecure, DPoP: oauth.DPoP(me, await oauth.generateKeyPair('ES256')) }
  let told = 0
  async function twice(ask) { // the first answer tells the nonce
    try {
      return await ask()
    } catch (refusal) {
      if (!oauth.isDPoPNonceError(refusal)) throw refusal
      told++
      return await ask()
    }
  }
  const verifier = oauth.generateRandomCodeVerifier(), nonce = oauth.generateRandomNonce(), state = oauth.generateRandomState()
  const request = await oauth.issueRequestObject(as, me, {
    response_type: 'code', response_mode: 'jwt', redirect_uri, scope, nonce, state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  }, { key, kid })
  const pushed = await twice(async () => oauth.processPushedAuthorizationResponse(as, me,
    await oauth.pushedAuthorizationRequest(as, me, proof, { request }, options)))
  const at = new URL(as.authorization_endpoint)
  at.searchParams.set('client_id', CLIENT_ID)
  at.searchParams.set('request_uri', pushed.request_uri)
  const answer = await oauth.validateJwtAuthResponse(as, me, await open(at), state, insecure)
  const tokens = await twice(async () => oauth.processAuthorizationCodeResponse(as, me,
    await oauth.authorizationCodeGrantRequest(as, me, proof, answer, redirect_uri, verifier, options),
    { expectedNonce: nonce, requireIdToken: true }))
  const person = await twice(async () => oauth.processUserInfoResponse(as, me, oauth.getValidatedIdTokenClaims(tokens).sub,
    await oauth.userInfoRequest(as, me, tokens.access_token, options)))
  const own = await twice(async () => oauth.processClientCredentialsResponse(as, me,
    await oauth.clientCredentialsGrantRequest(as, me, proof, new URLSearchParams({ scope: 'data:read' }), options)))
  return { type: tokens.token_type, person: person.email, own: own.token_type, told: told > 0 }
}

done({ openidClient: await openidClient(), oauth4webapi: await oauth4webapi() })
