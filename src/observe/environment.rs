//! The environment, as text where it is text.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

/// The variables that the process was given.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Name and value of each variable that is UTF-8.
    pub variables: Arc<HashMap<String, String>>,
    /// Names of those that are not, or that are there twice: they are given to the shell, and nothing is known of their values.
    pub unreadable: Vec<OsString>,
}

impl Environment {
    /// Reads the environment of this process.
    #[must_use]
    pub fn read() -> Self {
        Self::of(std::env::vars_os())
    }

    /// Returns what a process would read that was given these.
    ///
    /// Of a name that is there with two values, bash and dash take the last and zsh the first: so it has none that is known.
    #[must_use]
    pub fn of(pairs: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let mut variables: HashMap<String, String> = HashMap::new();
        let mut unreadable: Vec<OsString> = Vec::new();
        for (name, value) in pairs {
            match (name.into_string(), value.into_string()) {
                (Ok(name), Ok(value)) => match variables.get(&name) {
                    Some(other) if *other != value => unreadable.push(name.into()),
                    _ => drop(variables.insert(name, value)),
                },
                (Ok(name), Err(_)) => unreadable.push(name.into()),
                (Err(name), _) => unreadable.push(name),
            }
        }
        for name in unreadable.iter().filter_map(|name| name.to_str()) {
            variables.remove(name);
        }
        Self { variables: Arc::new(variables), unreadable }
    }

    /// Returns whether a variable is there and not known to be empty.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some() || self.is_unreadable(name)
    }

    /// Returns whether a variable is there with a value that is not known.
    #[must_use]
    pub fn is_unreadable(&self, name: &str) -> bool {
        self.unreadable.iter().any(|unreadable| unreadable == name)
    }

    /// Returns whether every variable that a shell could have is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        // What is no text is no variable's name either.
        self.unreadable.iter().all(|name| name.to_str().is_none())
    }

    /// Returns the value of a variable that is set, not empty, and text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the variables as the shell will have them: it takes `PWD` over only if that names the directory it is in.
    #[must_use]
    pub fn for_shell(&self, cwd: Option<&str>) -> Arc<HashMap<String, String>> {
        let mut variables = Arc::clone(&self.variables);
        let names = |cwd| move |pwd: &String| pwd.starts_with('/') && is_same(pwd, cwd);
        if let Some(cwd) = cwd
            && !variables.get("PWD").is_some_and(names(cwd))
        {
            Arc::make_mut(&mut variables).insert("PWD".to_owned(), cwd.to_owned());
        }
        variables
    }
}

fn is_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let identity = |path| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_pwd(pwd: &str) -> Environment {
        let variables = HashMap::from([("PWD".to_owned(), pwd.to_owned())]);
        Environment { variables: Arc::new(variables), unreadable: Vec::new() }
    }

    #[test]
    fn what_is_no_text_or_said_twice_is_not_known() {
        use std::os::unix::ffi::OsStringExt;
        let bytes = || OsString::from_vec(b"\xff".to_vec());
        let pairs = [
            ("ONE", "1".into()),
            ("TWO", "1".into()),
            ("SAME", "1".into()),
            ("TWO", "2".into()),
            ("SAME", "1".into()),
            ("BYTES", "1".into()),
            ("BYTES", bytes()),
        ];
        let pairs = pairs.map(|(name, value): (&str, OsString)| (OsString::from(name), value));
        let environment = Environment::of(pairs.into_iter());
        assert_eq!((environment.get("ONE"), environment.get("SAME")), (Some("1"), Some("1")));
        assert_eq!((environment.get("TWO"), environment.get("BYTES")), (None, None));
        assert!(environment.has("TWO") && environment.has("BYTES") && !environment.has("ABSENT"));
        assert!(!environment.is_known());
        assert!(Environment::of([(bytes(), OsString::new())].into_iter()).is_known());
    }

    #[test]
    fn a_working_directory_that_the_caller_made_up_is_not_believed() {
        let real = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let link = other.path().join("link");
        std::os::unix::fs::symlink(real.path(), &link).unwrap();
        let real = real.path().to_str().unwrap();
        let link = link.to_str().unwrap();
        let seen = |pwd: &str| with_pwd(pwd).for_shell(Some(real))["PWD"].clone();
        assert_eq!(seen("/"), real);
        assert_eq!(seen("relative"), real);
        assert_eq!(seen("/does/not/exist"), real);
        assert_eq!(seen(link), link);
    }
}
