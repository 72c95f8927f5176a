//! The cost of reading and formatting cases, relative to reading the same messages as JSON.

use std::hint::black_box;
use std::io::{Error, Result};

use mcp_test::cases::{Cases, ReadOptions};
use mcp_test::clock::Stopwatch;
use mcp_test_core::yaml::{self, Limits};
use serde_json::{Value, json};

use crate::row;

/// The number of cases that are read.
const CASES: usize = 10_000;
/// The number of measurements, of which the fastest counts.
const MEASUREMENTS: usize = 5;

/// The request and response of a case.
fn messages(number: usize) -> [Value; 2] {
    let arguments = json!({ "a": number, "b": 2 });
    let content = json!([{ "type": "text", "text": format!("the sum is {}", number + 2) }]);
    [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "add", "arguments": arguments } }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": content, "isError": false } }),
    ]
}

pub(crate) fn table() -> Result<()> {
    let case = |number: usize| {
        let [call, result] = messages(number);
        format!("# About {number}.\ncase: Adds {number} and 2\nin: {call}\nout: {result}\n")
    };
    let text = (0..CASES).map(case).collect::<Vec<_>>().join("---\n");
    let json: Vec<String> =
        (0..CASES).flat_map(messages).map(|message| message.to_string()).collect();

    let reading = fastest(|| {
        let read = json.iter().map(|text| serde_json::from_str(text));
        read.collect::<serde_json::Result<Vec<Value>>>().map_err(Error::other)
    })?;
    let yaml = fastest(|| Ok(yaml::read(&text, &Limits::default())))?;
    let options = ReadOptions::default();
    let cases = fastest(|| Cases::parse("cases.yaml", &text, &options).map_err(Error::other))?;
    let formatting = fastest(|| Ok(yaml::format(&text, &Limits::default())))?;
    let what = |of: &str| format!("{CASES} cases ({} KB): {of}", text.len() / 1000);
    for (of, ours) in [
        ("as YAML, by JSON", yaml),
        ("as cases, by JSON", cases),
        ("formatted, by JSON", formatting),
    ] {
        row(&what(of), &millis(ours), &millis(reading), ours / reading);
    }
    Ok(())
}

/// The shortest time in seconds, without the time that dropping the result takes.
fn fastest<T>(mut what: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut fastest = f64::INFINITY;
    for _ in 0..MEASUREMENTS {
        let watch = Stopwatch::start();
        let result = black_box(what()?);
        fastest = fastest.min(watch.elapsed().as_secs_f64());
        drop(result);
    }
    Ok(fastest)
}

fn millis(seconds: f64) -> String {
    format!("{:.0} ms", seconds * 1e3)
}
