//! Resources.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/resources>

scenarios![
    resources_read_unknown,
    resources_read_invalid,
    resources_read_listed,
    resources_templates
];
