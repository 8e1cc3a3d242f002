// A provider by npm's oidc-provider at which one person signs in without being asked.
// Arguments: its port, and the address of the server that signs people in by it.
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const [port, portico] = process.argv.slice(2)
const upstream = `${portico}/login/upstream/works`

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: 'portico',
    client_secret: 'secret of portico there',
    redirect_uris: [`${upstream}/callback`],
    post_logout_redirect_uris: [`${upstream}/signed-out`],
    backchannel_logout_uri: `${upstream}/backchannel-logout`,
    backchannel_logout_session_required: true,
  }],
  cookies: { keys: ['of a test'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: false } },
  fetch: (url, { dispatcher, ...options }) => fetch(url, options), // its own reaches no loopback
  pkce: { required: () => true },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@works.test`, email_verified: true, name: 'Person One' }),
  }),
  async loadExistingGrant({ oidc }) { // nobody is asked for consent
    const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  },
})

provider.on('backchannel.error', (_, error) => console.error(error))

const serve = provider.callback()
createServer((request, response) => {
  if (!request.url.startsWith('/interaction/')) return serve(request, response)
  provider.interactionFinished(request, response, { login: { accountId: 'one', amr: ['pwd'] } })
}).listen(port, '127.0.0.1')
