//! The values that `_inputs` are given from outside.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{Case, CaseFile, Cases, Values};
use crate::expect::words;
use crate::json::Value;

/// Values for the names that cases declare in `_inputs`.
///
/// A command line and an environment have only texts. Such a text is taken as it is, unless the input has a `default` that
/// is no text: then it is read as JSON.
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
    given: BTreeMap<String, Given>,
}

#[derive(Clone, PartialEq)]
enum Given {
    Text(String),
    Value(Value),
}

/// Why cases cannot be played with the inputs that were given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Inputs that nothing gives a value.
    #[error("{}", missing(.0))]
    Missing(Vec<MissingInput>),
    /// A value is given that no case asks for.
    #[error("no case has an input called `{name}`{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// The name.
        name: String,
        /// The name that was probably meant.
        near: Option<String>,
    },
    /// A text is given that is not what the input holds.
    #[error("the input `{name}` is to be {expected}, as its default is")]
    Kind {
        /// The name.
        name: String,
        /// What its default is.
        expected: &'static str,
    },
}

/// An input without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingInput {
    /// The name.
    pub name: String,
    /// What it is for.
    pub about: Option<String>,
    /// Where it is declared: `FILE:LINE:COLUMN`.
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
    let mut text = "the cases ask for values from outside:".to_owned();
    for input in missing.iter().take(SHOWN) {
        text += &format!("\n  {input}");
    }
    if missing.len() > SHOWN {
        text += &format!("\n  … and {} more", missing.len() - SHOWN);
    }
    let first = missing.first().map_or("NAME", |input| &input.name);
    let variable = Inputs::variable(first);
    text + &format!(
        "\ngive them, as in `--input {first}=VALUE`, or in the environment, as in `{variable}=VALUE`"
    )
}

impl Inputs {
    /// Gives an input a text, as from a command line.
    #[must_use]
    pub fn text(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.given.insert(name.into(), Given::Text(text.into()));
        self
    }

    /// Gives an input a value.
    #[must_use]
    pub fn value(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.given.insert(name.into(), Given::Value(value.into()));
        self
    }

    /// The variable of the environment that may hold an input.
    ///
    /// ```
    /// assert_eq!(mcp_test::cases::Inputs::variable("api-key"), "MCP_TEST_INPUT_API_KEY");
    /// ```
    #[must_use]
    pub fn variable(name: &str) -> String {
        let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        format!("MCP_TEST_INPUT_{}", name.chars().map(word).collect::<String>())
    }

    /// Takes what is not given otherwise from the environment, as `lookup` knows it by the [variable](Self::variable).
    #[must_use]
    pub fn or_from(mut self, cases: &Cases, lookup: impl Fn(&str) -> Option<String>) -> Self {
        let declared = cases.iter().flat_map(|(_, case)| &case.settings.inputs);
        for input in declared {
            if !self.given.contains_key(&input.name) {
                let found = lookup(&Self::variable(&input.name));
                let found = found.map(|text| (input.name.clone(), Given::Text(text)));
                self.given.extend(found);
            }
        }
        self
    }

    /// Whether everything that these cases ask for is there, and is what it has to be.
    ///
    /// # Errors
    /// [`InputError::Missing`] with all that is missing, or [`InputError::Kind`].
    pub fn check<'a>(
        &self,
        cases: impl IntoIterator<Item = (&'a Arc<CaseFile>, &'a Arc<Case>)>,
    ) -> Result<(), InputError> {
        let mut missing: Vec<MissingInput> = Vec::new();
        for (file, case) in cases {
            self.values([&**case])?;
            for input in &case.settings.inputs {
                let is_known = self.given.contains_key(&input.name)
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

    /// Whether some case asks for each of these inputs.
    ///
    /// # Errors
    /// [`InputError::Unknown`] for the first that no case has.
    pub fn are_known(&self, cases: &Cases) -> Result<(), InputError> {
        let declared = || cases.iter().flat_map(|(_, case)| &case.settings.inputs);
        let is_declared = |name: &str| declared().any(|input| input.name == name);
        match self.given.keys().find(|name| !is_declared(name)) {
            None => Ok(()),
            Some(name) => {
                let near = words::closest(name, declared().map(|input| input.name.as_str()));
                let near = near.map(ToOwned::to_owned);
                Err(InputError::Unknown { name: name.clone(), near })
            }
        }
    }

    /// What is known when a case begins that goes on from those before it in `chain`; see [`Values::of`].
    ///
    /// # Errors
    /// [`InputError::Kind`].
    pub fn values<'a>(
        &self,
        chain: impl IntoIterator<Item = &'a Case> + Clone,
    ) -> Result<Values, InputError> {
        let mut values = Values::of(chain.clone());
        for input in chain.into_iter().flat_map(|case| &case.settings.inputs) {
            let value = match self.given.get(&input.name) {
                None => continue,
                Some(Given::Value(value)) => value.clone(),
                Some(Given::Text(text)) => match &input.default {
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

/// The names alone: what they hold may be secret.
impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.given.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::ReadOptions;

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
    fn a_text_is_a_text_unless_the_default_is_something_else() {
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
        insta::assert_snapshot!(refused, @"the input `c` is to be a number, as its default is");
        let typed = values(&Inputs::default().value("a", 7), &cases).unwrap();
        assert_eq!(typed.value("a"), Some(&7.into()));
    }

    #[test]
    fn what_is_missing_is_told_at_once_and_with_its_places() {
        let cases = cases(
            "[token, {name: api-key, about: from the console, secret: true}, {name: c, default: 1}]",
        );
        insta::assert_snapshot!(Inputs::default().check(cases.iter()).unwrap_err(), @"
        the cases ask for values from outside:
          one.yaml:2:11: token
          one.yaml:2:18: api-key, from the console
        give them, as in `--input token=VALUE`, or in the environment, as in `MCP_TEST_INPUT_TOKEN=VALUE`
        ");
        let environment = |name: &str| (name == "MCP_TEST_INPUT_API_KEY").then(|| "k".to_owned());
        let inputs = Inputs::default().text("token", "t").or_from(&cases, environment);
        assert_eq!(inputs.check(cases.iter()), Ok(()));
        let known = values(&inputs, &cases).unwrap();
        assert_eq!(known.value("api-key"), Some(&"k".into()));
        insta::assert_snapshot!(format!("{known:?} {inputs:?}"), @r#"{"api-key": "[secret]", "c": "1", "token": "\"t\""} {"api-key", "token"}"#);
    }

    #[test]
    fn an_input_that_no_case_has_is_refused() {
        let cases = cases("[token]");
        assert_eq!(Inputs::default().text("token", "t").are_known(&cases), Ok(()));
        insta::assert_snapshot!(Inputs::default().text("tokn", "t").are_known(&cases).unwrap_err(), @"no case has an input called `tokn`; did you mean `token`?");
        insta::assert_snapshot!(Inputs::default().text("x", "t").are_known(&cases).unwrap_err(), @"no case has an input called `x`");
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
