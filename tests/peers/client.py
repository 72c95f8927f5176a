"""A client on the official Python SDK; prints a line of JSON for each thing that it was told.

client.py (legacy | auto | REVISION) (http URL | sse URL | stdio COMMAND [ARGUMENT ...])
"""

import asyncio
import json
import sys

import mcp_types as types
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters


def tell(**what):
    print(json.dumps(what), flush=True)


async def sample(context, params):
    content = types.TextContent(type="text", text="sampled")
    return types.CreateMessageResult(role="assistant", content=content, model="none")


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"username": "ann", "email": "a@b.example"})


async def main(mode, carrier, target, *arguments):
    match carrier:
        case "http":
            server = target
        case "sse":
            server = sse_client(target)
        case "stdio":
            server = StdioServerParameters(command=target, args=list(arguments))
        case _:
            sys.exit(__doc__)
    steps = []

    async def progress(done, total, message):
        steps.append(done)

    async with Client(server, mode=mode, sampling_callback=sample, elicitation_callback=elicit) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        tell(tools={"add", "test_error_handling"} <= names)
        added = await client.call_tool("add", {"a": 2, "b": 3})
        tell(add=[item.text for item in added.content])
        tell(error=(await client.call_tool("test_error_handling", {})).is_error)
        await client.call_tool("test_tool_with_progress", {}, progress_callback=progress)
        assert len(steps) == 3, steps
        if mode == "legacy":
            sampled = await client.call_tool("test_sampling", {"prompt": "say"})
            tell(sampling=[item.text for item in sampled.content])
            elicited = await client.call_tool("test_elicitation", {"message": "who"})
            tell(elicitation=len(elicited.content))
        tell(resource=(await client.read_resource("test://static-text")).contents[0].text)
        tell(prompt=(await client.get_prompt("test_simple_prompt")).messages[0].content.text)
    tell(closed=True)


if len(sys.argv) < 4:
    sys.exit(__doc__)
asyncio.run(main(*sys.argv[1:]))
