// The notes server of `examples/src/notes.rs`, written with the TypeScript SDK: what the twenty tests in `notes.test.ts` touch.

import {
    completable,
    McpServer,
    ProtocolError,
    ProtocolErrorCode,
    ResourceTemplate,
    type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

// A picture of one pixel, in Base64.
export const PIXEL =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const TONES = ["friendly", "formal", "frank"];

const text = (text: string) => ({ content: [{ type: "text" as const, text }] });

// A server without any notes.
export function createServer(): McpServer {
    const notes = new Map<number, { title: string; text: string }>();
    const server = new McpServer(
        { name: "notes", version: "1.0.0", title: "Notes" },
        {
            capabilities: { logging: {} },
            instructions: "Keeps notes. Delete only what the user wants to delete.",
        },
    );

    server.registerTool(
        "add_note",
        {
            description: "Adds a note",
            inputSchema: z.object({ title: z.string(), text: z.string() }),
            outputSchema: z.object({ id: z.number().int(), uri: z.string() }),
            annotations: { readOnlyHint: false },
        },
        async (note) => {
            const id = Math.max(0, ...notes.keys()) + 1;
            notes.set(id, note);
            server.sendResourceListChanged();
            const added = { id, uri: `note://${id}` };
            return { ...text(JSON.stringify(added)), structuredContent: added };
        },
    );

    server.registerTool(
        "import",
        {
            description: "Imports notes from elsewhere",
            inputSchema: z.object({ count: z.number().int().min(0) }),
        },
        async ({ count }, ctx) => {
            const progressToken = ctx.mcpReq._meta?.progressToken;
            for (let progress = 1; progress <= count; progress++) {
                if (progressToken !== undefined) {
                    await ctx.mcpReq.notify({
                        method: "notifications/progress",
                        params: {
                            progressToken,
                            progress,
                            total: count,
                            message: `note ${progress}`,
                        },
                    });
                }
            }
            await ctx.mcpReq.log("info", { imported: count }, "import");
            return text(`${count} notes imported`);
        },
    );

    server.registerTool(
        "synchronize",
        { description: "Synchronizes the notes forever" },
        async (ctx: ServerContext) => {
            await new Promise((resolve) => ctx.mcpReq.signal.addEventListener("abort", resolve));
            return text("stopped");
        },
    );

    server.registerTool(
        "delete_note",
        {
            description: "Deletes a note, if the user agrees",
            inputSchema: z.object({ id: z.number().int().min(0) }),
            annotations: { destructiveHint: true },
        },
        async ({ id }, ctx) => {
            if (!notes.has(id)) {
                return { ...text(`there is no note ${id}`), isError: true };
            }
            const answer = await ctx.mcpReq.elicitInput({
                mode: "form",
                message: `Delete note ${id}?`,
                requestedSchema: {
                    type: "object",
                    properties: { sure: { type: "boolean", title: "Delete it", default: false } },
                    required: ["sure"],
                },
            });
            if (answer.action !== "accept" || answer.content?.sure !== true) {
                return text(`note ${id} kept`);
            }
            notes.delete(id);
            server.sendResourceListChanged();
            return text(`note ${id} deleted`);
        },
    );

    server.registerTool(
        "summarize",
        { description: "Summarizes all notes" },
        async (ctx: ServerContext) => {
            const texts = [...notes.values()].map((note) => note.text).join("; ");
            const { content } = await ctx.mcpReq.requestSampling({
                messages: [
                    { role: "user", content: { type: "text", text: `Summarize: ${texts}` } },
                ],
                maxTokens: 100,
            });
            return text(!Array.isArray(content) && content.type === "text" ? content.text : "");
        },
    );

    server.registerTool(
        "count_folders",
        {
            description: "Counts the folders of the client",
            annotations: { readOnlyHint: true },
        },
        async () => text(String((await server.server.listRoots()).roots.length)),
    );

    server.registerTool(
        "show_samples",
        {
            description: "Shows what a note may contain",
            annotations: { readOnlyHint: true },
        },
        async () => ({
            content: [
                { type: "text", text: "samples" },
                { type: "image", data: PIXEL, mimeType: "image/png" },
                { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
                { type: "resource_link", uri: "note://1", name: "note 1", mimeType: "text/plain" },
                { type: "resource", resource: { uri: "note://sample", text: "a sample" } },
            ],
        }),
    );

    server.registerResource(
        "note",
        new ResourceTemplate("note://{id}", {
            list: async () => ({
                resources: [...notes].map(([id, note]) => ({
                    uri: `note://${id}`,
                    name: note.title,
                })),
            }),
        }),
        { mimeType: "text/plain" },
        async (uri, { id }) => {
            const note = notes.get(Number(id));
            if (!note) {
                const message = `there is no note at ${uri.href}`;
                throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, {
                    uri: uri.href,
                });
            }
            return { contents: [{ uri: uri.href, mimeType: "text/plain", text: note.text }] };
        },
    );

    server.registerPrompt(
        "review",
        {
            description: "Asks for a review of a note",
            argsSchema: z.object({
                id: z.string(),
                tone: completable(z.string(), (typed) =>
                    TONES.filter((tone) => tone.startsWith(typed)),
                ).optional(),
            }),
        },
        async ({ id, tone = "friendly" }) => ({
            description: "A review of a note",
            messages: [
                { role: "user", content: { type: "text", text: `Review note ${id}.` } },
                { role: "assistant", content: { type: "text", text: `I will be ${tone}.` } },
            ],
        }),
    );

    return server;
}
