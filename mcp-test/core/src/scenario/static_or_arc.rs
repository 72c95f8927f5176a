//! A value that is either a `static` of the program or reference-counted.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A `static` value, or one made at run time and freed after its last use.
///
/// Built-in scenarios are constants, so that their list costs nothing to build. Cases and users' functions become scenarios
/// at run time. This type holds both.
#[doc(hidden)]
pub enum Shared<T: ?Sized + 'static> {
    /// A constant of the program.
    Static(&'static T),
    /// A value made at run time.
    Counted(Arc<T>),
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Static(value) => value,
            Self::Counted(value) => value,
        }
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Static(value) => Self::Static(value),
            Self::Counted(value) => Self::Counted(Arc::clone(value)),
        }
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Shared<T> {}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> From<&'static T> for Shared<T> {
    fn from(value: &'static T) -> Self {
        Self::Static(value)
    }
}

impl<T: ?Sized> From<Arc<T>> for Shared<T> {
    fn from(value: Arc<T>) -> Self {
        Self::Counted(value)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self::Counted(Arc::new(value))
    }
}

impl<T> From<Vec<T>> for Shared<[T]> {
    fn from(values: Vec<T>) -> Self {
        Self::Counted(values.into())
    }
}
