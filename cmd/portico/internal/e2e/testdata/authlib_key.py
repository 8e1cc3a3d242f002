"""A client of Authlib that proves itself by its key, in the library's own way."""
import json
import os

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT

provider = requests.get(os.environ['ISSUER'] + '/.well-known/openid-configuration').json()
session = OAuth2Session(
    os.environ['CLIENT_ID'], os.environ['PRIVATE_PEM'],
    token_endpoint_auth_method=PrivateKeyJWT(provider['token_endpoint']),
)
tokens = session.fetch_token(provider['token_endpoint'], grant_type='client_credentials', scope='data:read')
print(json.dumps({'done': {'scope': tokens['scope'], 'type': tokens['token_type']}}))
