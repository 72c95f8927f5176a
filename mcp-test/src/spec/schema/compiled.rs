//! The verdicts: definitions as the JSON Schema library compiled them, each when it is first asked for.

use super::book::Book;
use super::export;
use super::format;
use crate::expect::Mismatch;
use crate::json::Value;
use crate::json_schema::{CompileError, Definitions, Formats};

/// The compiled definitions of one book.
#[derive(Debug)]
pub(super) struct Compiled(Definitions);

impl Compiled {
    /// Reads a document with `$defs` or `definitions`.
    pub(super) fn read(document: serde_json::Value) -> Result<Self, CompileError> {
        Definitions::read(document, formats()).map(Self)
    }

    /// Compiles all of them now; the name of the first that cannot be compiled, and why.
    pub(super) fn compile_all(&self) -> Result<(), (String, CompileError)> {
        for name in self.0.names() {
            if let Some(Err(error)) = self.0.validator(name) {
                return Err((name.to_owned(), error));
            }
        }
        Ok(())
    }

    /// Whether the value fits; `None` if the definition is not there or its verdict took too long.
    pub(super) fn is_valid(&self, name: &str, value: &Value) -> Option<bool> {
        self.0.validator(name)?.ok()?.is_valid(value).ok()
    }

    /// What is wrong with the value, in the library's words.
    pub(super) fn mismatches(&self, name: &str, value: &Value) -> Vec<Mismatch> {
        let told = || self.0.validator(name)?.ok()?.mismatches(value).ok();
        told().unwrap_or_default()
    }
}

impl Book {
    /// The compiled definitions; of ours, they are made when they are first asked for.
    pub(super) fn compiled(&self) -> Option<&Compiled> {
        let ours =
            || self.model.as_ref().and_then(|model| Compiled::read(export::document(model)).ok());
        self.compiled.get_or_init(ours).as_ref()
    }
}

/// The formats that are looked at, ours and those of the official schema alike. Its `byte` says nothing there.
fn formats() -> Formats {
    Formats::none()
        .with("uri", format::is_uri)
        .with("uri-template", format::is_uri_template)
        .with("base64", format::is_base64)
}
