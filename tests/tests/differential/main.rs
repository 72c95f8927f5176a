//! The message shapes beside the official schemas, on instances that are generated, tens of thousands for each revision.
//!
//! What is generated depends on a seed alone, which a failure names; `MCP_TEST_SEED` chooses another one. The official
//! schemas are not part of the project: `MCP_TEST_OFFICIAL_SCHEMAS` names a folder with `<revision>/schema.json`, and
//! without it what needs them says that it was skipped.

mod agreement;
mod document;
mod examples;
mod findings;
mod formats;
mod instances;
mod mutants;
mod proofs;
mod random;
mod shrink;
mod words;
