"""A server for assistants by FastMCP, as it comes, that takes our tokens."""

import os

from fastmcp import FastMCP
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.dependencies import get_access_token

issuer, base, port = os.environ['ISSUER'], os.environ['BASE'], int(os.environ['PORT'])
keys = JWTVerifier(jwks_uri=issuer + '/authentication/v2/keys', issuer=issuer, audience=base + '/mcp',
                   required_scopes=['chat:read'])
server = FastMCP('chat', auth=RemoteAuthProvider(token_verifier=keys, authorization_servers=[issuer], base_url=base))


@server.tool
def whoami() -> dict:
    token = get_access_token()
    return {'client': token.client_id, 'scopes': token.scopes, 'sub': token.claims['sub'], 'aud': token.claims['aud']}


server.run(transport='http', host='127.0.0.1', port=port, show_banner=False)
