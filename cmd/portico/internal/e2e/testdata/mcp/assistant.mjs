// An assistant by the official SDK, as it comes: it signs in as its settings say, calls
// tools, renews its token when that is refused, and asks for more when that is short.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { open, done } from './talk.mjs'

const { SERVER, CLIENT_ID, DOCUMENT, NARROW, AS_THE_GUIDE } = process.env
const redirect = 'http://localhost:49152/callback'
const kept = { narrow: NARROW, asked: [], saved: 0 }

const person = {
  redirectUrl: redirect,
  clientMetadataUrl: DOCUMENT || undefined,
  clientMetadata: {
    client_name: 'Assistant', redirect_uris: [redirect], token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
  },
  clientInformation: () => kept.client ?? (CLIENT_ID ? { client_id: CLIENT_ID } : undefined),
  saveClientInformation: (client) => { kept.client = client },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; kept.saved++ },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier },
  redirectToAuthorization: async (address) => {
    kept.asked.push(address.searchParams.get('scope'))
    if (kept.narrow) address.searchParams.set('scope', kept.narrow)
    kept.narrow = ''
    kept.answer = await open(address)
  },
}

// guide: js 1

let client, transport
const options = AS_THE_GUIDE ? asksForMore(person) : { authProvider: person }
async function connect() {
  client = new Client({ name: 'assistant', version: '1' })
  transport = new StreamableHTTPClientTransport(new URL(SERVER), options)
  await client.connect(transport)
}

// signedIn does what it is given, and once more after the person was asked.
async function signedIn(what) {
  try {
    return await what()
  } catch (e) {
    if (e.constructor.name !== 'UnauthorizedError') throw e
    await transport.finishAuth(kept.answer.searchParams.get('code'))
    if (client.getServerVersion() === undefined) await client.close()
    return await what()
  }
}

const call = (name, args) => signedIn(async () => (await client.callTool({ name, arguments: args })).structuredContent)

await signedIn(connect)
const hubs = await call('list_hubs', {})
const saved = kept.saved
kept.tokens = { ...kept.tokens, access_token: 'over' }
await call('list_hubs', {})
const found = { hubs: hubs.items.length, renewed: kept.saved - saved }

const search = () => call('search', JSON.parse(process.env.SEARCH))
try {
  found.found = (await search()).items.length
} catch (e) {
  found.refused = e.code
  // A refresh token is all that it tries when a scope is short, and nothing any more until
  // another call has gone well: without one it asks the person.
  delete kept.tokens.refresh_token
  await call('list_hubs', {})
  found.found = (await search()).items.length
}
done({ ...found, asked: kept.asked })
