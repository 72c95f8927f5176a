//! Generates `assert_…` and `try_…` from one declaration, so that they cannot differ.
//!
//! A declaration reads `assert_x / try_x (self, arguments) { check }`; the check borrows the subject and returns
//! `Result<(), Finding>`. With `-> Item` it returns the part that the item is made of. One type parameter may precede the
//! arguments: `assert_x / try_x <T: Bound> (self)`.

/// Assertions about a reply: for `T`, which is `#[must_use]`, and for `Asserted<T>`, which is not.
macro_rules! assertions {
    ([$($generics:tt)*] $subject:ty { $(
        $(#[$doc:meta])*
        $assert:ident / $try:ident $(<$generic:ident: $bound:path>)? ($self:ident $(, $arg:ident: $kind:ty)* $(,)?) $(-> $item:ident)? $check:block
    )* }) => {
        impl<$($generics)*> $subject { $(
            $(#[$doc])*
            #[doc = $crate::assert::macros::doc_of_assert!($try)]
            #[track_caller]
            pub fn $assert$(<$generic: $bound>)?($self $(, $arg: $kind)*) -> $crate::assert::macros::returned_type!(Self $(, $item)?) {
                match $check {
                    Ok(part) => $crate::assert::macros::returned_value!($self, part $(, $item)?),
                    Err(finding) => $crate::assert::fail(finding, $crate::assert::Staged::scene(&$self)),
                }
            }

            #[doc = $crate::assert::macros::doc_of_try!($assert)]
            pub fn $try$(<$generic: $bound>)?($self $(, $arg: $kind)*) -> Result<$crate::assert::macros::returned_type!(Self $(, $item)?), $crate::check::Finding> {
                let part = $check?;
                Ok($crate::assert::macros::returned_value!($self, part $(, $item)?))
            }
        )* }

        // Not by `Deref`, which cannot move the reply out: each assertion takes its subject by value.
        impl<$($generics)*> $crate::assert::Asserted<$subject> { $(
            $(#[$doc])*
            #[doc = $crate::assert::macros::doc_of_assert!($try)]
            #[track_caller]
            pub fn $assert$(<$generic: $bound>)?($self $(, $arg: $kind)*) -> $crate::assert::macros::returned_type!($subject $(, $item)?) {
                $self.0.$assert$(::<$generic>)?($($arg),*)
            }

            #[doc = $crate::assert::macros::doc_of_try!($assert)]
            pub fn $try$(<$generic: $bound>)?($self $(, $arg: $kind)*) -> Result<$crate::assert::macros::returned_type!($subject $(, $item)?), $crate::check::Finding> {
                $self.0.$try$(::<$generic>)?($($arg),*)
            }
        )* }
    };
}

/// Assertions about something that may be dropped at any time: they return the subject unchanged.
macro_rules! plain_assertions {
    ([$($generics:tt)*] $subject:ty { $(
        $(#[$doc:meta])*
        $assert:ident / $try:ident ($self:ident $(, $arg:ident: $kind:ty)* $(,)?) $check:block
    )* }) => {
        impl<$($generics)*> $subject { $(
            $(#[$doc])*
            #[doc = $crate::assert::macros::doc_of_assert!($try)]
            #[track_caller]
            pub fn $assert($self $(, $arg: $kind)*) -> Self {
                match $check {
                    Ok(()) => $self,
                    Err(finding) => $crate::assert::fail(finding, $crate::assert::Staged::scene(&$self)),
                }
            }

            #[doc = $crate::assert::macros::doc_of_try!($assert)]
            pub fn $try($self $(, $arg: $kind)*) -> Result<Self, $crate::check::Finding> {
                $check?;
                Ok($self)
            }
        )* }
    };
}

/// The documentation of `assert_…`, after its own words.
macro_rules! doc_of_assert {
    ($try:ident) => {
        concat!(
            "\n# Panics\n\nIf the assertion fails; [`",
            stringify!($try),
            "`](Self::",
            stringify!($try),
            ") returns the finding instead."
        )
    };
}

/// The documentation of `try_…`.
macro_rules! doc_of_try {
    ($assert:ident) => {
        concat!(
            "The twin of [`",
            stringify!($assert),
            "`](Self::",
            stringify!($assert),
            ") that does not panic.\n\n# Errors\n\nThe finding, if the assertion fails."
        )
    };
}

/// The type that an assertion returns.
macro_rules! returned_type {
    ($subject:ty) => { $crate::assert::Asserted<$subject> };
    ($subject:ty, $item:ident) => { $item };
}

/// The value that an assertion returns.
macro_rules! returned_value {
    ($subject:expr, $part:ident) => {{
        // Does not compile if the check returns something that would be dropped here.
        let () = $part;
        $crate::assert::Asserted($subject)
    }};
    ($subject:expr, $part:ident, $item:ident) => {
        $item::new($subject, $part)
    };
}

pub(super) use {
    assertions, doc_of_assert, doc_of_try, plain_assertions, returned_type, returned_value,
};
