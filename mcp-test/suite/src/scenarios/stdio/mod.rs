//! Standard input and output.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio>

mod started_server;

scenarios![stdio_last_reply, stdio_end_of_input, server_exit, server_ignores_eof, server_stderr];
