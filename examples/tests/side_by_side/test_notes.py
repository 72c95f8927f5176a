"""Twenty tests of the notes server with FastMCP's client, to compare with the same tests written with mcp-test."""

import asyncio
from unittest.mock import AsyncMock

import pytest
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.exceptions import ToolError
from mcp import MCPError
from mcp_types import PromptReference

from notes_server import PIXEL, create_server


@pytest.fixture
async def client():
    """A client of a server of its own."""
    async with Client(create_server()) as client:
        yield client


async def add_note(client):
    return await client.call_tool("add_note", {"title": "Milk", "text": "Buy milk"})


async def delete_note(answer):
    """Adds a note, and answers the question whether to delete it."""
    handler = AsyncMock(return_value=answer)
    async with Client(create_server(), elicitation_handler=handler) as client:
        await add_note(client)
        return await client.call_tool("delete_note", {"id": 1})


async def test_the_server_introduces_itself(client):
    assert client.server_info.name == "notes"
    assert "Delete only" in client.instructions


async def test_the_tools_are_listed(client):
    assert {tool.name for tool in await client.list_tools()} == {
        "add_note",
        "import",
        "synchronize",
        "delete_note",
        "summarize",
        "count_folders",
        "show_samples",
    }


async def test_a_tool_declares_its_arguments(client):
    tools = {tool.name: tool for tool in await client.list_tools()}
    schema = tools["add_note"].input_schema
    assert set(schema["required"]) == {"title", "text"}
    assert schema["properties"]["title"]["type"] == "string"


async def test_a_note_is_added(client):
    result = await add_note(client)
    assert result.structured_content == {"id": 1, "uri": "note://1"}


async def test_a_missing_note_is_an_error_of_the_tool(client):
    with pytest.raises(ToolError, match="there is no note 9"):
        await client.call_tool("delete_note", {"id": 9})


async def test_an_unknown_tool_is_refused(client):
    with pytest.raises(ToolError, match="burn_note"):
        await client.call_tool("burn_note")


async def test_arguments_of_the_wrong_type_are_refused(client):
    with pytest.raises(ToolError, match="count"):
        await client.call_tool("import", {"count": "many"})


async def test_an_image_is_shown(client):
    image = (await client.call_tool("show_samples")).content[1]
    assert (image.type, image.mime_type, image.data) == ("image", "image/png", PIXEL)


async def test_a_note_is_linked(client):
    content = (await client.call_tool("show_samples")).content
    assert "note://1" in [block.uri for block in content if block.type == "resource_link"]


async def test_progress_is_reported(client):
    handler = AsyncMock()
    await client.call_tool("import", {"count": 3}, progress_handler=handler)
    reports = [call.args[:2] for call in handler.await_args_list]
    assert reports == [(1, 3), (2, 3), (3, 3)]


async def test_the_import_is_logged():
    logs = asyncio.Queue()
    async with Client(create_server(), log_handler=logs.put) as client:
        await client.call_tool("import", {"count": 3})
        log = await asyncio.wait_for(logs.get(), 5)
    assert (log.level, log.logger, log.data) == ("info", "import", {"imported": 3})


async def test_a_note_is_deleted_when_the_user_agrees():
    result = await delete_note({"sure": True})
    assert result.content[0].text == "note 1 deleted"


async def test_a_note_is_kept_when_the_user_declines():
    result = await delete_note(ElicitResult(action="decline"))
    assert result.content[0].text == "note 1 kept"


async def test_the_model_summarizes():
    def handler(messages, params, context):
        return messages[0].content.text.upper()

    async with Client(create_server(), sampling_handler=handler) as client:
        await add_note(client)
        result = await client.call_tool("summarize")
    assert result.content[0].text == "SUMMARIZE: BUY MILK"


async def test_folders_are_counted():
    async with Client(create_server(), roots=["file:///home/ada", "file:///srv"]) as client:
        result = await client.call_tool("count_folders")
    assert result.content[0].text == "2"


async def test_a_new_note_is_announced():
    messages = asyncio.Queue()
    # From 2026-07-28 on a client has to subscribe first, and FastMCP's client cannot.
    async with Client(create_server(), mode="legacy", message_handler=messages.put) as client:
        await add_note(client)
        message = await asyncio.wait_for(messages.get(), 5)
    assert message.method == "notifications/resources/list_changed"


async def test_a_note_is_a_resource(client):
    await add_note(client)
    [note] = await client.list_resources()
    assert (note.uri, note.name, note.mime_type) == ("note://1", "Milk", "text/plain")
    [contents] = await client.read_resource("note://1")
    assert contents.text == "Buy milk"


async def test_a_missing_note_cannot_be_read(client):
    with pytest.raises(MCPError, match="there is no note"):
        await client.read_resource("note://9")


async def test_a_review_names_the_note(client):
    review = await client.get_prompt("review", {"id": "1", "tone": "frank"})
    assert [(message.role, message.content.text) for message in review.messages] == [
        ("user", "Review note 1."),
        ("assistant", "I will be frank."),
    ]


async def test_a_tone_is_completed(client):
    argument = {"name": "tone", "value": "fr"}
    completion = await client.complete(PromptReference(name="review"), argument)
    assert completion.values == ["friendly", "frank"]
