"""A protected MCP server on the official Python SDK, with its own support for resource servers.

protected.py PORT

It trusts the issuer in `MCP_TEST_ISSUER`, and demands the scope `mcp:use`. The environment variable `DEFECT` plants one defect;
without it the server is sound. `interop/protected_servers.rs` lists the defects.
"""

import asyncio
import json
import os
import sys
import urllib.request
from urllib.parse import parse_qs

import jwt
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations

DEFECT = os.environ.get("DEFECT", "")
ISSUER = os.environ["MCP_TEST_ISSUER"]
DOWNSTREAM = os.environ.get("MCP_TEST_DOWNSTREAM")
PORT = int(sys.argv[1])
RESOURCE = f"http://127.0.0.1:{PORT}/mcp"
SCOPE = "mcp:use"


class Verifier:
    """Verifies the tokens of the issuer with the keys that it publishes."""

    def __init__(self):
        self.keys = None

    async def verify_token(self, token):
        try:
            claims = await asyncio.to_thread(self.claims, token)
        except jwt.PyJWTError:
            return None
        return AccessToken(
            token=token,
            client_id=claims.get("client_id", ""),
            scopes=claims.get("scope", "").split(),
            expires_at=None if DEFECT == "expired" else claims.get("exp"),
            subject=None if DEFECT == "shared-sessions" else claims.get("sub"),
            claims={"iss": claims.get("iss")},
        )

    def claims(self, token):
        if DEFECT == "any-signature" or (DEFECT == "unsigned" and jwt.get_unverified_header(token).get("alg") == "none"):
            return jwt.decode(token, options={"verify_signature": False}, audience=RESOURCE, issuer=ISSUER)
        if self.keys is None:
            self.keys = jwt.PyJWKClient(f"{ISSUER}/jwks")
        return jwt.decode(
            token,
            self.keys.get_signing_key_from_jwt(token).key,
            algorithms=["ES256"],
            audience=RESOURCE,
            issuer=None if DEFECT == "any-issuer" else ISSUER,
            options={"verify_exp": DEFECT != "expired", "verify_aud": DEFECT != "any-audience"},
        )


server = MCPServer(
    "protected",
    token_verifier=Verifier(),
    auth=AuthSettings(
        issuer_url=ISSUER,
        resource_server_url=RESOURCE,
        required_scopes=[SCOPE],
        validate_token_resource=False,
    ),
)


@server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
async def weather(ctx: Context) -> str:
    """Asks another service, with credentials of its own."""
    if DOWNSTREAM:
        own = "Bearer a-token-of-the-server"
        passed = ctx.headers.get("authorization", own) if ctx.headers else own
        headers = {"Authorization": passed if DEFECT == "passes-token" else own}
        request = urllib.request.Request(DOWNSTREAM, headers=headers)
        await asyncio.to_thread(lambda: urllib.request.urlopen(request, timeout=5).read())
    return "rain"


class Defective:
    """Plants the defects that are not the verifier's."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            query = parse_qs(scope["query_string"].decode())
            if DEFECT == "query-token" and "access_token" in query:
                scope["headers"].append((b"authorization", b"Bearer " + query["access_token"][0].encode()))
            if DEFECT == "forbidden" and b"authorization" not in headers:
                send = with_status(send, {401: 403})
            if DEFECT == "no-challenge":
                send = without_challenge(send)
            if DEFECT.endswith("-metadata") and scope["path"].startswith("/.well-known/oauth-protected-resource"):
                return await metadata(send)
        await self.app(scope, receive, send)


def with_status(send, changed):
    async def sends(message):
        if message["type"] == "http.response.start":
            message["status"] = changed.get(message["status"], message["status"])
        await send(message)

    return sends


def without_challenge(send):
    async def sends(message):
        if message["type"] == "http.response.start":
            message["headers"] = [(name, value) for name, value in message["headers"] if name != b"www-authenticate"]
        await send(message)

    return sends


async def metadata(send):
    document = {"resource": RESOURCE, "authorization_servers": [ISSUER], "scopes_supported": [SCOPE]}
    if DEFECT == "foreign-metadata":
        document["resource"] = "https://mcp.example.com/mcp"
    if DEFECT == "empty-metadata":
        document["authorization_servers"] = []
    body = json.dumps(document).encode()
    status = 404 if DEFECT == "no-metadata" else 200
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


uvicorn.run(Defective(server.streamable_http_app()), host="127.0.0.1", port=PORT, log_level="error")
