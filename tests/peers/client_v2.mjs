// A client on the TypeScript SDK 2.x. Prints a line of JSON for each thing that it was told.
//
// client_v2.mjs PEERS (legacy | auto | REVISION) (http URL | stdio COMMAND [ARGUMENT ...]), where PEERS is the folder that
// .ci/peers filled

import { createRequire } from "node:module";

const [peers, mode, carrier, ...rest] = process.argv.slice(2);
const require = createRequire(`${peers}/npm/`);
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");

const tell = (what) => console.log(JSON.stringify(what));

function transport() {
  switch (carrier) {
    case "http":
      return new StreamableHTTPClientTransport(new URL(rest[0]));
    case "stdio": {
      const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
      return new StdioClientTransport({ command: rest[0], args: rest.slice(1) });
    }
    default:
      throw new Error(`no carrier ${carrier}`);
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
tell({ server: client.getServerVersion()?.name });
const { tools } = await client.listTools();
tell({ tools: ["add", "test_error_handling"].every((name) => tools.some((tool) => tool.name === name)) });
tell({ add: texts(await client.callTool({ name: "add", arguments: { a: 2, b: 3 } })) });
const failed = await client.callTool({ name: "test_error_handling", arguments: {} });
tell({ error: failed.isError });
if (mode === "legacy") {
  tell({ sampling: texts(await client.callTool({ name: "test_sampling", arguments: { prompt: "say" } })) });
  const elicited = await client.callTool({ name: "test_elicitation", arguments: { message: "who" } });
  tell({ elicitation: texts(elicited).length });
}
const { contents } = await client.readResource({ uri: "test://static-text" });
tell({ resource: contents[0].text });
const { messages } = await client.getPrompt({ name: "test_simple_prompt" });
tell({ prompt: messages[0].content.text });
await client.close();
tell({ closed: true });
