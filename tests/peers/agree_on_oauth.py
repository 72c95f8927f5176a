"""Signs in with an authorization server by means of Authlib and joserfc, which know nothing of it.

agree_on_oauth.py ISSUER

Authlib validates the metadata, joserfc signs the assertions of the client and verifies the tokens. It exits with an error at the first
disagreement, and otherwise prints what both agree on.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

# The server is on this machine, and has no TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

REDIRECT_URI = "http://127.0.0.1:9/callback"
RESOURCE = "http://127.0.0.1:9/mcp"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def send(url, body=None, kind="application/x-www-form-urlencoded"):
    """The status, the headers and the body of a response."""
    request = urllib.request.Request(url, body, {"Content-Type": kind} if body else {})
    try:
        response = opener.open(request, timeout=20)
    except urllib.error.HTTPError as error:
        response = error
    return response.status, response.headers, response.read()


def document(url, body=None, kind="application/x-www-form-urlencoded"):
    status, _, text = send(url, body, kind)
    assert status in (200, 201), f"{url} answered {status}: {text}"
    return json.loads(text)


def form(**values):
    return urllib.parse.urlencode(values).encode()


def assertion(key, algorithm, client, issuer, **changed):
    now = int(time.time())
    claims = {"iss": client, "sub": client, "aud": issuer, "iat": now, "exp": now + 60, "jti": str(uuid.uuid4())}
    return jwt.encode({"alg": algorithm, "kid": key.kid}, {**claims, **changed}, key, algorithms=[algorithm])


def verified(token, metadata, audience):
    keys = KeySet.import_key_set(document(metadata["jwks_uri"]))
    decoded = jwt.decode(token, keys, algorithms=["ES256"])
    assert decoded.header["typ"] == "at+jwt", decoded.header
    registry = jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": metadata["issuer"]},
        aud={"essential": True, "value": audience},
        sub={"essential": True},
        exp={"essential": True},
        jti={"essential": True},
    )
    registry.validate(decoded.claims)
    return decoded.claims


def sign_in(metadata, key, algorithm):
    """Registers a client with this key, and gets tokens for it by each grant."""
    issuer = metadata["issuer"]
    wanted = {
        "client_name": "agree_on_oauth",
        "redirect_uris": [REDIRECT_URI],
        "grant_types": ["authorization_code", "refresh_token", "client_credentials"],
        "token_endpoint_auth_method": "private_key_jwt",
        "jwks": {"keys": [{**key.as_dict(private=False), "kid": key.kid, "alg": algorithm, "use": "sig"}]},
    }
    registered = document(metadata["registration_endpoint"], json.dumps(wanted).encode(), "application/json")
    client = registered["client_id"]

    def token(**values):
        values = {"client_assertion_type": ASSERTION, "client_assertion": assertion(key, algorithm, client, issuer), **values}
        return send(metadata["token_endpoint"], form(**values))

    verifier = uuid.uuid4().hex + uuid.uuid4().hex
    query = form(
        response_type="code",
        client_id=client,
        redirect_uri=REDIRECT_URI,
        state="s1",
        code_challenge=create_s256_code_challenge(verifier),
        code_challenge_method="S256",
        resource=RESOURCE,
    )
    status, headers, _ = send(metadata["authorization_endpoint"] + "?" + query.decode())
    assert status == 302, status
    answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(headers["Location"]).query))
    assert (answer["state"], answer["iss"]) == ("s1", issuer), answer
    code = {"grant_type": "authorization_code", "code": answer["code"], "redirect_uri": REDIRECT_URI}
    status, headers, text = token(**code, code_verifier=verifier)
    assert status == 200 and "no-store" in headers["Cache-Control"], (status, text)
    first = json.loads(text)
    assert verified(first["access_token"], metadata, RESOURCE)["client_id"] == client
    status, _, text = token(grant_type="refresh_token", refresh_token=first["refresh_token"])
    assert status == 200, text
    verified(json.loads(text)["access_token"], metadata, RESOURCE)
    status, _, text = token(grant_type="client_credentials", resource=RESOURCE)
    assert status == 200, text
    assert verified(json.loads(text)["access_token"], metadata, RESOURCE)["sub"] == client

    # What has to be refused.
    now = int(time.time())
    stranger = type(key).generate_key(*((2048,) if algorithm == "RS256" else (key.curve_name,)), {"kid": key.kid})
    for wrong in (
        assertion(stranger, algorithm, client, issuer),
        assertion(key, algorithm, client, "https://other.example"),
        assertion(key, algorithm, client, issuer, exp=now - 120, iat=now - 180),
        assertion(key, algorithm, "another-client", issuer),
    ):
        status, _, text = token(grant_type="client_credentials", client_assertion=wrong)
        assert status == 401 and json.loads(text)["error"] == "invalid_client", (status, text)


def main(issuer):
    metadata = document(f"{issuer}/.well-known/oauth-authorization-server")
    AuthorizationServerMetadata(metadata).validate()
    print("metadata")
    for key, algorithm in (
        (ECKey.generate_key("P-256", {"kid": "ec"}), "ES256"),
        (OKPKey.generate_key("Ed25519", {"kid": "okp"}), "EdDSA"),
        (RSAKey.generate_key(2048, {"kid": "rsa"}), "RS256"),
    ):
        sign_in(metadata, key, algorithm)
        print(algorithm)


main(sys.argv[1])
