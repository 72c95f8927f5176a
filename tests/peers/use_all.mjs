// A client that uses everything that the server offers: it calls each tool, reads each resource and gets each prompt, and
// accepts each form with its defaults, and an example where there is none.
// Arguments: the folder of the installed packages, the SDK (v1, v2 or ai-sdk), the URL of the server or the command that starts it.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, sdk, ...server] = process.argv.slice(2);
const isUrl = server[0].startsWith("http://");
const require = createRequire(join(packages, "package.json"));
const clientInfo = { name: "use-all", version: "1.0.0" };
const examples = { string: "text", integer: 5, number: 0.5, boolean: true };
const example = (schema) =>
  schema.enum?.[0] ?? schema.oneOf?.[0].const ?? (schema.items ? [choice(schema.items)] : examples[schema.type]);
const choice = (items) => items.enum?.[0] ?? items.anyOf?.[0].const;
const accept = ({ params }) => ({
  action: "accept",
  content: Object.fromEntries(
    Object.entries(params.requestedSchema.properties).map(([name, schema]) => [name, schema.default ?? example(schema)]),
  ),
});
const numbers = (tool) => (tool.inputSchema.properties?.a ? { a: 5, b: 3 } : {});

switch (sdk) {
  case "v1":
    await useAll(await connectV1());
    break;
  case "v2":
    await useAll(await connectV2());
    break;
  case "ai-sdk":
    await useAiSdk();
    break;
  default:
    throw new Error(`unknown SDK ${sdk}`);
}

async function connectV1() {
  const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
  const { ElicitRequestSchema } = require("@modelcontextprotocol/sdk/types.js");
  // Older versions of the SDK have no elicitation.
  const capabilities = ElicitRequestSchema ? { elicitation: {} } : {};
  const client = new Client(clientInfo, { capabilities });
  if (ElicitRequestSchema) client.setRequestHandler(ElicitRequestSchema, accept);
  await client.connect(transport(StreamableHTTPClientTransport, StdioClientTransport));
  return client;
}

async function connectV2() {
  const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
  const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
  const options = { capabilities: { elicitation: {} }, versionNegotiation: { mode: "auto" } };
  const client = new Client(clientInfo, options);
  client.setRequestHandler("elicitation/create", accept);
  await client.connect(transport(StreamableHTTPClientTransport, StdioClientTransport));
  return client;
}

function transport(Http, Stdio) {
  const [command, ...args] = server;
  return isUrl ? new Http(new URL(command)) : new Stdio({ command, args });
}

async function useAll(client) {
  const offered = client.getServerCapabilities();
  if (offered.tools) {
    for (const tool of (await client.listTools()).tools) {
      await client.callTool({ name: tool.name, arguments: numbers(tool) });
    }
  }
  if (offered.resources) {
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
  }
  if (offered.prompts) {
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
  }
  await client.close();
}

// A client of its own, which has only tools in common with the others.
async function useAiSdk() {
  const { createMCPClient, ElicitationRequestSchema } = require("@ai-sdk/mcp");
  const capabilities = { elicitation: { applyDefaults: true } };
  const [url] = server;
  const client = await createMCPClient({ transport: { type: "http", url }, capabilities });
  client.onElicitationRequest(ElicitationRequestSchema, accept);
  if (client.serverCapabilities.tools) {
    for (const tool of (await client.listTools()).tools) {
      await client.callTool({ name: tool.name, arguments: numbers(tool) });
    }
  }
  await client.close();
}
