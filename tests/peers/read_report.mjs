// Reads a report with a reader of its format, and prints what it contains as JSON.
// Arguments: the folder of `.ci/peers`, the format, the file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [peers, format, file] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(peers, "npm/node_modules", path)).href);
const text = readFileSync(file, "utf8");

const readers = {
    async markdown() {
        const { marked } = await load("marked/lib/marked.esm.js");
        const tokens = marked.lexer(text, { gfm: true });
        const tags = new Set();
        const links = new Set();
        let rows = 0;
        marked.walkTokens(tokens, (token) => {
            if (token.type === "html") for (const tag of token.raw.matchAll(/<[^>]*>/g)) tags.add(tag[0]);
            if (token.type === "link" || token.type === "image") links.add(token.href);
            if (token.type === "table") {
                rows += token.rows.length;
                if (token.rows.some((row) => row.length !== token.header.length)) throw Error("a row is torn");
            }
        });
        const html = marked.parser(tokens);
        const cells = [...html.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell]) => cell);
        return { rows, cells, tags: [...tags].sort(), links: [...links].sort(), html };
    },
    async ctrf() {
        const { calculateSummary, parse, validateStrict } = await load("ctrf/dist/index.js");
        const report = parse(text);
        validateStrict(report);
        const { summary, tests } = report.results;
        const { start, stop, ...counted } = calculateSummary(tests, { start: 0, stop: 0 });
        for (const status of ["tests", "passed", "failed", "skipped", "pending", "other"]) {
            if (counted[status] !== summary[status]) throw Error(`${status}: ${counted[status]} tests`);
        }
        return { summary, tests };
    },
    async tap() {
        const { Parser } = await load("tap-parser/dist/esm/index.js");
        const points = [];
        const parser = new Parser({ strict: true });
        const extra = [];
        parser.on("assert", (point) => points.push(point));
        parser.on("extra", (line) => extra.push(line));
        const done = new Promise((resolve) => parser.on("complete", resolve));
        parser.end(text);
        const { ok, count, pass, fail, skip, todo, plan, failures } = await done;
        const diagnostics = points.map(({ diag }) => diag ?? null);
        const names = points.map(({ name }) => name);
        const broken = failures.filter((failure) => failure.tapError);
        return { ok, count, pass, fail, skip, todo, plan, extra, broken, names, diagnostics };
    },
};

console.log(JSON.stringify(await readers[format]()));
