//! Definitions compiled by the JSON Schema library: ours one by one on first use, those of a loaded document at once.

use std::sync::OnceLock;

use super::model::{Index, Model};
use super::{export, format};
use crate::json_schema::{CompileError, Definitions, Formats, Validator};

/// The compiled definitions of one set.
#[derive(Debug)]
pub(super) enum Compiled {
    /// One document for each definition; `None` in it if that definition cannot be compiled.
    Ours(Vec<OnceLock<Option<Box<Definitions>>>>),
    /// One document with all definitions.
    Loaded(Box<Definitions>),
}

impl Compiled {
    /// An uncompiled document for each of our definitions.
    pub(super) fn ours(model: &Model) -> Self {
        Self::Ours(model.shapes.iter().map(|_| OnceLock::new()).collect())
    }

    /// Reads a document with `$defs` or `definitions`.
    pub(super) fn read(document: serde_json::Value) -> Result<Self, CompileError> {
        Definitions::read(document, formats()).map(|read| Self::Loaded(Box::new(read)))
    }

    /// Compiles a loaded document; fails with the name of the first definition that cannot be compiled.
    pub(super) fn compile_all(&self) -> Result<(), (String, CompileError)> {
        let Self::Loaded(definitions) = self else {
            return Ok(());
        };
        // Now, so that a broken schema is refused when it is loaded and not in the middle of a run.
        for name in definitions.names() {
            if let Some(Err(error)) = definitions.validator(name) {
                return Err((name.to_owned(), error));
            }
        }
        Ok(())
    }

    /// The definition `name` at `index`, compiled from `model` if it is ours.
    pub(super) fn validator(
        &self,
        index: Index,
        name: &str,
        model: Option<&Model>,
    ) -> Option<&Validator> {
        let definitions = match self {
            Self::Loaded(definitions) => definitions,
            Self::Ours(documents) => {
                let read = || {
                    let document = export::with_dependencies(model?, index);
                    // If it cannot be compiled, the shapes decide alone.
                    Definitions::read(document, formats()).ok().map(Box::new)
                };
                documents.get(usize::from(index.0))?.get_or_init(read).as_ref()?
            }
        };
        definitions.validator(name)?.ok()
    }
}

/// The asserted formats, in our documents and in official schemas.
///
/// `byte` is not among them: the official schemas use it for Base64, but no JSON Schema validator asserts it.
fn formats() -> Formats {
    Formats::none()
        .with("uri", format::is_uri)
        .with("uri-template", format::is_uri_template)
        .with("base64", format::is_base64)
}
