// A server on the TypeScript SDK 2.x that sends as many kinds of messages and content as it can, to test their shapes.
//
// varied_v2.mjs PEERS (stdio | http PORT), where PEERS is the folder that .ci/peers filled

import { createServer } from "node:http";
import { createRequire } from "node:module";

const [peers, transportName, port] = process.argv.slice(2);
const require = createRequire(`${peers}/npm/`);
const { McpServer, ResourceTemplate, completable, createMcpHandler, inputRequired } = require("@modelcontextprotocol/server");
const { z } = require("zod");

const icons = [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "light" }];
const annotations = { audience: ["user"], priority: 0.5, lastModified: "2026-07-28T00:00:00Z" };
const _meta = { "example.com/kind": "varied" };
const text = (text, more) => ({ content: [{ type: "text", text }], ...more });

const resource = { uri: "test://text", mimeType: "text/plain", text: "text", _meta };
const blob = { uri: "test://bytes", mimeType: "application/octet-stream", blob: "AAEC" };
const contents = [
  { type: "text", text: "text", annotations, _meta },
  { type: "image", data: "AAEC", mimeType: "image/png" },
  { type: "audio", data: "AAEC", mimeType: "audio/wav" },
  { type: "resource", resource },
  { type: "resource", resource: blob },
  { type: "resource_link", uri: "test://text", name: "text", size: 4, icons },
];

const message = { role: "user", content: { type: "text", text: "Say something." } };
const modelPreferences = { hints: [{ name: "small" }], costPriority: 0.25 };
const form = z.object({ name: z.string(), age: z.number().int().default(30), height: z.number().default(1.5), member: z.boolean() });
const questions = {
  asks_user: () => inputRequired.elicit({ message: "Who are you?", requestedSchema: form }),
  asks_web: () => inputRequired.elicitUrl({ message: "Go there.", url: "https://example.com/" }),
  asks_model: () => inputRequired.createMessage({ messages: [message], maxTokens: 10, temperature: 0.5, modelPreferences }),
  asks_client: () => inputRequired.listRoots(),
};

function make() {
  const server = new McpServer(
    { name: "typescript-varied", title: "Varied", version: "2.0.0", websiteUrl: "https://example.com/", icons },
    { instructions: "Call everything.", capabilities: { logging: {} } },
  );
  const weather = { title: "Weather", description: "What the weather is like.", icons, annotations: { title: "Weather", readOnlyHint: true }, _meta };
  const input = z.object({ city: z.string(), days: z.number().int().default(1) });
  const output = z.object({ degrees: z.number(), words: z.string(), gusts: z.array(z.number()) });
  server.registerTool("weather", { ...weather, inputSchema: input, outputSchema: output }, ({ city }) => {
    const structuredContent = { degrees: 20.5, words: `fine in ${city}`, gusts: [1, 2.5] };
    return text(JSON.stringify(structuredContent), { structuredContent });
  });
  server.registerTool("contents", { description: "Content of all kinds that tools may return." }, () => ({ content: contents }));
  server.registerTool("fails", { description: "Goes wrong in a way that it did not foresee." }, () => {
    throw new Error("no");
  });
  server.registerTool("tells", { description: "Tells how far it is, and logs." }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 0.5, total: 1, message: "half" } });
    await ctx.mcpReq.log("info", "a text");
    await ctx.mcpReq.log("warning", { of: ["any", null, 1.5] }, "varied");
    return text("told");
  });
  server.registerTool("changes", { description: "Says that everything has changed." }, () => {
    server.sendToolListChanged();
    server.sendPromptListChanged();
    server.sendResourceListChanged();
    return text("changed");
  });
  for (const [name, question] of Object.entries(questions)) {
    server.registerTool(name, { description: "Asks." }, (ctx) => {
      const answer = ctx.mcpReq.inputResponses?.answer;
      return answer ? text(JSON.stringify(answer)) : inputRequired({ inputRequests: { answer: question() }, requestState: "asked" });
    });
  }
  server.registerResource("text", "test://text", { title: "Text", description: "Text.", mimeType: "text/plain", icons, annotations, _meta }, () => ({ contents: [resource] }));
  server.registerResource("bytes", "test://bytes", { mimeType: blob.mimeType }, () => ({ contents: [blob] }));
  const list = () => ({ resources: [{ uri: "test://of/a", name: "a", size: 1 }] });
  const template = new ResourceTemplate("test://of/{name}", { list, complete: { name: () => ["a", "b"] } });
  server.registerResource("of", template, { title: "Of", description: "One of many.", icons }, (uri) => ({
    contents: [{ uri: uri.href, text: "{}" }],
  }));
  const argsSchema = z.object({ topic: z.string(), tone: completable(z.string(), () => ["kind", "curt"]) });
  server.registerPrompt("talk", { title: "Talk", description: "A talk.", icons, argsSchema }, ({ topic }) => ({
    description: "A talk.",
    messages: contents.map((content, at) => ({ role: at % 2 ? "assistant" : "user", content })).concat([{ role: "user", content: { type: "text", text: topic } }]),
  }));
  return server;
}

switch (transportName) {
  case "stdio":
    require("@modelcontextprotocol/server/stdio").serveStdio(make);
    break;
  case "http": {
    const handle = require("@modelcontextprotocol/node").toNodeHandler(createMcpHandler(make));
    createServer((request, response) => void handle(request, response)).listen(Number(port), "127.0.0.1");
    break;
  }
  default:
    throw new Error(`unknown transport ${transportName}`);
}
