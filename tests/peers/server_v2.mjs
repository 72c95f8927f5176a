// A server on the TypeScript SDK 2.x for both eras, with fixtures for the built-in scenarios.
//
// server_v2.mjs PEERS (stdio | http PORT), where PEERS is the folder that .ci/peers filled

import { createServer } from "node:http";
import { createRequire } from "node:module";

const [peers, transportName, port] = process.argv.slice(2);
const require = createRequire(`${peers}/npm/`);
const { McpServer, createMcpHandler } = require("@modelcontextprotocol/server");

function make() {
  const server = new McpServer({ name: "typescript-v2", version: "2.0.0" });
  const text = (text, more) => ({ content: [{ type: "text", text }], ...more });
  server.registerTool("test_simple_text", { description: "Returns a fixed text." }, () =>
    text("This is a simple text response for testing."));
  server.registerTool("test_error_handling", { description: "Always fails." }, () =>
    text("This tool intentionally returns an error for testing", { isError: true }));
  server.registerResource("static-text", "test://static-text", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerPrompt("test_simple_prompt", { description: "A prompt without arguments." }, () => ({
    messages: [{ role: "user", content: { type: "text", text: "This is a simple prompt for testing." } }],
  }));
  return server;
}

switch (transportName) {
  case "stdio":
    require("@modelcontextprotocol/server/stdio").serveStdio(make);
    break;
  case "http": {
    const { localhostHostValidation, localhostOriginValidation, toNodeHandler } = require("@modelcontextprotocol/node");
    const [host, origin] = [localhostHostValidation(), localhostOriginValidation()];
    const handle = toNodeHandler(createMcpHandler(make));
    createServer((request, response) => {
      if (host(request, response) && origin(request, response)) void handle(request, response);
    }).listen(Number(port), "127.0.0.1");
    break;
  }
  default:
    throw new Error(`unknown transport ${transportName}`);
}
