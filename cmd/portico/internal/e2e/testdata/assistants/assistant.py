"""An assistant by the official SDK, as it comes: see the same in JavaScript."""

import asyncio
import json
import os
import sys
from urllib.parse import parse_qs, urlsplit, urlunsplit, urlencode

import httpx2
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

REDIRECT = 'http://localhost:49152/callback'
env = os.environ.get


class Storage:
    tokens = None
    saved = 0
    client = OAuthClientInformationFull(client_id=env('CLIENT_ID'), redirect_uris=[REDIRECT],
                                        token_endpoint_auth_method='none') if env('CLIENT_ID') else None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens
        self.saved += 1

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


storage = Storage()
state = {'narrow': env('NARROW'), 'asked': [], 'answer': ''}


async def redirect(address):
    parts = urlsplit(address)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    state['asked'].append(query.get('scope'))
    if state['narrow']:
        query['scope'] = state['narrow']
        state['narrow'] = ''
    print(json.dumps({'open': urlunsplit(parts._replace(query=urlencode(query)))}), flush=True)
    state['answer'] = sys.stdin.readline().strip()


async def callback():
    said = {name: values[0] for name, values in parse_qs(urlsplit(state['answer']).query).items()}
    return AuthorizationCodeResult(code=said['code'], state=said.get('state'), iss=said.get('iss'))


async def main():
    auth = OAuthClientProvider(
        server_url=env('SERVER'), storage=storage, redirect_handler=redirect, callback_handler=callback,
        client_metadata_url=env('DOCUMENT') or None,
        client_metadata=OAuthClientMetadata(client_name='Assistant', redirect_uris=[REDIRECT],
                                            **json.loads(env('SAYS', '{}'))))
    try:
        await talk(auth)
    except Exception:
        # A request asks the person once: one that was refused before and after fails, and the next one goes well.
        if not env('AGAIN'):
            raise
        await talk(auth)


async def talk(auth):
    found = {}
    async with httpx2.AsyncClient(auth=auth, timeout=30) as http:
        async with streamable_http_client(env('SERVER'), http_client=http) as (read, write):
            async with ClientSession(read, write) as session:
                await session.initialize()
                call = json.loads(env('CALL'))
                got = await session.call_tool(call['name'], call['arguments'])
                found['first'] = got.structured_content
                saved = storage.saved
                auth.context.token_expiry_time = 1  # as if its time were over
                await session.call_tool(call['name'], call['arguments'])
                found['renewed'] = storage.saved - saved
                if env('SEARCH'):
                    got = await session.call_tool('search', json.loads(env('SEARCH')))
                    found['found'] = len(got.structured_content['items'])
    print(json.dumps({'done': {**found, 'asked': state['asked']}}), flush=True)


asyncio.run(main())
