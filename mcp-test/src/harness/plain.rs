//! A scenario as a plain `#[test]`: its cells one after the other, all of them reported.

use std::panic;

use super::Unplayable;
use super::cells::{self, Cell};
use super::ending::{Ending, Played, Problem};
use super::environment::Environment;
use super::source::Source;
use super::stage::{self, Order};
use super::telling;
use crate::scenario::UserScenario;

/// Runs a scenario as the body of a `#[test]`; what `#[mcp_scenario]` expands to.
///
/// # Panics
///
/// If the scenario fails. What is wrong has been told on stderr by then, so the panic itself is silent.
pub fn run_test(scenario: &'static UserScenario) {
    let told = match plan(scenario) {
        Ok(orders) => Told::of(scenario, &orders),
        Err(unplayable) => {
            let played = Played::unplayable(&unplayable);
            let text = telling::failure(scenario, &played);
            Told { text, payload: Some(Box::new(())) }
        }
    };
    if !told.text.is_empty() {
        eprintln!("{}", told.text);
    }
    if let Some(payload) = told.payload {
        panic::resume_unwind(payload);
    }
}

fn plan(scenario: &'static UserScenario) -> Result<Vec<Order>, Unplayable> {
    let environment = Environment::read()?;
    let source = Source::of(scenario.target, &environment)?;
    orders(scenario, &environment, &source, false)
}

/// One order for each declared cell.
pub(super) fn orders(
    scenario: &'static UserScenario,
    environment: &Environment,
    source: &Source,
    holds_panics: bool,
) -> Result<Vec<Order>, Unplayable> {
    let cells = cells::declared(scenario, || Ok(source.make()?.carriers()))?;
    let several = cells.len() > 1;
    let order = |cell: Cell| Order {
        scenario,
        source: source.clone(),
        timeout: scenario.timeout.or(environment.timeout).unwrap_or(stage::TIMEOUT),
        snapshot_suffix: several.then(|| cell.label("-")),
        shows_differences: environment.insta_is_quiet,
        holds_panics,
        cell,
    };
    Ok(cells.into_iter().map(order).collect())
}

/// What a test has to say at its end.
struct Told {
    text: String,
    /// What the test panics with, if it fails.
    payload: Option<Box<dyn std::any::Any + Send>>,
}

impl Told {
    fn of(scenario: &UserScenario, orders: &[Order]) -> Self {
        let mut told = Self { text: String::new(), payload: None };
        let (mut passed, mut failed, mut unspoken) = (Vec::new(), Vec::new(), Vec::new());
        for order in orders {
            let mut played = stage::play(order);
            let place = telling::place(&played).unwrap_or_else(|| order.cell.to_string());
            if let (Ending::Skipped(reason), false) = (&played.ending, scenario.allow_skip) {
                let why = format!(
                    "the scenario was skipped: {reason}\n  hint: #[mcp_scenario(allow_skip)] lets a skipped scenario pass"
                );
                played.ending = Ending::Failed(vec![Problem::Unplayable(why)]);
            }
            match &played.ending {
                Ending::Passed => passed.push(place),
                Ending::Skipped(reason) => {
                    told.say(&format!("scenario `{}` was skipped: {reason}", scenario.name));
                    passed.push(place);
                }
                Ending::Unspoken(reason) => unspoken.push(reason.clone()),
                Ending::Failed(_) => {
                    told.say(&telling::failure(scenario, &played));
                    failed.push(place);
                    told.payload.get_or_insert_with(|| payload(played));
                }
            }
        }
        if passed.is_empty() && failed.is_empty() {
            let why = format!("no cell of the scenario could be played:\n{}", unspoken.join("\n"));
            told.say(&telling::failure(scenario, &Played::failed(Problem::Unplayable(why))));
            told.payload = Some(Box::new(()));
        } else if !failed.is_empty() && orders.len() > 1 {
            told.say(&summary(&failed, &passed));
        }
        told
    }

    fn say(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }
}

fn summary(failed: &[String], passed: &[String]) -> String {
    let all = failed.len() + passed.len();
    let mut text = format!("{} of {all} cells failed: {}", failed.len(), failed.join(", "));
    if !passed.is_empty() {
        text.push_str(&format!("\nthe others passed: {}", passed.join(", ")));
    }
    text
}

/// The panic of the test goes on as it was; any other failure ends in a panic that says nothing more.
fn payload(played: Played) -> Box<dyn std::any::Any + Send> {
    if let Ending::Failed(problems) = played.ending {
        for problem in problems {
            if let Problem::Panic(payload) = problem {
                return payload;
            }
        }
    }
    Box::new(())
}
