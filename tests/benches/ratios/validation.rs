//! The cost of validating messages against their shapes, relative to parsing them and to the official schema; and the cost of
//! the first validation in a process.

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

/// The argument that makes this program validate one message and print how long that took.
pub(crate) const CHILD: &str = "--first-judgement";

const REVISION: Revision = Revision::V2025_11_25;

/// The minimum duration of each measurement.
const MIN_DURATION: Duration = Duration::from_millis(200);
/// The number of measurements, of which the fastest counts.
const MEASUREMENTS: usize = 5;

/// The number of messages that pass through the guard.
const GUARDED: usize = 20_000;

/// A message to validate.
struct Sample {
    name: &'static str,
    text: String,
    /// The method of the request that it answers.
    answers: Option<&'static str>,
    /// The definition to validate against, and the part of the message to validate.
    definition: &'static str,
    part: &'static str,
}

impl Sample {
    /// About 2 KB: a typical list of tools.
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

    /// Seconds for one validation against these shapes.
    fn validated_by(&self, schemas: &Schemas) -> Result<f64> {
        let message = self.message()?;
        let validate = || schemas.validate(&message, self.answers, REVISION, Authority::Schema);
        match validate().first() {
            Some(violation) => Err(Error::other(violation.to_string())),
            None => Ok(seconds(validate)),
        }
    }
}

pub(crate) fn table() -> Result<()> {
    for sample in [Sample::tools(), Sample::call()] {
        let what = |of: &str| format!("{} ({} bytes): {of}", sample.name, sample.text.len());
        let validating = sample.validated_by(&Schemas::ours())?;
        let parsing = seconds(|| serde_json::from_str::<Value>(&sample.text));
        row(&what("by parsing"), &per_ms(validating), &per_ms(parsing), validating / parsing);
        let Some(path) = official_schema() else { continue };
        let text = fs::read(&path)?;
        let theirs = validated_by_official_schema(&sample, &text)?;
        row(
            &what("by the official schema"),
            &per_ms(validating),
            &per_ms(theirs),
            validating / theirs,
        );
        let loaded = Schemas::ours().load(REVISION, &text).map_err(Error::other)?;
        let loaded = sample.validated_by(&loaded)?;
        row(&what("--schema, by the same"), &per_ms(loaded), &per_ms(theirs), loaded / theirs);
    }
    if official_schema().is_none() {
        println!(
            "Without MCP_TEST_OFFICIAL_SCHEMAS, our shapes are not compared with the official schema."
        );
    }
    guarded(&Sample::call())?;
    first_validation()
}

/// The time that the guard reports for a message that it forwards: parsing, validation and forwarding.
fn guarded(sample: &Sample) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let guard = Guard::new(REVISION);
    let line = format!("{}\n", sample.text);
    let forwarded = runtime.block_on(async {
        let (mut client, server) = tokio::io::duplex(1 << 16);
        let mut guarded = guard.io(server);
        let write = async {
            for _ in 0..GUARDED {
                client.write_all(line.as_bytes()).await?;
            }
            client.shutdown().await
        };
        let mut forwarded = Vec::new();
        let (written, read) = tokio::join!(write, guarded.read_to_end(&mut forwarded));
        written.and(read).map(|_| forwarded)
    })?;
    if forwarded.len() != line.len() * GUARDED {
        return Err(Error::other("the guard did not forward every message"));
    }
    let guarding = guard.stats().time.as_secs_f64() / GUARDED as f64;
    let parsing = seconds(|| serde_json::from_str::<Value>(&sample.text));
    let what = format!("{} ({} bytes): guard, by parsing", sample.name, sample.text.len());
    row(&what, &per_ms(guarding), &per_ms(parsing), guarding / parsing);
    Ok(())
}

/// The number of repetitions in a millisecond.
fn per_ms(seconds: f64) -> String {
    format!("{:.0}/ms", 1e-3 / seconds)
}

/// The first validation in a process, measured in a new process each time.
fn first_validation() -> Result<()> {
    let mut fastest = f64::INFINITY;
    for _ in 0..20 {
        let child = Command::new(env::current_exe()?).arg(CHILD).output()?;
        let output = String::from_utf8_lossy(&child.stdout);
        let took: f64 = output.trim().parse().map_err(Error::other)?;
        fastest = fastest.min(took);
    }
    let text = Sample::tools().text;
    let parsing = seconds(|| serde_json::from_str::<Value>(&text));
    let millis = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
    row(
        "the first validation in a process, by parsing",
        &millis(fastest),
        &millis(parsing),
        fastest / parsing,
    );
    Ok(())
}

/// Validates a message for the first time in this process, and prints the seconds that it took.
pub(crate) fn time_first_validation() -> Result<()> {
    let sample = Sample::tools();
    let message = sample.message()?;
    let watch = Stopwatch::start();
    let violations = Schemas::ours().validate(&message, sample.answers, REVISION, Authority::Text);
    let took = watch.elapsed().as_secs_f64();
    println!("{took}");
    violations.first().map_or(Ok(()), |violation| Err(Error::other(violation.to_string())))
}

/// Seconds for one validation against the official schema by the `jsonschema` crate.
fn validated_by_official_schema(sample: &Sample, text: &[u8]) -> Result<f64> {
    let mut schema: Value = serde_json::from_slice(text)?;
    schema["$ref"] = json!(format!("#/$defs/{}", sample.definition));
    let options = jsonschema::options().should_validate_formats(true);
    let validator = options.build(&schema).map_err(|error| Error::other(error.to_string()))?;
    let message: Value = serde_json::from_str(&sample.text)?;
    let part = message.pointer(sample.part).unwrap_or(&Value::Null);
    if !validator.is_valid(part) {
        return Err(Error::other(format!("{} is not a valid {}", sample.name, sample.definition)));
    }
    Ok(seconds(|| validator.is_valid(part)))
}

/// The path of the official schema, if it is configured.
fn official_schema() -> Option<PathBuf> {
    let folder = env::var_os("MCP_TEST_OFFICIAL_SCHEMAS")?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    Some(folder.join(REVISION.as_str()).join("schema.json"))
}

/// Seconds for one call.
fn seconds<T>(mut call: impl FnMut() -> T) -> f64 {
    let mut once = || {
        let watch = Stopwatch::start();
        let mut times = 0_u32;
        while watch.elapsed() < MIN_DURATION {
            // The clock is read only once in 64 calls, so that its cost does not count.
            for _ in 0..64 {
                black_box(call());
            }
            times += 64;
        }
        watch.elapsed().as_secs_f64() / f64::from(times)
    };
    (0..MEASUREMENTS).map(|_| once()).fold(f64::INFINITY, f64::min)
}
