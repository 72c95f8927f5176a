//! The cost of cases: reading them, beside reading the same messages as JSON, and laying them out.

use std::hint::black_box;
use std::io::{Error, Result};

use mcp_test::cases::{Cases, ReadOptions};
use mcp_test::clock::Stopwatch;
use mcp_test::yaml::{self, Limits};
use serde_json::{Value, json};

use crate::row;

/// How many cases are read.
const CASES: usize = 10_000;
/// The fastest of several measurements counts.
const MEASUREMENTS: usize = 5;

/// The messages of a case.
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
    let laying_out = fastest(|| Ok(yaml::format(&text, &Limits::default())))?;
    let what = |of: &str| format!("{CASES} cases ({} KB): {of}", text.len() / 1000);
    for (of, ours) in [
        ("as YAML, by JSON", yaml),
        ("as cases, by JSON", cases),
        ("laid out, by JSON", laying_out),
    ] {
        row(&what(of), &told(ours), &told(reading), ours / reading);
    }
    Ok(())
}

/// How many seconds it takes at least, with what comes of it still to be thrown away.
fn fastest<T>(mut what: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut fastest = f64::INFINITY;
    for _ in 0..MEASUREMENTS {
        let watch = Stopwatch::start();
        let made = black_box(what()?);
        fastest = fastest.min(watch.elapsed().as_secs_f64());
        drop(made);
    }
    Ok(fastest)
}

fn told(seconds: f64) -> String {
    format!("{:.0} ms", seconds * 1e3)
}
