//! Samples of schemas as tools have them, and of hostile ones.

mod claims;
mod hostile;
mod samples;
mod schemas;

use mcp_test_core::json::Value;
use mcp_test_core::json_schema::{Limits, Validator};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value as Json;

use super::{Class, Generator, Sample};

fn generator(schema: &Json) -> Generator {
    Generator::new(&schema.into(), &Limits::default())
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// A runner whose values depend on the seed only.
fn runner(seed: u8) -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    TestRunner::new_with_rng(Config::default(), rng)
}

/// A line for each sample: its class, its value and what it exercises.
fn lines(samples: &[Sample]) -> String {
    let line = |sample: &Sample| {
        let class = match &sample.class {
            Class::Valid => "valid".to_owned(),
            Class::Invalid { keyword, .. } => format!("invalid by {keyword}"),
            Class::FormatOnly { .. } => "format".to_owned(),
        };
        let mut value = sample.value.to_string();
        if value.len() > 80 {
            value =
                format!("{}… ({} bytes)", value.chars().take(60).collect::<String>(), value.len());
        }
        let exercised = sample
            .exercised
            .iter()
            .map(|it| format!("    {} {}: {}\n", it.schema, it.keyword, it.description));
        format!("{class}: {value}\n{}", exercised.collect::<String>())
    };
    samples.iter().map(line).collect()
}
