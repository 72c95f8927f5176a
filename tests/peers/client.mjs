// A client on the official TypeScript SDK that calls every tool of the server, which is enough for the client scenarios of the
// handshake era.
// Arguments: the folder of the installed packages, the URL of the server.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, url] = process.argv.slice(2);
const sdk = (path) =>
    import(pathToFileURL(join(packages, "@modelcontextprotocol/sdk/dist/esm", path)).href);
const { Client } = await sdk("client/index.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
const { ElicitRequestSchema } = await sdk("types.js");

const client = new Client(
    { name: "client-of-the-sdk", version: "1.0.0" },
    { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: {} }));
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();
for (const { name } of tools) {
    const arguments_ = name === "add_numbers" ? { a: 5, b: 3 } : {};
    await client.callTool({ name, arguments: arguments_ });
}
await client.close();
