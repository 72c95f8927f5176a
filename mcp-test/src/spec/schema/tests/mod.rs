//! The shape files are sound, and say what the official schema says.

mod official;
mod sound;
