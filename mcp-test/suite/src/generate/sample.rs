//! A generated value, and what it exercises.

use mcp_test_core::json::{Pointer, Value};

/// A generated value.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The value.
    pub value: Value,
    /// Whether the schema allows it.
    pub class: Class,
    /// What it exercises; several, if one value is at several boundaries, and never none.
    pub exercised: Vec<Exercised>,
}

/// Whether a schema allows a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// It does.
    Valid,
    /// It does not: exactly one keyword is violated, at one location of the value.
    Invalid {
        /// The keyword.
        keyword: String,
        /// The location in the value.
        instance: Pointer,
    },
    /// It does, but the text at one location lacks the `format` that is stated for it. Formats are annotations, so that a
    /// server may accept the value as well as refuse it.
    FormatOnly {
        /// The location in the value.
        instance: Pointer,
    },
}

impl Class {
    /// Whether a server has to accept the value.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid)
    }

    /// Whether a server has to refuse the value.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        matches!(self, Self::Invalid { .. })
    }
}

/// What a value exercises.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Exercised {
    /// The location in the value.
    pub instance: Pointer,
    /// The location of the schema that has the keyword.
    pub schema: Pointer,
    /// The keyword.
    pub keyword: String,
    /// Whether the schema states the boundary; false for what it only leaves open, such as unusual characters and large numbers.
    pub is_stated: bool,
    /// In words, such as "`name` has the least length, 1".
    pub description: String,
}

impl Exercised {
    /// The same as seen from a value that contains this one at `step`.
    pub(super) fn within(self, step: &Pointer) -> Self {
        Self { instance: step.clone().join(&self.instance), ..self }
    }

    /// With the location in front of the description.
    pub(super) fn described(self) -> Self {
        let place = match self.instance.as_str().strip_prefix('/') {
            None => "the value".to_owned(),
            // Printed as a pointer, which escapes what would affect a terminal.
            Some(_) => format!("`{}`", self.instance.to_string().trim_start_matches('/')),
        };
        Self { description: format!("{place} {}", self.description), ..self }
    }
}
