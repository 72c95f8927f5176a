"""A client that uses everything that the server offers: it calls each tool, reads each resource and gets each prompt.

use_all.py (sdk-1 | sdk-2 | fastmcp | chuk-mcp) (URL | COMMAND [ARGUMENT ...]), where chuk-mcp takes only a URL
"""

import asyncio
import sys


def is_url(text):
    return text.startswith("http://")


def arguments_of(schema):
    return {"a": 5, "b": 3} if "a" in schema.get("properties", {}) else {}


EXAMPLES = {"string": "text", "integer": 5, "number": 0.5, "boolean": True}


def example(field):
    if field["type"] == "array":
        return [example({"type": "string", **field["items"]})]
    choices = field.get("enum") or [it["const"] for it in field.get("oneOf") or field.get("anyOf", [])]
    return choices[0] if choices else EXAMPLES[field["type"]]


def defaults(form):
    return {name: field["default"] if "default" in field else example(field) for name, field in form.get("properties", {}).items()}


async def use_all(client, offered, schema, items):
    """Uses what is offered; the SDKs differ in the names of members, and in what a list returns."""
    if offered.tools:
        for tool in items(await client.list_tools(), "tools"):
            await client.call_tool(tool.name, arguments_of(getattr(tool, schema)))
    if offered.resources:
        for resource in items(await client.list_resources(), "resources"):
            await client.read_resource(resource.uri)
    if offered.prompts:
        for prompt in items(await client.list_prompts(), "prompts"):
            await client.get_prompt(prompt.name)


async def sdk_1(first, *arguments):
    from mcp import ClientSession, StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    server = StdioServerParameters(command=first, args=list(arguments))
    streams = streamablehttp_client(first) if is_url(first) else stdio_client(server)
    async with streams as (read, write, *_), ClientSession(read, write) as client:
        offered = (await client.initialize()).capabilities
        await use_all(client, offered, "inputSchema", getattr)


async def sdk_2(first, *arguments):
    import mcp_types as types
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters

    async def elicit(context, params):
        # A URL is for a person.
        if getattr(params, "mode", "form") == "url":
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=defaults(params.requested_schema))

    server = first if is_url(first) else StdioServerParameters(command=first, args=list(arguments))
    async with Client(server, elicitation_callback=elicit) as client:
        await use_all(client, client.server_capabilities, "input_schema", getattr)


async def fastmcp(first, *arguments):
    from fastmcp import Client
    from fastmcp.client.elicitation import ElicitResult
    from fastmcp.client.transports import StdioTransport

    async def elicit(message, response_type, params, context):
        if getattr(params, "mode", "form") == "url":
            return ElicitResult(action="decline")
        form = getattr(params, "requested_schema", None) or params.requestedSchema
        return ElicitResult(action="accept", content=defaults(form))

    server = first if is_url(first) else StdioTransport(command=first, args=list(arguments))
    async with Client(server, elicitation_handler=elicit) as client:
        # Version 4 is built on version 2 of the SDK, which names members differently.
        is_newest = hasattr(client.session, "server_capabilities")
        offered = client.session.server_capabilities if is_newest else client.initialize_result.capabilities
        await use_all(client, offered, "input_schema" if is_newest else "inputSchema", lambda listed, name: listed)


async def chuk_mcp(url):
    from chuk_mcp.client.client import MCPClient
    from chuk_mcp.transports.http.parameters import StreamableHTTPParameters
    from chuk_mcp.transports.http.transport import StreamableHTTPTransport

    async with StreamableHTTPTransport(StreamableHTTPParameters(url=url)) as transport:
        client = MCPClient(transport)
        await client.initialize()
        # Its lists are lists.
        await use_all(client, client.capabilities, "inputSchema", lambda listed, name: listed)


CLIENTS = {"sdk-1": sdk_1, "sdk-2": sdk_2, "fastmcp": fastmcp, "chuk-mcp": chuk_mcp}

if len(sys.argv) < 3 or sys.argv[1] not in CLIENTS:
    sys.exit(__doc__)
asyncio.run(CLIENTS[sys.argv[1]](*sys.argv[2:]))
