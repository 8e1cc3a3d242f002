import json
import sys


def open_(address):
    """Lets a person go to the address and returns where that ended."""
    print(json.dumps({'open': address}), flush=True)
    return sys.stdin.readline().strip()


# guide: python 1
# guide: python 2
current_url = open_(sign_in)
# guide: python 3

# The rest is not in the guide: what the library can do beside it.
old = tokens['refresh_token']
fresh = session.refresh_token(provider['token_endpoint'], refresh_token=old)
active = session.introspect_token(provider['introspection_endpoint'], token=fresh['access_token']).json()
session.revoke_token(provider['revocation_endpoint'], token=fresh['refresh_token'], token_type_hint='refresh_token')
dead = session.introspect_token(provider['introspection_endpoint'], token=fresh['access_token']).json()
print(json.dumps({'done': {
    'sub': claims['sub'], 'person': person['email'], 'rotated': fresh['refresh_token'] != old,
    'active': active['active'], 'dead': dead,
}}), flush=True)
