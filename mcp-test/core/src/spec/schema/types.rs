//! Types as the shape files and the resolved model share them.

/// A type; the parsed and the resolved form differ in how they name shapes and describe objects.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type<Name, Object> {
    Any,
    Null,
    Boolean,
    String,
    Format(Format),
    Integer(Range),
    Number(Range),
    Literal(&'static str),
    Exactly(i64),
    Array(Box<Self>, Range),
    Object(Object),
    Union(Vec<Self>),
    Named(Name),
}

/// The format of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Uri,
    UriTemplate,
    Base64,
}

/// The inclusive bounds of a number or of the length of an array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: Option<i64>,
    pub(super) most: Option<i64>,
}

impl<Name, Object> Type<Name, Object> {
    /// Converts the type, with `convert` for the types that have others inside.
    pub(super) fn convert<N, O>(&self, convert: impl FnOnce(&Self) -> Type<N, O>) -> Type<N, O> {
        match self {
            Self::Any => Type::Any,
            Self::Null => Type::Null,
            Self::Boolean => Type::Boolean,
            Self::String => Type::String,
            Self::Format(format) => Type::Format(*format),
            Self::Integer(range) => Type::Integer(*range),
            Self::Number(range) => Type::Number(*range),
            Self::Literal(text) => Type::Literal(text),
            Self::Exactly(number) => Type::Exactly(*number),
            Self::Array(..) | Self::Object(_) | Self::Union(_) | Self::Named(_) => convert(self),
        }
    }
}
