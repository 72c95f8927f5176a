"""An MCP server on the official Python SDK, with its low-level `Server`, over standard streams.

The environment variable `DEFECT` plants one defect; without it the server is sound. `interop/planted.rs` lists the defects.
"""

import asyncio
import base64
import os

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

DEFECT = os.environ.get("DEFECT", "")
PIXEL = b"\x89PNG\r\n\x1a\n"
TEXT_URI, IMAGE_URI = "notes://first", "notes://image"


def invalid(message):
    return MCPError(code=-32602, message=message)


async def list_tools(ctx, params):
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    notes = types.ToolAnnotations(read_only_hint=True)
    return types.ListToolsResult(tools=[types.Tool(name="now", description="A fixed time", input_schema=schema, annotations=notes)])


async def call_tool(ctx, params):
    if params.name != "now":
        raise invalid(f"unknown tool {params.name}")
    if params.arguments:
        return types.CallToolResult(content=[types.TextContent(type="text", text="no arguments are known")], is_error=True)
    return types.CallToolResult(content=[types.TextContent(type="text", text="2026-07-28T00:00:00Z")])


async def list_resources(ctx, params):
    text = types.Resource(uri=TEXT_URI, name="first", mime_type="text/plain")
    image = types.Resource(uri=IMAGE_URI, name="image", mime_type="image/png")
    return types.ListResourcesResult(resources=[text, image])


async def read_resource(ctx, params):
    if params.uri == TEXT_URI:
        contents = types.TextResourceContents(uri=TEXT_URI, mime_type="text/plain", text="A note")
        return types.ReadResourceResult(contents=[contents])
    if params.uri == IMAGE_URI:
        encoded = base64.b64encode(PIXEL).decode()
        if DEFECT == "blob-as-data-uri":
            encoded = f"data:image/png;base64,{encoded}"
        contents = types.BlobResourceContents(uri=IMAGE_URI, mime_type="image/png", blob=encoded)
        return types.ReadResourceResult(contents=[contents])
    if DEFECT == "unknown-resource-empty":
        return types.ReadResourceResult(contents=[])
    code = -32602 if ctx.protocol_version >= "2026-07-28" else -32002
    raise MCPError(code=code, message=f"unknown resource {params.uri}", data={"uri": params.uri})


async def list_prompts(ctx, params):
    argument = types.PromptArgument(name="tone", description="How to say it", required=False)
    return types.ListPromptsResult(prompts=[types.Prompt(name="summary", arguments=[argument])])


async def get_prompt(ctx, params):
    if params.name != "summary":
        raise invalid(f"unknown prompt {params.name}")
    arguments = params.arguments if DEFECT == "prompt-needs-arguments" else params.arguments or {}
    tone = arguments.get("tone", "neutral")
    content = types.TextContent(type="text", text=f"Summarize the notes in a {tone} tone.")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


server = Server(
    "planted-sdk",
    version="1.0.0",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_read_resource=read_resource,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
)


async def main():
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


asyncio.run(main())
