"""A client on the official Python SDK; prints each result that it checks as a line of JSON.

client.py (legacy | auto | REVISION) (http URL | sse URL | stdio COMMAND [ARGUMENT ...])
"""

import asyncio
import json
import sys

import mcp_types as types
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters


def report(**result):
    print(json.dumps(result), flush=True)


async def sample(context, params):
    content = types.TextContent(type="text", text="sampled")
    return types.CreateMessageResult(role="assistant", content=content, model="none")


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"username": "ann", "email": "a@b.example"})


async def main(mode, transport, target, *arguments):
    match transport:
        case "http":
            server = target
        case "sse":
            server = sse_client(target)
        case "stdio":
            server = StdioServerParameters(command=target, args=list(arguments))
        case _:
            sys.exit(__doc__)
    # The progress notifications of one call.
    steps = []

    async def progress(done, total, message):
        steps.append(done)

    async with Client(server, mode=mode, sampling_callback=sample, elicitation_callback=elicit) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        report(tools={"add", "test_error_handling"} <= names)
        added = await client.call_tool("add", {"a": 2, "b": 3})
        report(add=[item.text for item in added.content])
        report(error=(await client.call_tool("test_error_handling", {})).is_error)
        await client.call_tool("test_tool_with_progress", {}, progress_callback=progress)
        assert len(steps) == 3, steps
        if mode == "legacy":
            sampled = await client.call_tool("test_sampling", {"prompt": "say"})
            report(sampling=[item.text for item in sampled.content])
            elicited = await client.call_tool("test_elicitation", {"message": "who"})
            report(elicitation=len(elicited.content))
        report(resource=(await client.read_resource("test://static-text")).contents[0].text)
        report(prompt=(await client.get_prompt("test_simple_prompt")).messages[0].content.text)
    report(closed=True)


if len(sys.argv) < 4:
    sys.exit(__doc__)
asyncio.run(main(*sys.argv[1:]))
