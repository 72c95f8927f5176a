//! The compiler errors of the macros are tested in a package of their own, with only the features that they need: trybuild
//! builds all dependencies of the package once more.
