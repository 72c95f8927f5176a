// A client on the official TypeScript SDK that sends the messages of cases, each case over a connection of its own.
// Arguments: the folder of the installed packages, a JSON file with the cases, the URL of the server. The file has a list of
// cases for each contract file; the environment variable MCP_CONFORMANCE_SCENARIO names the list to send.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, file, url] = process.argv.slice(2);
const sdk = (path) =>
    import(pathToFileURL(join(packages, "@modelcontextprotocol/sdk/dist/esm", path)).href);
const { Client } = await sdk("client/index.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
const { CreateMessageRequestSchema, ElicitRequestSchema, ResultSchema } = await sdk("types.js");

// Replaces `${name}` in a value; a string that is nothing else becomes the value itself, of any type.
const expanded = (value, names) => {
    if (typeof value === "string") {
        const whole = /^\$\{([^}]+)\}$/.exec(value);
        if (whole && whole[1] in names) return names[whole[1]];
        return value.replace(/\$\{([^}]+)\}/g, (all, name) => (name in names ? names[name] : all));
    }
    if (Array.isArray(value)) return value.map((item) => expanded(item, names));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, expanded(it, names)]));
};

const at = (value, pointer) => {
    for (const step of pointer.split("/").slice(1)) {
        value = value?.[step.replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    return value;
};

const converse = async ({ names, messages }) => {
    const client = new Client(
        { name: "client-of-the-sdk", version: "1.0.0" },
        { capabilities: { sampling: {}, elicitation: { form: {} } } },
    );
    const answer = (method) => () => {
        const request = messages.find((it) => it.by === "out" && it.said.method === method);
        return messages.find((it) => it.by === "in" && it.said.result && it.said.id === request?.said.id)
            .said.result;
    };
    client.setRequestHandler(CreateMessageRequestSchema, answer("sampling/createMessage"));
    client.setRequestHandler(ElicitRequestSchema, answer("elicitation/create"));
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    // The pending replies, by the id of the request in the case; the SDK uses ids of its own.
    const replies = new Map();
    for (const { by, said, captures } of messages) {
        const { id, method, params } = expanded(said, names);
        if (by === "in" && method !== undefined) {
            // The SDK has sent these in connect().
            if (method === "initialize" || method === "notifications/initialized") continue;
            if (id === undefined) await client.notification({ method, params });
            else {
                const reply = client.request({ method, params }, ResultSchema);
                replies.set(id, reply.then((result) => ({ result }), (error) => ({ error })));
            }
        } else if (by === "out" && method === undefined && replies.has(id)) {
            const reply = await replies.get(id);
            for (const [name, pointer] of Object.entries(captures)) names[name] = at(reply, pointer);
        }
    }
    await Promise.all(replies.values());
    await client.close();
};

for (const it of JSON.parse(readFileSync(file, "utf8"))[process.env.MCP_CONFORMANCE_SCENARIO]) {
    await converse(it);
}
