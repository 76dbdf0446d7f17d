//! What a program is like, beside what it does: facts by which the reading follows files, names and links.

use serde::{Deserialize, Serialize};

/// A trait of a program, a subcommand or an option in the catalog (`traits`, and `without` of an option that takes one away).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramTrait {
    /// Where what it writes is a directory, it puts files of the sources' names there (`cp`).
    PutsInto,
    /// What it makes are empty directories (`mkdir`).
    MakesDirectories,
    /// It gives names to files that are there (`ln`).
    Links,
    /// What it copies are the same files under second names, those in directories too (`cp -al`).
    GivesSecondNames,
    /// The names that it makes are symbolic links (`ln -s`).
    SymbolicLinks,
    /// It writes what it fetches under the name that the URL has (`curl -O`).
    NamedByUrl,
    /// Where no operand names another machine, it stays on this one (`rsync`).
    StaysHere,
    /// It changes files as a patch says.
    Patches,
    /// It prints names of files, of those that its operands name or below (`ls`, `grep -l`).
    ListsFiles,
    /// It lists all that a repository tracks (`git ls-files`).
    ListsTracked,
    /// It prints changes that stand nowhere else yet (`git diff`).
    PrintsChanges,
    /// The names that it prints do not say in which directory they are (`ls DIRECTORY`).
    BareNames,
    /// It passes over files whose names begin with a dot.
    PassesOverHidden,
    /// What it prints or writes is what others have put where it asks (`gh api`).
    Downloads,
    /// Its words are an expression that says which files below its operands it finds (`find`).
    Finds,
    /// An option by which a search finds only some of the files (`find -size`).
    Narrows,
    /// What it starts runs in the directory of what it found (`find -execdir`).
    RunsWhereFound,
    /// It starts something for each file that it finds.
    RunsForEach,
    /// It takes the words of what it starts from standard input (`xargs`).
    TakesWords,
    /// It prints what the files hold that it reads, or most of that (`cat`).
    Shows,
    /// Without operands, it prints lines of its standard input as they are (`sort`).
    PassesOn,
    /// It prints those lines of its standard input that fit its operands (`grep`).
    Filters,
    /// It starts the shell of a person, who has start-up files (`ssh`, `su`).
    StartsShell,
    /// It runs scripts of all packages of a workspace (`turbo run`).
    RunsInMembers,
    /// The names that it prints are those of files that a repository leaves out (`git ls-files --ignored`).
    ListsIgnored,
    /// Its code may be left out: then the word in its place is a file (`yq FILE`).
    LeavesOutCode,
    /// What it reads may name other files, which it reads too (`#include`).
    FollowsDirectives,
    /// What it is given takes the place of what the files that it writes held (`tee`).
    Replaces,
    /// It prints, and opens what it writes, only behind the last of what it reads (`sponge`).
    Soaks,
    /// It holds each line of what it reads as a whole, however long it is (`cut`).
    TakesLines,
    /// What it makes of the files that it reads is no longer what they were (`babel`).
    Translates,
    /// It goes on reading what is put behind what it has read (`tail -f`).
    Follows,
    /// It finds what is behind links, too (`find -L`).
    FollowsLinks,
    /// What it runs is a project's own: only where there is a project that lacks it, it is fetched (`npx tsc`).
    ExpectedThere,
    /// It fills a directory with the files of a repository (`git worktree add`).
    ChecksOut,
    /// It brings in revisions of the repository that it asks (`git fetch`).
    FetchesRevisions,
    /// It puts into the files of a workspace what a revision says (`git merge`).
    TakesRevisions,
    /// It puts there what others propose (`gh pr checkout`).
    TakesProposals,
    /// It runs what it makes of the sources of a workspace, or has that done (`go run`, `make`).
    RunsSources,
    /// It sets what a repository is like, which may name a program (`git config`).
    SetsRepository,
    /// It prints what it finds in all that is below the directories that it reads, or all of that (`grep -r`).
    ReadsTrees,
    /// It prints what the program reads that it starts (`strace`).
    ShowsReads,
    /// It puts all that is below what it reads into one archive (`tar -c`).
    Packs,
    /// It prints of what it gets only how much it is, or that it is there (`wc`).
    Measures,
    /// What it prints holds secrets among much else (`pm2 jlist`).
    TellsSecrets,
    /// What it prints holds variables of others among much else, in which there may be secrets (`docker inspect`).
    HoldsSecrets,
    /// It prints settings of the repository, which may hold secrets (`git config --list`).
    TellsSettings,
    /// It prints what an expression picks of its standard input (`jq`).
    Picks,
    /// It passes over files that a repository leaves out (`rg`).
    PassesOverIgnored,
    /// The names that it prints are those of all files that a repository does not track (`git ls-files --others`).
    ListsOthers,
}
