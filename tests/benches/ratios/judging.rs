//! The cost of judging messages by their shapes: beside reading them, and beside the official schema; and what the first
//! judgement of a program costs.

use std::env;
use std::fs;
use std::hint::black_box;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test::guard::Guard;
use mcp_test::json;
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas};
use mcp_test::wire::Message;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::row;

/// The word that makes this program judge one message and tell how long that took.
pub(crate) const CHILD: &str = "--first-judgement";

const REVISION: Revision = Revision::V2025_11_25;

/// How long each measurement takes, at least; the fastest of several counts.
const LONG: Duration = Duration::from_millis(200);
const MEASUREMENTS: usize = 5;

/// How many messages go through the guard.
const GUARDED: usize = 20_000;

/// A message to judge.
struct Sample {
    name: &'static str,
    text: String,
    /// The method of the request that it answers.
    answers: Option<&'static str>,
    /// The definition to judge by, and what is judged by it.
    definition: &'static str,
    part: &'static str,
}

impl Sample {
    /// About 2 KB: a list of tools, as servers have them.
    fn tools() -> Self {
        let tool = |name: &str| {
            json!({
                "name": name,
                "title": "Weather",
                "description": "Tells the weather at a place, now or on a day of the coming week, in words and numbers.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "place": { "type": "string", "description": "City, and country if it is not the only one" },
                        "day": { "type": "string", "format": "date" },
                        "unit": { "type": "string", "enum": ["celsius", "fahrenheit"] },
                    },
                    "required": ["place"],
                },
                "annotations": { "readOnlyHint": true, "openWorldHint": true },
            })
        };
        let tools = ["weather_now", "weather_then", "weather_here", "weather_there"].map(tool);
        Self {
            name: "a list of tools",
            text: json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": tools } }).to_string(),
            answers: Some("tools/list"),
            definition: "ListToolsResult",
            part: "/result",
        }
    }

    /// About 200 bytes: a call of a tool.
    fn call() -> Self {
        let message = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": "weather_then",
                "arguments": { "place": "Reykjavik, Iceland", "day": "2026-11-22", "unit": "celsius" },
                "_meta": { "progressToken": "weather-1" },
            },
        });
        Self {
            name: "a call of a tool",
            text: message.to_string(),
            answers: None,
            definition: "CallToolRequest",
            part: "",
        }
    }

    fn message(&self) -> Result<Message> {
        let value = json::Value::parse(self.text.as_bytes()).map_err(Error::other)?.value;
        Message::read(&value).map_err(|malformed| Error::other(malformed.to_string()))
    }

    /// Seconds for one judgement by these shapes.
    fn judged_by(&self, schemas: &Schemas) -> Result<f64> {
        let message = self.message()?;
        let judge = || schemas.judge(&message, self.answers, REVISION, Authority::Schema);
        match judge().first() {
            Some(violation) => Err(Error::other(violation.to_string())),
            None => Ok(seconds(judge)),
        }
    }
}

pub(crate) fn table() -> Result<()> {
    for sample in [Sample::tools(), Sample::call()] {
        let what = |of: &str| format!("{} ({} bytes): {of}", sample.name, sample.text.len());
        let judging = sample.judged_by(&Schemas::ours())?;
        let reading = seconds(|| serde_json::from_str::<Value>(&sample.text));
        row(&what("by reading"), &each_ms(judging), &each_ms(reading), judging / reading);
        let Some(path) = official() else { continue };
        let text = fs::read(&path)?;
        let theirs = by_the_library(&sample, &text)?;
        row(&what("by the official schema"), &each_ms(judging), &each_ms(theirs), judging / theirs);
        let loaded = Schemas::ours().load(REVISION, &text).map_err(Error::other)?;
        let loaded = sample.judged_by(&loaded)?;
        row(&what("--schema, by the same"), &each_ms(loaded), &each_ms(theirs), loaded / theirs);
    }
    if official().is_none() {
        println!(
            "Without MCP_TEST_OFFICIAL_SCHEMAS the official schema does not judge beside ours."
        );
    }
    guarded(&Sample::call())?;
    first()
}

/// What the guard says it takes for a message that it lets pass: reading it, judging it, passing it on.
fn guarded(sample: &Sample) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let guard = Guard::new(REVISION);
    let line = format!("{}\n", sample.text);
    let passed = runtime.block_on(async {
        let (mut client, server) = tokio::io::duplex(1 << 16);
        let mut guarded = guard.io(server);
        let write = async {
            for _ in 0..GUARDED {
                client.write_all(line.as_bytes()).await?;
            }
            client.shutdown().await
        };
        let mut passed = Vec::new();
        let (written, read) = tokio::join!(write, guarded.read_to_end(&mut passed));
        written.and(read).map(|_| passed)
    })?;
    if passed.len() != line.len() * GUARDED {
        return Err(Error::other("the guard does not let everything pass"));
    }
    let guarding = guard.counter().time.as_secs_f64() / GUARDED as f64;
    let reading = seconds(|| serde_json::from_str::<Value>(&sample.text));
    let what = format!("{} ({} bytes): guard, by reading", sample.name, sample.text.len());
    row(&what, &each_ms(guarding), &each_ms(reading), guarding / reading);
    Ok(())
}

/// How many in a millisecond.
fn each_ms(seconds: f64) -> String {
    format!("{:.0}/ms", 1e-3 / seconds)
}

/// The first judgement of a program, each time in a new one.
fn first() -> Result<()> {
    let mut fastest = f64::INFINITY;
    for _ in 0..20 {
        let child = Command::new(env::current_exe()?).arg(CHILD).output()?;
        let told = String::from_utf8_lossy(&child.stdout);
        let took: f64 = told.trim().parse().map_err(Error::other)?;
        fastest = fastest.min(took);
    }
    let text = Sample::tools().text;
    let reading = seconds(|| serde_json::from_str::<Value>(&text));
    let told = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
    row(
        "the first judgement of a program: reading",
        &told(fastest),
        &told(reading),
        fastest / reading,
    );
    Ok(())
}

/// Judges for the first time, and prints the seconds that it took.
pub(crate) fn tell_the_first() -> Result<()> {
    let sample = Sample::tools();
    let message = sample.message()?;
    let watch = Stopwatch::start();
    let violations = Schemas::ours().judge(&message, sample.answers, REVISION, Authority::Text);
    let took = watch.elapsed().as_secs_f64();
    println!("{took}");
    violations.first().map_or(Ok(()), |violation| Err(Error::other(violation.to_string())))
}

/// Seconds for one judgement by the official schema, compiled by the library that compiles ours.
fn by_the_library(sample: &Sample, text: &[u8]) -> Result<f64> {
    let mut schema: Value = serde_json::from_slice(text)?;
    schema["$ref"] = json!(format!("#/$defs/{}", sample.definition));
    let options = jsonschema::options().should_validate_formats(true);
    let judge = options.build(&schema).map_err(|error| Error::other(error.to_string()))?;
    let message: Value = serde_json::from_str(&sample.text)?;
    let part = message.pointer(sample.part).unwrap_or(&Value::Null);
    if !judge.is_valid(part) {
        return Err(Error::other(format!("{} is no {}", sample.name, sample.definition)));
    }
    Ok(seconds(|| judge.is_valid(part)))
}

fn official() -> Option<PathBuf> {
    let folder = env::var_os("MCP_TEST_OFFICIAL_SCHEMAS")?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    Some(folder.join(REVISION.as_str()).join("schema.json"))
}

/// Seconds for doing something once.
fn seconds<T>(mut what: impl FnMut() -> T) -> f64 {
    let mut once = || {
        let watch = Stopwatch::start();
        let mut times = 0_u32;
        while watch.elapsed() < LONG {
            // Looking at the clock is not to be what is measured.
            for _ in 0..64 {
                black_box(what());
            }
            times += 64;
        }
        watch.elapsed().as_secs_f64() / f64::from(times)
    };
    (0..MEASUREMENTS).map(|_| once()).fold(f64::INFINITY, f64::min)
}
