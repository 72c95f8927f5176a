//! The same twenty tests of a server that keeps notes, in four ways: with mcp-test, with the client of rmcp, with that of the
//! TypeScript SDK (`notes.test.ts`), and with that of FastMCP (`test_notes.py`). Each tests a server of its own SDK, in memory.
//!
//! The guide compares their lines of code. How one writes tests with mcp-test is shown by `tests/notes/`.

mod with_mcp_test;
mod with_rmcp;
