import json
import os

# guide: python 1

# The rest is not in the guide: what comes of it, and of what is refused.
got = next_token(os.environ['SENT'])
try:
    next_token('x.y.z')
    refused = {}
except Exception as e:
    refused = {'error': e.error}
print(json.dumps({'done': {
    'token': got['access_token'], 'scope': got['scope'], 'issued': got['issued_token_type'],
    'refresh': got.get('refresh_token', ''), 'refused': refused,
}}), flush=True)
