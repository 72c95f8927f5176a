//! The shape files are sound, and say what the official schema says.

mod messages;
mod methods;
mod official;
mod sound;
mod told;
