// A provider by npm's oidc-provider, with its store in memory, at which one person signs in
// without being asked. Argument: its port.
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const port = process.argv[2]
const resource = 'urn:load'

// Its own store in memory forgets what is older than the last thousand things.
const things = new Map()
const byUid = new Map()
const byGrant = new Map()

class Memory {
  constructor(kind) { this.kind = kind }
  async upsert(id, thing) {
    const key = `${this.kind}:${id}`
    things.set(key, thing)
    if (this.kind === 'Session') byUid.set(thing.uid, key)
    if (thing.grantId) {
      if (!byGrant.has(thing.grantId)) byGrant.set(thing.grantId, [])
      byGrant.get(thing.grantId).push(key)
    }
  }
  async find(id) { return things.get(`${this.kind}:${id}`) }
  async findByUid(uid) { return things.get(byUid.get(uid)) }
  async consume(id) { things.get(`${this.kind}:${id}`).consumed = Math.floor(Date.now() / 1000) }
  async destroy(id) { things.delete(`${this.kind}:${id}`) }
  async revokeByGrantId(grant) { for (const key of byGrant.get(grant) ?? []) things.delete(key) }
}

const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: Memory,
  clients: [
    { client_id: 'service', client_secret: 'secret of the service', redirect_uris: [], response_types: [],
      grant_types: ['client_credentials'] },
    { client_id: 'page', client_secret: 'secret of the page', redirect_uris: ['http://127.0.0.1:1/callback'],
      grant_types: ['authorization_code', 'refresh_token'] },
  ],
  cookies: { keys: ['of a measurement'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: 'data:read', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
    },
  },
  issueRefreshToken: () => true,
  rotateRefreshToken: () => true, // as ours does
  pkce: { required: () => false },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: 'load@example.test', email_verified: true, name: 'Load' }),
  }),
  async loadExistingGrant({ oidc }) { // nobody is asked for consent
    const former = oidc.session.grantIdFor(oidc.client.clientId) // whose tokens a new one would end
    if (former) return provider.Grant.find(former)
    const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
    grant.addOIDCScope('openid email profile')
    grant.addResourceScope(resource, 'data:read')
    await grant.save()
    return grant
  },
})

provider.on('grant.error', (_, error) => console.error(error.error_detail))

process.on('SIGTERM', () => process.exit(0))

const serve = provider.callback()
createServer((request, response) => {
  if (!request.url.startsWith('/interaction/')) return serve(request, response)
  provider.interactionFinished(request, response, { login: { accountId: 'one', amr: ['pwd'] } })
}).listen(port, '127.0.0.1')
