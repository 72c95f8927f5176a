//! Differential tests: our message shapes and the official schemas validate the same generated instances, tens of thousands for
//! each revision, and have to agree.
//!
//! The instances depend only on a seed, which failures print; `MCP_TEST_SEED` sets another one. The official schemas are not
//! part of this repository: `MCP_TEST_OFFICIAL_SCHEMAS` names a folder with `<revision>/schema.json`. The tests that need them
//! are ignored unless asked for, by `-- --include-ignored`.

mod agreement;
mod document;
mod examples;
mod formats;
mod instances;
mod mutants;
mod proofs;
mod random;
mod shrink;
mod values;
mod violations;
