"""A client that signs in where the server demands it, lists the tools and calls each of them. The user has consented already.

sign_in.py URL
"""

import asyncio
import json
import os
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata

REDIRECT_URI = "http://127.0.0.1:9/callback"
METADATA_DOCUMENT = "https://conformance-test.local/client-metadata.json"


class Storage:
    """Keeps tokens and the client in memory."""

    def __init__(self, client):
        self.tokens = None
        self.client = client

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def given_client():
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    if "client_id" not in context:
        return None
    return OAuthClientInformationFull(
        client_id=context["client_id"],
        client_secret=context.get("client_secret"),
        redirect_uris=[REDIRECT_URI],
        token_endpoint_auth_method="client_secret_basic",
    )


async def main(url):
    callback = {}

    # A user's browser would follow the redirect; this reads it.
    async def redirect(target):
        async with httpx2.AsyncClient(follow_redirects=False) as browser:
            location = (await browser.get(target)).headers["location"]
        callback.update({name: values[0] for name, values in parse_qs(urlsplit(location).query).items()})

    async def called_back():
        return AuthorizationCodeResult(code=callback["code"], state=callback.get("state"), iss=callback.get("iss"))

    metadata = OAuthClientMetadata(
        client_name="sign-in",
        redirect_uris=[REDIRECT_URI],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        application_type="native",
    )
    provider = OAuthClientProvider(url, metadata, Storage(given_client()), redirect, called_back, METADATA_DOCUMENT)
    async with httpx2.AsyncClient(auth=provider, follow_redirects=True) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            for tool in (await client.list_tools()).tools:
                await client.call_tool(tool.name, {})


asyncio.run(main(sys.argv[1]))
