//! The rows of `rules/tools.toml`, as the build script wrote them: what each tool of an agent does, and what it takes.

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
    /// Tells the model what stands in a file.
    Prompt,
    /// Starts a helper, which a file may describe.
    Helper,
    /// Gives the model a text later, as if its person had typed it.
    Later,
    /// Is the agent's own, and harmless.
    Own,
}

/// What stands in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// A command line, as text or as words.
    Line,
    /// The directory in which a line runs, or a patch applies.
    Directory,
    /// A path.
    Path,
    /// Paths or patterns of paths: one, or a list.
    Paths,
    /// A pattern of paths.
    Pattern,
    /// Patterns that narrow a search.
    Filter,
    /// What is written.
    Text,
    /// What is written or sent, at any depth.
    Texts,
    /// A list of objects, each with some of the tool's own fields.
    Inner,
    /// Many files in one text.
    Patch,
    /// An address.
    Url,
    /// A text in which addresses stand.
    Addresses,
    /// What a search engine is asked, or a skill is given.
    Words,
    /// What is done, of a tool that does several things.
    Command,
    /// The name of a file that is told to the model, or of a helper.
    Prompt,
    /// A text of which the client attaches the files that it mentions.
    Mentions,
    /// What may be paths, at any depth.
    Perhaps,
    /// SQL on what the client keeps for itself.
    Sql,
    /// An MCP server.
    Server,
    /// The text in whose place another is written, which is only shown.
    Old,
    /// A number, a word, or a text that is only shown.
    Option,
    /// Anything that reaches neither files nor hosts.
    Any,
    /// A wish for more than the line, as to run outside of the client's sandbox.
    More,
}

/// Where an `@` stands by which a client attaches a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attaches {
    /// Nowhere.
    Nothing,
    /// At the beginning of a word.
    Words,
    /// Anywhere but within a name.
    Anywhere,
}

/// The fields of a tool, and what stands in them.
pub(super) type Takes = &'static [(&'static str, Holds)];

/// A tool of an agent.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) does: Does,
    /// Its fields, and what stands in them; none if nothing in them matters.
    pub(super) takes: Option<Takes>,
    /// Where the file may be that a [`Does::Prompt`] tells: `{name}` is what it is called by, `~/` the home, all else below the workspace.
    pub(super) files: &'static [&'static str],
    /// Names that the client has of its own, where no file has one.
    pub(super) bundled: &'static [&'static str],
    /// The directories in which files describe helpers.
    pub(super) helpers: &'static [&'static str],
    /// What of such a file, or of a [`Holds::Mentions`], the client takes for a mention of a file that it attaches.
    pub(super) attaches: Attaches,
    /// Directories from which the client takes what is mentioned, beside the working directory; each with its slash.
    pub(super) below: &'static [&'static str],
    /// Whether its patterns are read as extended globs, in any case, and of a directory all that is in it is read.
    pub(super) folds: bool,
    /// Whether the client takes another file whose path ends so, where there is none of a relative path.
    pub(super) seeks: bool,
    /// Whether a path that is no directory means to the client the one that it stands in.
    pub(super) around: bool,
    /// Commands that the client does itself where they are all of a line: no shell sees them.
    pub(super) intercepts: &'static [&'static str],
    /// What the client puts before a line, in the same shell.
    pub(super) before: &'static str,
    /// What it puts behind it.
    pub(super) after: &'static str,
}

type Row = ((&'static str, &'static str), Tool);

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

/// The field that stands for all that a tool has no others for.
pub(super) const REST: &str = "*";

/// Returns whether a key of what stands before such a file makes its client run commands.
#[must_use]
pub fn brings_commands(key: &str) -> bool {
    let letters = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    BRINGS.iter().any(|known| letters(known) == letters(key))
}

/// Returns whether a key that stands before such a file is known, and brings no commands.
#[must_use]
pub fn is_plain_key(key: &str) -> bool {
    PLAIN.contains(&key)
}

/// Returns the tool that this agent calls so, if it is known.
pub(super) fn tool(agent: &str, name: &str) -> Option<&'static Tool> {
    let at = TOOLS.binary_search_by(|(known, _)| known.cmp(&(agent, name))).ok()?;
    Some(&TOOLS[at].1)
}
