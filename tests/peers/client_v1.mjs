// A client on the TypeScript SDK 1.x. Prints each result that it checks as a line of JSON.
//
// client_v1.mjs PEERS (http URL | sse URL | stdio COMMAND [ARGUMENT ...]), where PEERS is the folder
// that .ci/peers filled

import { createRequire } from "node:module";

const [peers, transportName, ...rest] = process.argv.slice(2);
const require = createRequire(`${peers}/npm/`);
const sdk = (path) => require(`@modelcontextprotocol/sdk/${path}`);
const { Client } = sdk("client/index.js");
const { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } = sdk("types.js");

const report = (result) => console.log(JSON.stringify(result));

function transport() {
  switch (transportName) {
    case "http":
      return new (sdk("client/streamableHttp.js").StreamableHTTPClientTransport)(new URL(rest[0]));
    case "sse":
      return new (sdk("client/sse.js").SSEClientTransport)(new URL(rest[0]));
    case "stdio":
      return new (sdk("client/stdio.js").StdioClientTransport)({ command: rest[0], args: rest.slice(1) });
    default:
      throw new Error(`unknown transport ${transportName}`);
  }
}

const client = new Client(
  { name: "typescript-v1", version: "1.0.0" },
  { capabilities: { sampling: {}, elicitation: {}, roots: {} } },
);
client.setRequestHandler(CreateMessageRequestSchema, () => ({
  role: "assistant",
  content: { type: "text", text: "sampled" },
  model: "none",
}));
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { username: "ann", email: "a@b.example" } }));
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///tmp" }] }));

const texts = (result) => result.content.map((item) => item.text);
await client.connect(transport());
report({ server: client.getServerVersion().name });
const { tools } = await client.listTools();
report({ tools: ["add", "test_error_handling"].every((name) => tools.some((tool) => tool.name === name)) });
report({ add: texts(await client.callTool({ name: "add", arguments: { a: 2, b: 3 } })) });
const failed = await client.callTool({ name: "test_error_handling", arguments: {} });
report({ error: failed.isError });
report({ sampling: texts(await client.callTool({ name: "test_sampling", arguments: { prompt: "say" } })) });
report({ elicitation: texts(await client.callTool({ name: "test_elicitation", arguments: { message: "who" } })).length });
const { contents } = await client.readResource({ uri: "test://static-text" });
report({ resource: contents[0].text });
const { messages } = await client.getPrompt({ name: "test_simple_prompt" });
report({ prompt: messages[0].content.text });
await client.setLoggingLevel("warning");
await client.subscribeResource({ uri: "test://watched-resource" });
await client.unsubscribeResource({ uri: "test://watched-resource" });
await client.ping();
await client.close();
report({ closed: true });
