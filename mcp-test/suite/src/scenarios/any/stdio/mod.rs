//! Standard input and output.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio>

scenarios![stdio_last_reply, stdio_end_of_input];
