"""An MCP server on FastMCP, over standard streams.

The environment variable `DEFECT` plants one defect; without it the server is sound. `interop/planted.rs` lists the defects.
"""

import os

from fastmcp import FastMCP
from fastmcp.resources import TextResource
from fastmcp.server.middleware import Middleware
from fastmcp.tools import ToolResult

DEFECT = os.environ.get("DEFECT", "")
PIXEL = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
OUTPUT = {
    "type": "object",
    "properties": {"celsius": {"type": "number"}, "sky": {"type": "string"}},
    "required": ["celsius", "sky"],
}

server = FastMCP("planted-fastmcp", version="1.0.0")


@server.tool(output_schema=OUTPUT, annotations={"readOnlyHint": True})
def weather(city: str = "Warsaw") -> ToolResult:
    """What the weather is like."""
    celsius = "20.5" if DEFECT == "structured-mistyped" else 20.5
    return ToolResult(structured_content={"celsius": celsius, "sky": f"clear over {city}"})


@server.resource("notes://first", mime_type="text/plain")
def first() -> str:
    """The first note."""
    return "A note"


@server.resource("images://pixel", mime_type="image/png")
def pixel() -> str | bytes:
    """A picture."""
    return PIXEL.decode(errors="replace") if DEFECT == "picture-as-text" else PIXEL


class Listings(Middleware):
    """Adds to what is listed, as gateways do that list what other servers have."""

    async def on_list_resources(self, context, call_next):
        resources = list(await call_next(context))
        if DEFECT == "listed-not-readable":
            resources.append(TextResource(uri="notes://removed", name="removed", text="A note", mime_type="text/plain"))
        return resources


server.add_middleware(Listings())
server.run("stdio", show_banner=False)
