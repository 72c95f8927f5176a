"""An MCP server written by hand, over standard streams, at every revision with a handshake.

The environment variable `DEFECT` plants one defect; without it the server is sound. `interop/planted.rs` lists the defects.
"""

import json
import os
import sys

DEFECT = os.environ.get("DEFECT", "")
REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
TOOLS = [
    {
        "name": name,
        "description": f"Writes a text in {case}",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "default": "Hello"}}, "required": ["text"]},
        "annotations": {"readOnlyHint": True},
    }
    for name, case in [("upper", "capitals"), ("lower", "small letters"), ("title", "capitalized words")]
]
session = {"revision": REVISIONS[-1], "initialized": False}


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


def invalid(message):
    return Refused(-32602, message)


def initialize(params):
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        raise invalid("protocolVersion must be a string")
    session["revision"] = asked if asked in REVISIONS else REVISIONS[-1]
    offered = asked if DEFECT == "confirms-unknown-version" else session["revision"]
    info = {"name": "planted", "version": "1.0.0"}
    return {"protocolVersion": offered, "capabilities": {"tools": {}}, "serverInfo": info}


def list_tools(params):
    cursor = params.get("cursor", "0")
    if cursor not in ("0", "1", "2") or ("cursor" in params and cursor == "0"):
        raise invalid("unknown cursor")
    page = int(cursor)
    result = {"tools": TOOLS[page : page + 1]}
    if page + 1 < len(TOOLS):
        result["nextCursor"] = str(page + 1)
    elif DEFECT == "endless-list":
        result["nextCursor"] = "1"
    return result


def call_tool(params):
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise invalid("name must be a string and arguments an object")
    if name not in [tool["name"] for tool in TOOLS]:
        raise invalid(f"unknown tool {name}")
    if DEFECT == "prints-to-stdout":
        print(f"calling {name}", flush=True)
    text = arguments.get("text")
    if not isinstance(text, str):
        if session["revision"] < "2025-11-25":
            raise invalid("text must be a string")
        return failure("text must be a string")
    return {"content": [{"type": "text", "text": getattr(text, name)()}]}


def failure(text):
    return {"content": [{"type": "text", "text": text}], "isError": True}


METHODS = {"initialize": initialize, "ping": lambda params: {}, "tools/list": list_tools, "tools/call": call_tool}


def answer(message):
    """The reply to a message, or None."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error(None, -32600, "not a JSON-RPC message")
    known, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if "method" not in message and ("result" in message or "error" in message):
        return None
    if not isinstance(method, str):
        return error(known, -32600, "method must be a string")
    if "id" not in message:
        if method == "notifications/initialized":
            session["initialized"] = True
        elif DEFECT == "answers-notifications":
            return error(None, -32601, f"unknown notification {method}")
        return None
    if DEFECT == "ids-as-text" and isinstance(known, int) and known < 0:
        known = str(known)
    if DEFECT == "no-ping-before-initialized" and method == "ping" and not session["initialized"]:
        return error(known, -32600, "not initialized")
    if method not in METHODS:
        return error(known, -32601, f"unknown method {method}")
    if not isinstance(params, dict):
        return error(known, -32602, "params must be an object")
    try:
        return {"jsonrpc": "2.0", "id": known, "result": METHODS[method](params)}
    except Refused as refused:
        return error(known, refused.code, refused.message)


def error(known, code, message):
    reply = {"jsonrpc": "2.0", "error": {"code": code, "message": message}}
    # An error without the id of a request has none from 2025-11-25 on, and `null` before.
    if known is not None or session["revision"] < "2025-11-25":
        reply["id"] = known
    return reply


def write(reply):
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    try:
        received = json.loads(line)
    except ValueError:
        write(error(None, -32700, "not JSON"))
        continue
    if isinstance(received, list) and session["revision"] == "2025-03-26":
        replies = [reply for reply in map(answer, received) if reply is not None]
        if not received:
            write(error(None, -32600, "an empty batch"))
        elif replies:
            write(replies)
        continue
    reply = answer(received)
    if reply is not None:
        write(reply)
