//! Modules of the workspace that a program loads: where each language finds them.
//! What is not certainly the file that will be loaded is not read; extensions that are built for one version are not looked for.

use std::collections::BTreeSet;

use super::walk::Walker;
use crate::embedded::{Loaded, Modules};
use crate::model::{Language, Span};
use crate::paths;

/// What other files node, or a program that takes its place, may load for a name without an ending.
const ENDINGS: &[&str] = &["", ".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".tsx", ".jsx"];

/// Finds the modules that stand beside a program, and notes those that are read as what command `index` runs.
pub(super) struct Beside<'b, 'w> {
    pub(super) walker: &'b mut Walker<'w>,
    pub(super) index: usize,
    pub(super) span: Span,
    pub(super) language: Language,
    /// Where the program stands, if it is a file.
    pub(super) file: Option<String>,
    /// Where it looks for modules.
    pub(super) directory: Option<String>,
    pub(super) loaded: BTreeSet<String>,
}

impl<'b, 'w> Beside<'b, 'w> {
    pub(super) fn new(
        walker: &'b mut Walker<'w>,
        index: usize,
        span: Span,
        language: Language,
        file: Option<String>,
    ) -> Self {
        // By way of a link the same file has other neighbours.
        let file = file.filter(|file| is_plain(walker, file));
        let directory = match (&file, walker.state.directories.as_slice()) {
            (Some(file), _) => file.rsplit_once('/').map(|(directory, _)| directory.to_owned()),
            (None, [Some(directory)]) => Some(directory.clone()),
            (None, _) => None,
        };
        let directory = directory.filter(|directory| is_plain(walker, directory));
        let loaded = file.iter().cloned().collect();
        Self { walker, index, span, language, file, directory, loaded }
    }

    fn exists(&self, path: &str) -> bool {
        self.walker.scripts.exists(path)
    }

    /// Reads a module; nothing more if it was read before.
    fn load(&mut self, path: String, files: &mut Vec<(String, String)>) -> Option<()> {
        if self.loaded.contains(&path) {
            return Some(());
        }
        if !is_plain(self.walker, &path) {
            return None;
        }
        let text = self.walker.open_script(&path, self.index, self.span)?;
        if !self.walker.has_room_for_code(&text) {
            return None;
        }
        self.loaded.insert(path.clone());
        files.push((path, text));
        Some(())
    }

    /// Reads a module that is one file.
    fn alone(&mut self, path: String) -> Option<Loaded> {
        let mut files = Vec::new();
        self.load(path, &mut files)?;
        Some(Loaded { files, member: None })
    }

    /// Whether none of these files is there; they are not to come into being either.
    fn are_absent(&mut self, paths: impl IntoIterator<Item = String>) -> bool {
        for path in paths {
            if self.exists(&path) {
                return false;
            }
            self.walker.relies_on(path, self.index, self.span);
        }
        true
    }

    /// A package or module of Python in a directory (the import system in the Python reference). A directory without
    /// `__init__.py` is only a package where nothing else has its name.
    fn python_module(
        &mut self,
        directory: &str,
        name: &str,
        files: &mut Vec<(String, String)>,
    ) -> Option<Found> {
        let below = |end: &str| format!("{directory}/{name}{end}");
        let (package, module) = (below("/__init__.py"), below(".py"));
        let (file, found, others) = if self.exists(&package) {
            (package, Found::Package, vec![below("/__init__.so"), below("/__init__.abi3.so")])
        } else if self.exists(&module) {
            (module, Found::Module, vec![package, below(".so"), below(".abi3.so")])
        } else {
            return None;
        };
        if !self.are_absent(others) {
            return None;
        }
        self.load(file, files).map(|()| found)
    }

    fn python(&mut self, wanted: &str, from: Option<&str>) -> Option<Loaded> {
        // `-I` and `-P` keep the program's own directory out of the search.
        if self.walker.gives(self.index, &["-I", "-P"]) {
            return None;
        }
        let root = self.directory.clone()?;
        let level = wanted.bytes().take_while(|byte| *byte == b'.').count();
        let mut directory = root.clone();
        if level > 0 {
            // The program itself is in no package.
            directory = from.filter(|from| Some(*from) != self.file.as_deref())?.to_owned();
            for _ in 0..level {
                directory.truncate(directory.rfind('/')?);
            }
            if directory == root || !paths::is_below(&directory, &root) {
                return None;
            }
        }
        let names: Vec<&str> = wanted[level..].split('.').collect();
        let mut files = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let rest = names[at..].join(".");
            let found =
                if *name == "*" { None } else { self.python_module(&directory, name, &mut files) };
            let is_last = at + 1 == names.len();
            match found {
                Some(Found::Package) => directory = format!("{directory}/{name}"),
                Some(Found::Module) if is_last => {}
                Some(Found::Module) if at + 2 == names.len() => {
                    return Some(Loaded { files, member: Some(names[at + 1].to_owned()) });
                }
                // A member of the package before it.
                None if is_last
                    && at + level > 0
                    && !self.exists(&format!("{directory}/{name}")) =>
                {
                    return Some(Loaded { files, member: Some(rest) });
                }
                Some(Found::Module) | None => return None,
            }
        }
        Some(Loaded { files, member: None })
    }

    /// A file of JavaScript by its path (Node.js manual, Modules: `require(X)`). What several files could be is not known.
    fn javascript(&mut self, wanted: &str, from: Option<&str>) -> Option<Loaded> {
        let directory = match from {
            Some(from) => from.rsplit_once('/')?.0.to_owned(),
            None => self.directory.clone()?,
        };
        let path = paths::absolute(&directory, wanted);
        let candidates = ENDINGS.iter().map(|ending| format!("{path}{ending}"));
        let (mut there, absent): (Vec<_>, Vec<_>) = candidates.partition(|path| self.exists(path));
        if there.len() != 1 || !self.are_absent(absent) {
            return None;
        }
        let mut file = there.pop()?;
        let is_script = |path: &str| [".js", ".mjs", ".cjs"].iter().any(|end| path.ends_with(end));
        if file == path && !is_script(&file) {
            let others = ["package.json", "index.json", "index.node", "index.ts", "index.mjs"];
            if !self.are_absent(others.map(|name| format!("{path}/{name}"))) {
                return None;
            }
            file = format!("{path}/index.js");
        }
        if is_script(&file) { self.alone(file) } else { None }
    }

    /// A file of Ruby beside another (`Kernel#require_relative`).
    fn ruby(&mut self, wanted: &str, from: Option<&str>) -> Option<Loaded> {
        let path = paths::absolute(from?.rsplit_once('/')?.0, wanted);
        self.alone(format!("{}.rb", path.strip_suffix(".rb").unwrap_or(&path)))
    }
}

/// Whether no link leads to a file: it has the neighbours that its name says, and no other name by which it is changed.
fn is_plain(walker: &Walker<'_>, path: &str) -> bool {
    walker.scripts.real(path).as_deref() == Some(path)
}

/// What a name of Python's stands for in a directory.
enum Found {
    Package,
    Module,
}

impl Modules for Beside<'_, '_> {
    fn file(&self) -> Option<String> {
        self.file.clone()
    }

    fn find(&mut self, wanted: &str, from: Option<&str>) -> Option<Loaded> {
        match self.language {
            Language::Python => self.python(wanted, from),
            Language::JavaScript => self.javascript(wanted, from),
            Language::Ruby => self.ruby(wanted, from),
            _ => None,
        }
    }
}
