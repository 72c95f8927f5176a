//! Definitions as the JSON Schema library compiled them: ours each when it is first asked for, with what it refers to;
//! those of a document that was loaded all at once.

use std::sync::OnceLock;

use super::book::Book;
use super::export;
use super::format;
use super::model::{Index, Model};
use crate::json_schema::{CompileError, Definitions, Formats, Validator};

/// The compiled definitions of one book.
#[derive(Debug)]
pub(super) enum Compiled {
    /// A document for each definition.
    Ours(Vec<OnceLock<Option<Box<Definitions>>>>),
    /// One document of them all.
    Loaded(Box<Definitions>),
}

impl Compiled {
    /// A place for each of our definitions.
    pub(super) fn ours(model: &Model) -> Self {
        Self::Ours(model.shapes.iter().map(|_| OnceLock::new()).collect())
    }

    /// Reads a document with `$defs` or `definitions`.
    pub(super) fn read(document: serde_json::Value) -> Result<Self, CompileError> {
        Definitions::read(document, formats()).map(|read| Self::Loaded(Box::new(read)))
    }

    /// Compiles what was loaded; the name of the first definition that cannot be compiled, and why.
    pub(super) fn compile_all(&self) -> Result<(), (String, CompileError)> {
        let Self::Loaded(definitions) = self else {
            return Ok(());
        };
        for name in definitions.names() {
            if let Some(Err(error)) = definitions.validator(name) {
                return Err((name.to_owned(), error));
            }
        }
        Ok(())
    }
}

impl Book {
    /// What judges by the definition at `index`.
    pub(super) fn validator(&self, index: Index) -> Option<&Validator> {
        let definitions = match &self.compiled {
            Compiled::Loaded(definitions) => definitions,
            Compiled::Ours(places) => {
                let place = places.get(usize::from(index.0))?;
                let read = || {
                    let document = export::needed(self.model.as_ref()?, index);
                    Definitions::read(document, formats()).ok().map(Box::new)
                };
                place.get_or_init(read).as_ref()?
            }
        };
        definitions.validator(&self.entry(index).name)?.ok()
    }
}

/// The formats that are looked at, ours and those of the official schema alike. Its `byte` says nothing there.
fn formats() -> Formats {
    Formats::none()
        .with("uri", format::is_uri)
        .with("uri-template", format::is_uri_template)
        .with("base64", format::is_base64)
}
