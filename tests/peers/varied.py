"""An MCP server on the official Python SDK that sends as many kinds of messages and content as it can, to test their shapes.

varied.py stdio | varied.py http PORT
"""

import sys
from typing import Annotated

import mcp_types as types
from mcp.server import MCPServer
from mcp.server.mcpserver import AssistantMessage, Audio, Context, Elicit, Image, ListRoots, Resolve, Sample, UserMessage
from pydantic import BaseModel

ICON = types.Icon(src="https://example.com/icon.png", mime_type="image/png", sizes=["48x48"])
NOTES = types.Annotations(audience=["user"], priority=0.5)
META = {"example.com/kind": "varied"}

server = MCPServer(
    "python-varied",
    title="Varied",
    description="Says many kinds of things.",
    instructions="Call everything.",
    website_url="https://example.com/",
    icons=[ICON],
    version="1.0.0",
)


class Weather(BaseModel):
    degrees: float
    words: str
    gusts: list[int] = []


class Person(BaseModel):
    name: str
    age: int = 30
    height: float = 1.5
    member: bool = True


@server.tool(title="Weather", annotations=types.ToolAnnotations(title="Weather", read_only_hint=True), icons=[ICON], meta=META)
def weather(city: str, days: int = 1) -> Weather:
    """What the weather is like."""
    return Weather(degrees=20.5, words=f"fine in {city} for {days}")


@server.tool()
def number() -> float:
    """A number, which is no object."""
    return 0.5


@server.tool()
def numbers() -> list[int]:
    """Numbers, which are no object."""
    return [1, 2]


@server.tool()
def picture() -> Image:
    """A picture."""
    return Image(data=b"\x89PNG", format="png")


@server.tool()
def sound() -> Audio:
    """A sound."""
    return Audio(data=b"RIFF", format="wav")


@server.tool()
def contents() -> list[types.ContentBlock]:
    """Content of all kinds that tools may return."""
    text = types.TextResourceContents(uri="test://text", mime_type="text/plain", text="text", _meta=META)
    blob = types.BlobResourceContents(uri="test://bytes", mime_type="application/octet-stream", blob="AAEC")
    return [
        types.TextContent(type="text", text="text", annotations=NOTES, _meta=META),
        types.ImageContent(type="image", data="AAEC", mime_type="image/png"),
        types.AudioContent(type="audio", data="AAEC", mime_type="audio/wav"),
        types.EmbeddedResource(type="resource", resource=text),
        types.EmbeddedResource(type="resource", resource=blob),
        types.ResourceLink(type="resource_link", uri="test://text", name="text", size=4, icons=[ICON]),
    ]


@server.tool()
def fails() -> str:
    """Goes wrong in a way that it did not foresee."""
    raise ValueError("no")


@server.tool()
async def tells(ctx: Context) -> str:
    """Tells how far it is, and logs."""
    await ctx.report_progress(0.5, 1, "half")
    await ctx.info("a text")
    await ctx.warning({"of": ["any", None, 1.5]}, logger_name="varied")
    return "told"


@server.tool()
async def changes(ctx: Context) -> str:
    """Says that everything has changed."""
    await ctx.notify_tools_changed()
    await ctx.notify_prompts_changed()
    await ctx.notify_resources_changed()
    await ctx.notify_resource_updated("test://text")
    return "changed"


def who() -> Elicit[Person]:
    return Elicit("Who are you?", Person)


def say() -> Sample:
    said = types.TextContent(type="text", text="Say something.")
    message = types.SamplingMessage(role="user", content=said)
    wishes = types.ModelPreferences(hints=[types.ModelHint(name="small")], cost_priority=0.25)
    return Sample([message], max_tokens=10, system_prompt="Be brief.", temperature=0.5, model_preferences=wishes)


def where() -> ListRoots:
    return ListRoots()


@server.tool()
def asks_user(person: Annotated[Person, Resolve(who)]) -> str:
    """Asks the user."""
    return person.name


@server.tool()
def asks_model(said: Annotated[types.CreateMessageResult, Resolve(say)]) -> str:
    """Asks the model."""
    return said.model


@server.tool()
def asks_client(roots: Annotated[types.ListRootsResult, Resolve(where)]) -> str:
    """Asks the client."""
    return str(len(roots.roots))


@server.resource("test://text", title="Text", description="Text.", mime_type="text/plain", icons=[ICON], annotations=NOTES, meta=META)
def text() -> str:
    return "text"


@server.resource("test://bytes", mime_type="application/octet-stream")
def some_bytes() -> bytes:
    return b"\x00\x01\xff"


@server.resource("test://of/{name}", title="Of", description="One of many.", icons=[ICON])
def of(name: str) -> dict[str, str]:
    return {"name": name}


@server.prompt(title="Talk", description="A talk.", icons=[ICON])
def talk(topic: str, tone: str = "kind") -> list:
    image = types.ImageContent(type="image", data="AAEC", mime_type="image/png")
    return [UserMessage(f"On {topic}, {tone}."), AssistantMessage("Gladly."), UserMessage(image)]


@server.completion()
async def complete(ref, argument, context):
    return types.Completion(values=["kind", "curt"], total=2, has_more=False)


match sys.argv[1:]:
    case ["stdio"]:
        server.run("stdio")
    case ["http", port]:
        server.run("streamable-http", host="127.0.0.1", port=int(port))
    case _:
        sys.exit(__doc__)
