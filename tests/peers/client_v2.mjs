// A client on the TypeScript SDK 2.x. Prints each result that it checks as a line of JSON.
//
// client_v2.mjs PEERS (legacy | auto | REVISION) (http URL | stdio COMMAND [ARGUMENT ...]), where PEERS is the folder that
// .ci/peers filled

import { createRequire } from "node:module";

const [peers, mode, transportName, ...rest] = process.argv.slice(2);
const require = createRequire(`${peers}/npm/`);
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");

const report = (result) => console.log(JSON.stringify(result));

function transport() {
  switch (transportName) {
    case "http":
      return new StreamableHTTPClientTransport(new URL(rest[0]));
    case "stdio": {
      const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
      return new StdioClientTransport({ command: rest[0], args: rest.slice(1) });
    }
    default:
      throw new Error(`unknown transport ${transportName}`);
  }
}

const client = new Client(
  { name: "typescript-v2", version: "2.0.0" },
  {
    capabilities: { sampling: {}, elicitation: {} },
    versionNegotiation: { mode: ["legacy", "auto"].includes(mode) ? mode : { pin: mode } },
  },
);
client.setRequestHandler("sampling/createMessage", () => ({
  role: "assistant",
  content: { type: "text", text: "sampled" },
  model: "none",
}));
client.setRequestHandler("elicitation/create", () => ({
  action: "accept",
  content: { username: "ann", email: "a@b.example" },
}));

const texts = (result) => result.content.map((item) => item.text);
await client.connect(transport());
report({ server: client.getServerVersion()?.name });
const { tools } = await client.listTools();
report({ tools: ["add", "test_error_handling"].every((name) => tools.some((tool) => tool.name === name)) });
report({ add: texts(await client.callTool({ name: "add", arguments: { a: 2, b: 3 } })) });
const failed = await client.callTool({ name: "test_error_handling", arguments: {} });
report({ error: failed.isError });
if (mode === "legacy") {
  report({ sampling: texts(await client.callTool({ name: "test_sampling", arguments: { prompt: "say" } })) });
  const elicited = await client.callTool({ name: "test_elicitation", arguments: { message: "who" } });
  report({ elicitation: texts(elicited).length });
}
const { contents } = await client.readResource({ uri: "test://static-text" });
report({ resource: contents[0].text });
const { messages } = await client.getPrompt({ name: "test_simple_prompt" });
report({ prompt: messages[0].content.text });
await client.close();
report({ closed: true });
