"""The notes server of `examples/src/notes.rs`, written with FastMCP: what the twenty tests in `test_notes.py` touch."""

import asyncio
from dataclasses import dataclass

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ResourceError, ToolError
from fastmcp.prompts import Message, PromptResult
from fastmcp.resources import TextResource
from fastmcp.tools import ToolResult
from mcp_types import (
    AudioContent,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    ResourceLink,
    ResourceListChangedNotification,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A picture of one pixel, in Base64."""

TONES = ["friendly", "formal", "frank"]


@dataclass
class Added:
    """A note that was added."""

    id: int
    uri: str


def create_server() -> FastMCP:
    """A server without any notes."""
    notes: dict[int, str] = {}
    mcp = FastMCP(
        "notes",
        instructions="Keeps notes. Delete only what the user wants to delete.",
        version="1.0.0",
    )

    @mcp.tool(annotations={"readOnlyHint": False})
    async def add_note(title: str, text: str, ctx: Context) -> Added:
        """Adds a note"""
        id = max(notes, default=0) + 1
        uri = f"note://{id}"
        notes[id] = text
        mcp.add_resource(TextResource(uri=uri, name=title, text=text, mime_type="text/plain"))
        await ctx.send_notification(ResourceListChangedNotification())
        return Added(id, uri)

    @mcp.tool(name="import")
    async def import_notes(count: int, ctx: Context) -> str:
        """Imports notes from elsewhere"""
        for number in range(1, count + 1):
            await ctx.report_progress(number, count, f"note {number}")
        # `ctx.info` sends an object with the members `msg` and `extra`; the data of this message is another one.
        await ctx.session.send_log_message(
            "info", {"imported": count}, "import", related_request_id=ctx.request_id
        )
        return f"{count} notes imported"

    @mcp.tool
    async def synchronize() -> str:
        """Synchronizes the notes forever"""
        await asyncio.Event().wait()
        return "stopped"

    # From 2026-07-28 on a tool asks by its result, and is called again with the answers.
    @mcp.tool(annotations={"destructiveHint": True})
    async def delete_note(id: int, ctx: Context) -> str | InputRequiredResult:
        """Deletes a note, if the user agrees"""
        if id not in notes:
            raise ToolError(f"there is no note {id}")
        if not ctx.input_responses:
            sure = {"type": "boolean", "title": "Delete it", "default": False}
            schema = {"type": "object", "properties": {"sure": sure}, "required": ["sure"]}
            params = ElicitRequestFormParams(message=f"Delete note {id}?", requested_schema=schema)
            return InputRequiredResult(input_requests={"question": ElicitRequest(params=params)})
        answer = ctx.input_responses["question"]
        if answer.action != "accept" or not answer.content["sure"]:
            return f"note {id} kept"
        del notes[id]
        mcp.local_provider.remove_resource(f"note://{id}")
        await ctx.send_notification(ResourceListChangedNotification())
        return f"note {id} deleted"

    @mcp.tool
    async def summarize(ctx: Context) -> str | InputRequiredResult:
        """Summarizes all notes"""
        if not ctx.input_responses:
            text = TextContent(text=f"Summarize: {'; '.join(notes.values())}")
            messages = [SamplingMessage(role="user", content=text)]
            params = CreateMessageRequestParams(messages=messages, max_tokens=100)
            request = CreateMessageRequest(params=params)
            return InputRequiredResult(input_requests={"question": request})
        return ctx.input_responses["question"].content.text

    @mcp.tool(annotations={"readOnlyHint": True})
    async def count_folders(ctx: Context) -> str | InputRequiredResult:
        """Counts the folders of the client"""
        if not ctx.input_responses:
            return InputRequiredResult(input_requests={"question": ListRootsRequest()})
        return str(len(ctx.input_responses["question"].roots))

    @mcp.tool(annotations={"readOnlyHint": True})
    async def show_samples() -> ToolResult:
        """Shows what a note may contain"""
        sample = TextResourceContents(uri="note://sample", text="a sample")
        return ToolResult(
            content=[
                TextContent(text="samples"),
                ImageContent(data=PIXEL, mime_type="image/png"),
                AudioContent(data="UklGRg==", mime_type="audio/wav"),
                ResourceLink(uri="note://1", name="note 1", mime_type="text/plain"),
                EmbeddedResource(resource=sample),
            ]
        )

    # The notes that exist are resources of their own.
    @mcp.resource("note://{id}", name="note", mime_type="text/plain")
    async def missing_note(id: str) -> str:
        raise ResourceError(f"there is no note at note://{id}")

    @mcp.prompt
    async def review(id: str, tone: str = "friendly") -> PromptResult:
        """Asks for a review of a note"""
        messages = [
            Message(f"Review note {id}."),
            Message(f"I will be {tone}.", role="assistant"),
        ]
        return PromptResult(messages, description="A review of a note")

    @mcp.completion
    async def complete(ref, argument, context):
        if argument.name == "tone":
            return [tone for tone in TONES if tone.startswith(argument.value)]

    return mcp
