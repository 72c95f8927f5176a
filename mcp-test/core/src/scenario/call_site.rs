//! Where a user has written one of our macros.

use std::fmt;

/// Where a user has written one of our macros: `tests/calculator.rs:12:10`.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct CallSite {
    /// The module, with the crate's name.
    pub module_path: &'static str,
    /// The source file, as the compiler was given it.
    pub file: &'static str,
    /// The line of what the macro is about.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The directory of the `Cargo.toml` of the user's package.
    pub manifest_dir: &'static str,
}

impl CallSite {
    /// The name of an item beside the macro, as libtest shows it: the modules below the crate, then the item.
    #[must_use]
    pub fn test_name(&self, item: &str) -> String {
        // libtest leaves out the name of the crate.
        match self.module_path.split_once("::") {
            Some((_, modules)) => format!("{modules}::{item}"),
            None => item.to_owned(),
        }
    }
}

impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, .. } = self;
        write!(f, "{file}:{line}:{column}")
    }
}

/// The [`CallSite`] of the macro that expands to this.
#[doc(hidden)]
#[macro_export]
macro_rules! __call_site {
    () => {
        $crate::__private::CallSite {
            module_path: ::core::module_path!(),
            file: ::core::file!(),
            line: ::core::line!(),
            column: ::core::column!(),
            manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
        }
    };
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A place in a package that does not exist.
    pub(crate) const fn call_site(module_path: &'static str, line: u32) -> CallSite {
        CallSite { module_path, file: "tests/calculator.rs", line, column: 10, manifest_dir: "" }
    }

    #[test]
    fn names_are_those_of_libtest() {
        assert_eq!(call_site("calculator", 1).test_name("works"), "works");
        assert_eq!(call_site("calculator::a::b", 1).test_name("works"), "a::b::works");
    }
}
