import json
import os

# guide: python 1

# The rest is not in the guide: what comes of it, and of what is refused.
assertion = assertion_for(os.environ['ID_TOKEN'])
got = token_there(assertion)
try:
    assertion_for('x.y.z')
    refused = ''
except Exception as e:
    refused = e.error
print(json.dumps({'done': {'assertion': assertion, 'token': got['access_token'], 'scope': got.get('scope', ''),
                           'refresh': got.get('refresh_token', ''), 'refused': refused}}), flush=True)
