//! The SDKs that a finding can be traced to, so that the author of a server knows that it is not about their own code.
//!
//! Which one it is, is recognised by the scenarios. It is printed with a finding; it decides no status.

use std::fmt;

/// An SDK of the MCP project that has sent what a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sdk {
    /// The TypeScript SDK.
    TypeScript,
    /// The Python SDK.
    Python,
    /// The Go SDK.
    Go,
    /// The C# SDK.
    CSharp,
}

impl Sdk {
    /// The name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript => "the official TypeScript SDK",
            Self::Python => "the official Python SDK",
            Self::Go => "the official Go SDK",
            Self::CSharp => "the official C# SDK",
        }
    }
}

impl fmt::Display for Sdk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
