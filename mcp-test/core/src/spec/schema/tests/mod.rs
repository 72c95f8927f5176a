//! The shape files are consistent, and equal the official schema.

mod messages;
mod methods;
mod official;
mod shape_files;
mod violations;
