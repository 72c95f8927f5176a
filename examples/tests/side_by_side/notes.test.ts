// Twenty tests of the notes server with the TypeScript SDK's client, to compare with the same tests written with mcp-test.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
    Client,
    type ClientCapabilities,
    type ElicitResult,
    InMemoryTransport,
    type NotificationMethod,
    type NotificationTypeMap,
    type Progress,
    type TextContent,
} from "@modelcontextprotocol/client";
import { createServer, PIXEL } from "./notes_server.ts";

// A client of a server of its own.
async function connect(capabilities: ClientCapabilities = {}): Promise<Client> {
    const client = new Client({ name: "tests", version: "1.0.0" }, { capabilities });
    const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
    await createServer().connect(serverTransport);
    await client.connect(clientTransport);
    return client;
}

const call = (client: Client, name: string, args = {}) =>
    client.callTool({ name, arguments: args });

const addNote = (client: Client) => call(client, "add_note", { title: "Milk", text: "Buy milk" });

// Adds a note, and answers the question whether to delete it.
async function deleteNote(answer: ElicitResult) {
    const client = await connect({ elicitation: {} });
    client.setRequestHandler("elicitation/create", () => answer);
    await addNote(client);
    return call(client, "delete_note", { id: 1 });
}

const text = (text: string) => [{ type: "text", text }];

// The parameters of the next notification, for which it waits five seconds.
function next<M extends NotificationMethod>(client: Client, method: M) {
    return new Promise<NotificationTypeMap[M]["params"]>((resolve, reject) => {
        const timer = setTimeout(reject, 5000, new Error(`no ${method}`));
        client.setNotificationHandler(method, ({ params }) => {
            clearTimeout(timer);
            resolve(params);
        });
    });
}

test("the server introduces itself", async () => {
    const client = await connect();
    assert.equal(client.getServerVersion()?.name, "notes");
    assert.match(client.getInstructions()!, /Delete only/);
});

test("the tools are listed", async () => {
    const { tools } = await (await connect()).listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
        "add_note",
        "count_folders",
        "delete_note",
        "import",
        "show_samples",
        "summarize",
        "synchronize",
    ]);
});

test("a tool declares its arguments", async () => {
    const { tools } = await (await connect()).listTools();
    const schema = tools.find(({ name }) => name === "add_note")!.inputSchema;
    assert.deepEqual(schema.required, ["title", "text"]);
    assert.deepEqual(schema.properties!.title, { type: "string" });
});

test("a note is added", async () => {
    const result = await addNote(await connect());
    assert.deepEqual(result.structuredContent, { id: 1, uri: "note://1" });
});

test("a missing note is an error of the tool", async () => {
    const result = await call(await connect(), "delete_note", { id: 9 });
    assert.ok(result.isError);
    assert.deepEqual(result.content, text("there is no note 9"));
});

test("an unknown tool is refused", async () => {
    await assert.rejects(call(await connect(), "burn_note"), /burn_note/);
});

test("arguments of the wrong type are refused", async () => {
    const result = await call(await connect(), "import", { count: "many" });
    assert.ok(result.isError);
});

test("an image is shown", async () => {
    const result = await call(await connect(), "show_samples");
    assert.deepEqual(result.content[1], { type: "image", data: PIXEL, mimeType: "image/png" });
});

test("a note is linked", async () => {
    const { content } = await call(await connect(), "show_samples");
    assert.ok(content.some((block) => block.type === "resource_link" && block.uri === "note://1"));
});

test("progress is reported", async () => {
    const client = await connect();
    const reports: Progress[] = [];
    const onprogress = (report: Progress) => reports.push(report);
    await client.callTool({ name: "import", arguments: { count: 3 } }, { onprogress });
    const progress = reports.map((report) => report.progress);
    assert.deepEqual(progress, [1, 2, 3]);
    assert.equal(reports.at(-1)?.total, 3);
});

test("the import is logged", async () => {
    const client = await connect();
    const logged = next(client, "notifications/message");
    await call(client, "import", { count: 3 });
    assert.deepEqual(await logged, { level: "info", logger: "import", data: { imported: 3 } });
});

test("a note is deleted when the user agrees", async () => {
    const result = await deleteNote({ action: "accept", content: { sure: true } });
    assert.deepEqual(result.content, text("note 1 deleted"));
});

test("a note is kept when the user declines", async () => {
    const result = await deleteNote({ action: "decline" });
    assert.deepEqual(result.content, text("note 1 kept"));
});

test("the model summarizes", async () => {
    const client = await connect({ sampling: {} });
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
        const asked = params.messages[0].content as TextContent;
        const content: TextContent = { type: "text", text: asked.text.toUpperCase() };
        return { model: "test", role: "assistant", content };
    });
    await addNote(client);
    const result = await call(client, "summarize");
    assert.deepEqual(result.content, text("SUMMARIZE: BUY MILK"));
});

test("folders are counted", async () => {
    const client = await connect({ roots: {} });
    const roots = [{ uri: "file:///home/ada" }, { uri: "file:///srv" }];
    client.setRequestHandler("roots/list", () => ({ roots }));
    const result = await call(client, "count_folders");
    assert.deepEqual(result.content, text("2"));
});

test("a new note is announced", async () => {
    const client = await connect();
    const announced = next(client, "notifications/resources/list_changed");
    await addNote(client);
    await announced;
});

test("a note is a resource", async () => {
    const client = await connect();
    await addNote(client);
    const { resources } = await client.listResources();
    assert.deepEqual(resources, [{ uri: "note://1", name: "Milk", mimeType: "text/plain" }]);
    const { contents } = await client.readResource({ uri: "note://1" });
    assert.deepEqual(contents, [{ uri: "note://1", mimeType: "text/plain", text: "Buy milk" }]);
});

test("a missing note cannot be read", async () => {
    const client = await connect();
    await assert.rejects(client.readResource({ uri: "note://9" }), /there is no note/);
});

test("a review names the note", async () => {
    const client = await connect();
    const args = { id: "1", tone: "frank" };
    const { messages } = await client.getPrompt({ name: "review", arguments: args });
    assert.deepEqual(messages, [
        { role: "user", content: { type: "text", text: "Review note 1." } },
        { role: "assistant", content: { type: "text", text: "I will be frank." } },
    ]);
});

test("a tone is completed", async () => {
    const client = await connect();
    const { completion } = await client.complete({
        ref: { type: "ref/prompt", name: "review" },
        argument: { name: "tone", value: "fr" },
    });
    assert.deepEqual(completion.values, ["friendly", "frank"]);
});
