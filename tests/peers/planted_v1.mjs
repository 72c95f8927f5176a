// A server on the TypeScript SDK 1.x, with its low-level `Server`. The environment variable `DEFECT` plants one defect; without
// it the server is sound. `interop/planted.rs` lists the defects.
//
// planted_v1.mjs PEERS (stdio | http PORT), where PEERS is the folder that .ci/peers filled

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const [peers, transportName, port] = process.argv.slice(2);
const defect = process.env.DEFECT ?? "";
const require = createRequire(`${peers}/npm/`);
const { Server } = require("@modelcontextprotocol/sdk/server/index.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");
const {
  CallToolRequestSchema, CompleteRequestSchema, ErrorCode, GetPromptRequestSchema, ListPromptsRequestSchema, ListToolsRequestSchema, McpError,
} = require("@modelcontextprotocol/sdk/types.js");

const tools = [
  {
    name: "add",
    description: "Adds two numbers",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number", default: 1 }, b: { type: "number", default: 2 } },
      required: ["a", "b"],
    },
    annotations: { readOnlyHint: true },
  },
];
const languages = Array.from({ length: 120 }, (_, at) => `language-${at}`);
const prompts = [
  { name: "review", description: "Reviews code", arguments: [{ name: "language", required: true }] },
];

function make() {
  const capabilities = { tools: {}, prompts: {}, completions: {} };
  const server = new Server({ name: "planted-v1", version: "1.0.0" }, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name !== "add") {
      if (defect === "unknown-tool-as-result") {
        return { content: [{ type: "text", text: `Unknown tool: ${params.name}` }], isError: true };
      }
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    }
    const { a, b } = params.arguments ?? {};
    if (typeof a !== "number" || typeof b !== "number") {
      return { content: [{ type: "text", text: "a and b must be numbers" }], isError: true };
    }
    return { content: [{ type: "text", text: String(a + b) }] };
  });
  if (defect !== "declared-not-served") {
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts }));
  }
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const language = params.arguments?.language;
    if (params.name !== "review" || language === undefined) {
      throw new McpError(ErrorCode.InvalidParams, "the prompt is unknown, or has no language");
    }
    return { messages: [{ role: "user", content: { type: "text", text: `Review this ${language} code.` } }] };
  });
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => {
    if (params.ref.type !== "ref/prompt" || params.ref.name !== "review" || params.argument.name !== "language") {
      throw new McpError(ErrorCode.InvalidParams, "unknown argument");
    }
    const found = languages.filter((language) => language.startsWith(params.argument.value));
    const values = defect === "too-many-completions" ? found : found.slice(0, 100);
    return { completion: { values, total: found.length, hasMore: values.length < found.length } };
  });
  return server;
}

const sessions = new Map();

function refuse(response, status, message) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }));
}

async function handle(request, response) {
  const local = ["localhost", "127.0.0.1", "[::1]"];
  const host = new URL(`http://${request.headers.host}`).hostname;
  const origin = request.headers.origin;
  if (!local.includes(host)) return refuse(response, 403, "foreign host");
  if (origin && !local.includes(URL.parse(origin)?.hostname) && defect !== "foreign-origin-served") {
    return refuse(response, 403, "foreign origin");
  }
  const id = request.headers["mcp-session-id"];
  let transport = sessions.get(id);
  if (id !== undefined && transport === undefined) {
    // The examples of the SDK have 400 here.
    return refuse(response, defect === "ended-session-400" ? 400 : 404, "no such session");
  }
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await make().connect(transport);
  }
  await transport.handleRequest(request, response);
}

switch (transportName) {
  case "stdio":
    await make().connect(new StdioServerTransport());
    break;
  case "http":
    createServer((request, response) => void handle(request, response)).listen(Number(port), "127.0.0.1");
    break;
  default:
    throw new Error(`unknown transport ${transportName}`);
}
