//! Makes both forms of each assertion from one line, so that they cannot differ.
//!
//! A line reads `assert_x / try_x (self, arguments) { check }`; the check borrows the subject and returns
//! `Result<(), Finding>`. With `-> Item` it returns the part that the item is made of. One type parameter may stand before
//! the arguments: `assert_x / try_x <T: Bound> (self)`.

/// Assertions of a reply: for `T`, which is `#[must_use]`, and for `Asserted<T>`, which is not.
macro_rules! assertions {
    ([$($generics:tt)*] $subject:ty { $(
        $(#[$doc:meta])*
        $assert:ident / $try:ident $(<$generic:ident: $bound:path>)? ($self:ident $(, $arg:ident: $kind:ty)* $(,)?) $(-> $item:ident)? $check:block
    )* }) => {
        impl<$($generics)*> $subject { $(
            $(#[$doc])*
            #[doc = ""]
            #[doc = "# Panics"]
            #[doc = ""]
            #[doc = concat!("When it is not so; [`", stringify!($try), "`](Self::", stringify!($try), ") returns the finding instead.")]
            #[track_caller]
            pub fn $assert$(<$generic: $bound>)?($self $(, $arg: $kind)*) -> $crate::assert::twins::handed_on!(Self $(, $item)?) {
                match $check {
                    Ok(part) => $crate::assert::twins::hand_on!($self, part $(, $item)?),
                    Err(finding) => $crate::assert::fail(&finding, &$crate::assert::Staged::scene(&$self)),
                }
            }

            #[doc = concat!("The twin of [`", stringify!($assert), "`](Self::", stringify!($assert), ") that does not panic.")]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = "The finding, when it is not so."]
            pub fn $try$(<$generic: $bound>)?($self $(, $arg: $kind)*) -> Result<$crate::assert::twins::handed_on!(Self $(, $item)?), $crate::check::Finding> {
                let part = $check?;
                Ok($crate::assert::twins::hand_on!($self, part $(, $item)?))
            }
        )* }

        impl<$($generics)*> $crate::assert::Asserted<$subject> { $(
            $(#[$doc])*
            #[doc = ""]
            #[doc = "# Panics"]
            #[doc = ""]
            #[doc = concat!("When it is not so; [`", stringify!($try), "`](Self::", stringify!($try), ") returns the finding instead.")]
            #[track_caller]
            pub fn $assert$(<$generic: $bound>)?($self $(, $arg: $kind)*) -> $crate::assert::twins::handed_on!($subject $(, $item)?) {
                $self.0.$assert$(::<$generic>)?($($arg),*)
            }

            #[doc = concat!("The twin of [`", stringify!($assert), "`](Self::", stringify!($assert), ") that does not panic.")]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = "The finding, when it is not so."]
            pub fn $try$(<$generic: $bound>)?($self $(, $arg: $kind)*) -> Result<$crate::assert::twins::handed_on!($subject $(, $item)?), $crate::check::Finding> {
                $self.0.$try$(::<$generic>)?($($arg),*)
            }
        )* }
    };
}

/// Assertions of something that may be dropped at any time: they hand on the subject as it is.
macro_rules! plain_assertions {
    ([$($generics:tt)*] $subject:ty { $(
        $(#[$doc:meta])*
        $assert:ident / $try:ident ($self:ident $(, $arg:ident: $kind:ty)* $(,)?) $check:block
    )* }) => {
        impl<$($generics)*> $subject { $(
            $(#[$doc])*
            #[doc = ""]
            #[doc = "# Panics"]
            #[doc = ""]
            #[doc = concat!("When it is not so; [`", stringify!($try), "`](Self::", stringify!($try), ") returns the finding instead.")]
            #[track_caller]
            pub fn $assert($self $(, $arg: $kind)*) -> Self {
                match $check {
                    Ok(()) => $self,
                    Err(finding) => $crate::assert::fail(&finding, &$crate::assert::Staged::scene(&$self)),
                }
            }

            #[doc = concat!("The twin of [`", stringify!($assert), "`](Self::", stringify!($assert), ") that does not panic.")]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = "The finding, when it is not so."]
            pub fn $try($self $(, $arg: $kind)*) -> Result<Self, $crate::check::Finding> {
                $check?;
                Ok($self)
            }
        )* }
    };
}

/// The type that an assertion hands on.
macro_rules! handed_on {
    ($subject:ty) => { $crate::assert::Asserted<$subject> };
    ($subject:ty, $item:ident) => { $item };
}

/// What an assertion hands on.
macro_rules! hand_on {
    ($subject:expr, $part:ident) => {{
        let () = $part;
        $crate::assert::Asserted($subject)
    }};
    ($subject:expr, $part:ident, $item:ident) => {
        $item::new($subject, $part)
    };
}

pub(super) use {assertions, hand_on, handed_on, plain_assertions};
