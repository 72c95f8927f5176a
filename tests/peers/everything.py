"""An MCP server on the official Python SDK, with fixtures for the built-in scenarios.

everything.py stdio | everything.py http PORT
"""

import sys

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("python-everything", version="1.0.0")


@server.tool(structured_output=False)
def test_simple_text() -> str:
    """Returns a fixed text."""
    return "This is a simple text response for testing."


@server.tool(structured_output=False)
def test_error_handling() -> str:
    """Always fails."""
    raise ToolError("This tool intentionally returns an error for testing")


@server.resource("test://static-text", name="static-text", mime_type="text/plain")
def static_text() -> str:
    """A fixed text."""
    return "This is the content of the static text resource."


@server.prompt()
def test_simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


match sys.argv[1:]:
    case ["stdio"]:
        server.run("stdio")
    case ["http", port]:
        server.run("streamable-http", host="127.0.0.1", port=int(port))
    case _:
        sys.exit(__doc__)
