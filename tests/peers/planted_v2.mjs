// A server on the TypeScript SDK 2.x for both eras, over standard streams. The environment variable `DEFECT` plants one defect;
// without it the server is sound. `interop/planted.rs` lists the defects.
//
// planted_v2.mjs PEERS, where PEERS is the folder that .ci/peers filled

import { createRequire } from "node:module";

const [peers] = process.argv.slice(2);
const defect = process.env.DEFECT ?? "";
const require = createRequire(`${peers}/npm/`);
const { McpServer } = require("@modelcontextprotocol/server");

const annotations = { readOnlyHint: true };
const text = (text) => ({ content: [{ type: "text", text }] });

function make() {
  const server = new McpServer({ name: "planted-v2", version: "1.0.0" }, { capabilities: { logging: {} } });
  server.registerTool("count", { description: "Counts to 3, and reports progress.", annotations }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    const report = async (progress) => {
      if (progressToken === undefined) return;
      await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    };
    // Counting down: what is left, not what is done.
    for (const done of [1, 2, 3]) await report(defect === "progress-decreases" ? 3 - done : done);
    return text("3");
  });
  server.registerTool("test_tool_with_logging", { description: "Logs three messages.", annotations }, async (ctx) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      if (defect === "logs-below-level") {
        await ctx.mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
      } else {
        await ctx.mcpReq.log("info", data);
      }
    }
    return text("logged");
  });
  if (defect === "lists-differ") {
    server.registerTool(`status_of_${process.pid}`, { description: "The status of this process.", annotations }, () => text("running"));
  }
  return server;
}

require("@modelcontextprotocol/server/stdio").serveStdio(make);
