//! Prompts.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/prompts>

scenarios![
    prompts_list,
    prompts_get_simple,
    prompts_get_with_args,
    prompts_get_embedded_resource,
    prompts_get_with_image,
    prompts_get_listed,
    prompts_get_invalid,
];
