//! The parameters of a request, from a query or a form.

use super::oauth_error::{ErrorCode, OAuthError};

/// How many parameters are read.
const MOST_PARAMETERS: usize = 100;

/// The parameters in order. An empty one counts as missing (RFC 6749, section 3.1).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Parses `application/x-www-form-urlencoded`; what follows the hundredth parameter is left out.
    #[doc(hidden)]
    pub fn parse(text: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(text).take(MOST_PARAMETERS);
        let given = pairs.filter(|(_, value)| !value.is_empty());
        Self(given.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// Every value of a parameter.
    #[doc(hidden)]
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a parameter.
    #[doc(hidden)]
    pub fn first<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|(name, value)| name.len() + value.len()).sum()
    }

    /// The names, for people.
    #[doc(hidden)]
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    }

    /// The value of a parameter that may be given once.
    pub(super) fn one<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, OAuthError> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(ErrorCode::InvalidRequest.because("a parameter is repeated")),
            (value, None) => Ok(value),
        }
    }

    /// The value of a parameter that must be given.
    pub(super) fn required<'a>(
        &'a self,
        name: &'a str,
        missing: &'static str,
    ) -> Result<&'a str, OAuthError> {
        self.one(name)?.ok_or(ErrorCode::InvalidRequest.because(missing))
    }
}
