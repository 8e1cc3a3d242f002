"""A server for assistants by FastMCP, as it comes, that takes our tokens."""

import os

# guide: python 1
from fastmcp.server.dependencies import get_access_token


@server.tool
def whoami() -> dict:
    token = get_access_token()
    return {'client': token.client_id, 'scopes': token.scopes, 'sub': token.claims['sub'], 'aud': token.claims['aud']}


server.run(transport='http', host='127.0.0.1', port=int(os.environ['PORT']), show_banner=False)
