//! What was called how often, as a table for people.

use mcp_test_core::expect::words;

use super::answer::Answer;
use super::explored::{Exploration, Explored};
use super::operation::Operation;

const HEADINGS: [&str; 8] =
    ["name", "calls", "valid", "invalid", "results", "isError", "errors", "failures"];

/// The table for people: how often each tool, resource and prompt was requested, with which arguments, and how it answered; below, what of each
/// schema was exercised.
#[must_use]
pub fn coverage_table(exploration: &Exploration) -> String {
    let rows: Vec<[String; 8]> = exploration.operations.iter().map(cells).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default().max(HEADINGS[column].len())
    };
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    let line = |row: &[String; 8]| {
        let mut text = format!("{:width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            text.push_str(&format!("  {cell:>width$}"));
        }
        text.push('\n');
        text
    };
    let mut text = line(&HEADINGS.map(str::to_owned));
    text.extend(rows.iter().map(line));
    for explored in &exploration.operations {
        text.push_str(&keywords(explored));
    }
    text
}

fn cells(explored: &Explored) -> [String; 8] {
    let answers = |answer| explored.answers.get(&answer).copied().unwrap_or_default();
    let numbers = [
        explored.calls,
        explored.calls - explored.invalid,
        explored.invalid,
        answers(Answer::Success),
        answers(Answer::ToolError),
        answers(Answer::ProtocolError),
        explored.failures.len(),
    ];
    let mut cells = vec![explored.operation.to_string()];
    cells.extend(numbers.map(|number| number.to_string()));
    cells.try_into().unwrap_or_default()
}

/// Which keywords of the schema of a tool were exercised, or why none was.
fn keywords(explored: &Explored) -> String {
    let name = &explored.operation;
    if let Some(why) = &explored.not_generated {
        return format!("{name}: no arguments can be generated: {}\n", words::excerpt(why));
    }
    let keywords: Vec<String> = explored
        .keywords
        .iter()
        .map(|(keyword, count)| format!("{} {count}", words::excerpt(keyword)))
        .collect();
    let mut text = match keywords.is_empty() {
        true => String::new(),
        false => format!("{name}: {}\n", keywords.join(", ")),
    };
    if explored.is_out_of_time {
        text.push_str(&format!("{name}: its time was over; --max-time allows more\n"));
    }
    let is_tool = matches!(explored.operation, Operation::Tool(_));
    if is_tool
        && explored.calls > 0
        && explored.failures.is_empty()
        && !explored.answers.contains_key(&Answer::Success)
    {
        text.push_str(&format!(
            "{name}: no call has succeeded; `examples` in its schema, or --call {name}=JSON, give arguments that do\n"
        ));
    }
    text
}
