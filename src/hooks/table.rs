//! The rows of `rules/tools.toml`, as the build script wrote them: what each tool of an agent does, and where it gets what it is given.

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Runs a command line.
    Shell,
    /// Types into a program that runs.
    Input,
    /// Reads files.
    Read,
    /// Writes a file.
    Write,
    /// Changes a file.
    Edit,
    /// Changes many files by one text.
    Patch,
    /// Looks at names.
    List,
    /// Searches in contents.
    Search,
    /// Reads from a host.
    Fetch,
    /// Asks a search engine.
    WebSearch,
    /// Reads what an MCP server offers.
    Resource,
    /// Is the agent's own, and harmless.
    Own,
}

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

/// Returns what the tool of this name does, if it is known.
pub(super) fn does(name: &str) -> Option<Does> {
    let at = TOOLS.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    Some(TOOLS[at].1)
}
