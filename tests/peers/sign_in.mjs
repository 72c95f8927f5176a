// A client that signs in where the server demands it, lists the tools and calls each of them. The user has consented already.
// Arguments: the folder of the installed packages, the SDK (v1 or v2), the URL of the server.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, sdk, url] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const redirectUrl = "http://127.0.0.1:9/callback";
const clientInfo = { name: "sign-in", version: "1.0.0" };
const authorization = { client_id: context.client_id, client_secret: context.client_secret };

// What the SDK asks for. A user's browser would follow the redirect; this reads it.
const provider = {
  redirectUrl,
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  clientMetadata: {
    client_name: "sign-in",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "native",
  },
  stored: { client: context.client_id ? authorization : undefined },
  state: () => (provider.stored.state = crypto.randomUUID()),
  clientInformation: () => provider.stored.client,
  saveClientInformation: (client) => (provider.stored.client = client),
  tokens: () => provider.stored.tokens,
  saveTokens: (tokens) => (provider.stored.tokens = tokens),
  saveCodeVerifier: (verifier) => (provider.stored.verifier = verifier),
  codeVerifier: () => provider.stored.verifier,
  redirectToAuthorization: async (target) => {
    const { headers } = await fetch(target, { redirect: "manual" });
    provider.stored.callback = new URL(headers.get("location")).searchParams;
  },
};

const { Client, Transport, UnauthorizedError } = load();
// Each time the SDK asks for consent, it is up to the application to go on.
const MOST_CONSENTS = 3;
let consents = 0;

const client = await connected();
const { tools } = await consenting(() => client.listTools());
for (const { name } of tools) await consenting(() => client.callTool({ name, arguments: {} }));
await client.close();

function load() {
  if (sdk === "v1") {
    const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
    const { UnauthorizedError } = require("@modelcontextprotocol/sdk/client/auth.js");
    const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
    return { Client, UnauthorizedError, Transport: StreamableHTTPClientTransport };
  }
  const { Client, UnauthorizedError, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
  return { Client, UnauthorizedError, Transport: StreamableHTTPClientTransport };
}

async function connected() {
  const transport = new Transport(new URL(url), { authProvider: provider });
  const options = sdk === "v2" ? { versionNegotiation: { mode: "auto" } } : {};
  const connecting = new Client(clientInfo, options);
  try {
    await connecting.connect(transport);
    return connecting;
  } catch (error) {
    await finish(error, transport);
    return connected();
  }
}

async function consenting(use) {
  try {
    return await use();
  } catch (error) {
    await finish(error, client.transport);
    return consenting(use);
  }
}

async function finish(error, transport) {
  consents += 1;
  if (!(error instanceof UnauthorizedError) || consents > MOST_CONSENTS) throw error;
  const { callback, state } = provider.stored;
  if (callback.get("state") !== state) throw new Error("the response has another state");
  await (sdk === "v1" ? transport.finishAuth(callback.get("code")) : transport.finishAuth(callback));
}
