//! Values supplied for `_inputs`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use mcp_test_core::expect::words;
use mcp_test_core::json::Value;

use super::case::{Case, CaseFile, Cases};
use super::values::{self, Values};

/// Values for the names that cases declare in `_inputs`.
///
/// A value from a command line or an environment variable is a string, unless the input's `default` is not: then it is
/// parsed as JSON.
///
/// ```
/// use mcp_test::cases::{Cases, Inputs, ReadOptions};
///
/// let text = "case: Waits\n_inputs: {name: seconds, default: 5}\nin: {jsonrpc: '2.0', method: ping, id: 1}\n";
/// let (cases, _) = Cases::parse("waits.yaml", text, &ReadOptions::default())?;
/// let inputs = Inputs::default().text("seconds", "7");
/// inputs.check(cases.iter())?;
/// let (_, case) = cases.iter().next().expect("one case");
/// assert_eq!(inputs.values([&**case])?.value("seconds"), Some(&7.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Inputs {
    supplied: BTreeMap<String, Supplied>,
}

#[derive(Clone, PartialEq)]
enum Supplied {
    Text(String),
    Value(Value),
}

/// Why cases cannot run with the supplied inputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Inputs have no value.
    #[error("{}", missing(.0))]
    Missing(Vec<MissingInput>),
    /// A value is supplied that no case declares.
    #[error("no case has an input `{name}`{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// The name.
        name: String,
        /// The nearest declared name.
        near: Option<String>,
    },
    /// A value does not have the type of the input's default.
    #[error("the input `{name}` must be {expected}, like its default")]
    Kind {
        /// The name.
        name: String,
        /// The type of its default.
        expected: &'static str,
    },
}

/// An input without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingInput {
    /// The name.
    pub name: String,
    /// Its description.
    pub about: Option<String>,
    /// Its declaration: `FILE:LINE:COLUMN`.
    pub place: String,
}

impl fmt::Display for MissingInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.name)?;
        self.about.as_ref().map_or(Ok(()), |about| write!(f, ", {}", words::printable(about)))
    }
}

fn missing(missing: &[MissingInput]) -> String {
    const SHOWN: usize = 20;
    let mut text = "the cases have inputs without a value:".to_owned();
    for input in missing.iter().take(SHOWN) {
        text += &format!("\n  {input}");
    }
    if missing.len() > SHOWN {
        text += &format!("\n  … and {} more", missing.len() - SHOWN);
    }
    let first = missing.first().map_or("NAME", |input| &input.name);
    let variable = Inputs::variable(first);
    text + &format!(
        "\nsupply them with `--input {first}=VALUE`, or in the environment with `{variable}=VALUE`"
    )
}

impl Inputs {
    /// Sets an input to a string, as from a command line.
    #[must_use]
    pub fn text(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.supplied.insert(name.into(), Supplied::Text(text.into()));
        self
    }

    /// Sets an input to a value.
    #[must_use]
    pub fn value(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.supplied.insert(name.into(), Supplied::Value(value.into()));
        self
    }

    /// The environment variable for an input.
    ///
    /// ```
    /// assert_eq!(mcp_test::cases::Inputs::variable("api-key"), "MCP_TEST_INPUT_API_KEY");
    /// ```
    #[must_use]
    pub fn variable(name: &str) -> String {
        values::variable(name)
    }

    /// Fills inputs without a value from the environment: `lookup` is called with the [variable](Self::variable).
    #[must_use]
    pub fn or_from(mut self, cases: &Cases, lookup: impl Fn(&str) -> Option<String>) -> Self {
        let declared = cases.iter().flat_map(|(_, case)| &case.settings.inputs);
        for input in declared {
            // A value from the command line takes precedence.
            if !self.supplied.contains_key(&input.name) {
                let found = lookup(&Self::variable(&input.name));
                let found = found.map(|text| (input.name.clone(), Supplied::Text(text)));
                self.supplied.extend(found);
            }
        }
        self
    }

    /// Checks that all inputs of these cases have a valid value.
    ///
    /// # Errors
    ///
    /// [`InputError::Missing`] with all missing inputs, or [`InputError::Kind`].
    pub fn check<'a>(
        &self,
        cases: impl IntoIterator<Item = (&'a Arc<CaseFile>, &'a Arc<Case>)>,
    ) -> Result<(), InputError> {
        let mut missing: Vec<MissingInput> = Vec::new();
        for (file, case) in cases {
            self.values([&**case])?;
            for input in &case.settings.inputs {
                // An input that several cases declare is reported once.
                let is_known = self.supplied.contains_key(&input.name)
                    || input.default.is_some()
                    || missing.iter().any(|known| known.name == input.name);
                if !is_known {
                    let (name, about) = (input.name.clone(), input.about.clone());
                    let place = format!("{}:{}:{}", file.path, input.span.line, input.span.column);
                    missing.push(MissingInput { name, about, place });
                }
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(InputError::Missing(missing)) }
    }

    /// Checks that every input is declared by a case.
    ///
    /// # Errors
    ///
    /// [`InputError::Unknown`] for the first that is not.
    pub fn are_known(&self, cases: &Cases) -> Result<(), InputError> {
        let declared = || cases.iter().flat_map(|(_, case)| &case.settings.inputs);
        let is_declared = |name: &str| declared().any(|input| input.name == name);
        let Some(name) = self.supplied.keys().find(|name| !is_declared(name)) else {
            return Ok(());
        };
        let near = words::closest(name, declared().map(|input| input.name.as_str()));
        Err(InputError::Unknown { name: name.clone(), near: near.map(ToOwned::to_owned) })
    }

    /// The values at the start of the last case of `chain`, which continues the others; see [`Values::of`].
    ///
    /// # Errors
    ///
    /// [`InputError::Kind`].
    pub fn values<'a>(
        &self,
        chain: impl IntoIterator<Item = &'a Case> + Clone,
    ) -> Result<Values, InputError> {
        let mut values = Values::of(chain.clone());
        for input in chain.into_iter().flat_map(|case| &case.settings.inputs) {
            let value = match self.supplied.get(&input.name) {
                None => continue,
                Some(Supplied::Value(value)) => value.clone(),
                // A command line and the environment only have text; the default shows which type is meant.
                Some(Supplied::Text(text)) => match &input.default {
                    None | Some(Value::String(_)) => text.as_str().into(),
                    Some(default) => {
                        let read = Value::parse(text.as_bytes()).ok().map(|it| it.value);
                        let read = read.filter(|value| value.kind() == default.kind());
                        let (name, expected) = (input.name.clone(), default.kind());
                        read.ok_or(InputError::Kind { name, expected })?
                    }
                },
            };
            values.set(&input.name, value);
        }
        Ok(values)
    }
}

/// Shows only names, because values may be secret.
impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.supplied.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::format::read::ReadOptions;

    fn cases(inputs: &str) -> Cases {
        let text = format!(
            "case: One\n_inputs: {inputs}\nin: {{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}}\n"
        );
        Cases::parse("one.yaml", &text, &ReadOptions::default()).expect("a case").0
    }

    fn values(inputs: &Inputs, cases: &Cases) -> Result<Values, InputError> {
        let all: Vec<&Case> = cases.iter().map(|(_, case)| &**case).collect();
        inputs.values(all)
    }

    #[test]
    fn a_string_is_parsed_if_the_default_is_not_a_string() {
        let cases =
            cases("[a, {name: b, default: x}, {name: c, default: 1}, {name: d, default: [1]}]");
        let inputs = Inputs::default().text("a", "1").text("b", "2").text("c", "3");
        let known = values(&inputs, &cases).unwrap();
        insta::assert_debug_snapshot!(known, @r#"
        {
            "a": "\"1\"",
            "b": "\"2\"",
            "c": "3",
            "d": "[1]",
        }
        "#);
        let refused = values(&Inputs::default().text("c", "three"), &cases).unwrap_err();
        insta::assert_snapshot!(refused, @"the input `c` must be a number, like its default");
        let typed = values(&Inputs::default().value("a", 7), &cases).unwrap();
        assert_eq!(typed.value("a"), Some(&7.into()));
    }

    #[test]
    fn all_missing_inputs_are_reported_with_their_places() {
        let cases = cases(
            "[token, {name: api-key, about: from the console, secret: true}, {name: c, default: 1}]",
        );
        insta::assert_snapshot!(Inputs::default().check(cases.iter()).unwrap_err(), @"
        the cases have inputs without a value:
          one.yaml:2:11: token
          one.yaml:2:18: api-key, from the console
        supply them with `--input token=VALUE`, or in the environment with `MCP_TEST_INPUT_TOKEN=VALUE`
        ");
        let environment = |name: &str| (name == "MCP_TEST_INPUT_API_KEY").then(|| "k".to_owned());
        let inputs = Inputs::default().text("token", "t").or_from(&cases, environment);
        assert_eq!(inputs.check(cases.iter()), Ok(()));
        let known = values(&inputs, &cases).unwrap();
        assert_eq!(known.value("api-key"), Some(&"k".into()));
        insta::assert_snapshot!(format!("{known:?} {inputs:?}"), @r#"{"api-key": "[secret]", "c": "1", "token": "\"t\""} {"api-key", "token"}"#);
    }

    #[test]
    fn an_undeclared_input_is_an_error() {
        let cases = cases("[token]");
        assert_eq!(Inputs::default().text("token", "t").are_known(&cases), Ok(()));
        insta::assert_snapshot!(Inputs::default().text("tokn", "t").are_known(&cases).unwrap_err(), @"no case has an input `tokn`; did you mean `token`?");
        insta::assert_snapshot!(Inputs::default().text("x", "t").are_known(&cases).unwrap_err(), @"no case has an input `x`");
    }

    #[test]
    fn the_value_of_a_secret_input_is_a_secret() {
        let cases = cases("{name: key, secret: true}");
        let known = values(
            &Inputs::default().value("key", serde_json::json!({"a": ["hunter2", 12345]})),
            &cases,
        )
        .unwrap();
        assert_eq!(known.secrets().mask("hunter2 and 12345"), "[secret] and [secret]");
    }
}
