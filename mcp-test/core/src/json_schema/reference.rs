//! Errors of the JSON Schema library about references.

use jsonschema::ReferencingError;

use super::CompileError;
use crate::expect::words;
use crate::json::Pointer;

/// Why the library cannot follow the reference at `pointer`.
pub(super) fn reference_error(error: &ReferencingError, pointer: Pointer) -> CompileError {
    let excerpt = |text: &str| words::excerpt(text).into_owned();
    match error {
        ReferencingError::UnknownSpecification { specification } => {
            CompileError::UnknownDialect { pointer, name: excerpt(specification) }
        }
        ReferencingError::Unretrievable { uri, .. } => {
            CompileError::External { pointer, reference: excerpt(uri) }
        }
        ReferencingError::PointerToNowhere { pointer: reference } => {
            CompileError::Dangling { pointer, reference: excerpt(reference) }
        }
        ReferencingError::NoSuchAnchor { anchor } => {
            CompileError::Dangling { pointer, reference: excerpt(anchor) }
        }
        other => CompileError::Unusable { pointer, reason: excerpt(&other.to_string()) },
    }
}
