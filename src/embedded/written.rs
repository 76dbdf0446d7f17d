//! Code that stands in files whose names say in which language.

use crate::model::Language;

include!(concat!(env!("OUT_DIR"), "/calls.rs"));

/// Returns the language in which the code of a file is read, by its name.
pub fn language_of_file(path: &str) -> Option<Language> {
    Some(match ending(path) {
        "py" | "pyw" | "SConstruct" | "SConscript" | "wscript" => Language::Python,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Language::JavaScript,
        "rb" | "rake" | "gemspec" | "Rakefile" | "Gemfile" => Language::Ruby,
        "pl" | "pm" | "t" => Language::Perl,
        "php" => Language::Php,
        _ => return None,
    })
}

/// Whether a file holds code that is made into a program before it runs.
pub fn is_compiled(path: &str) -> bool {
    COMPILED.contains(&ending(path))
}

/// Whether code that is not read names something by which programs start others, delete, or find what is no matter of theirs.
pub fn calls_for_harm(text: &str, path: &str) -> bool {
    let ending = ending(path);
    CALLS.iter().filter_map(|calls| calls.split_once("  ")).any(|(endings, names)| {
        let mut endings = endings.split(',');
        let mut names = names.split("  ");
        endings.any(|one| one == "*" || one == ending) && names.any(|name| text.contains(name))
    })
}

/// Returns what stands behind the last dot of a name, or all of it.
fn ending(path: &str) -> &str {
    path.rsplit(['/', '.']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_is_not_read_is_told_by_what_it_names() {
        for (text, path) in [
            ("fn main() { std::process::Command::new(\"rm\"); }", "/p/build.rs"),
            ("int main() { system(\"ls\"); }", "/p/x.c"),
            ("os.RemoveAll(\"/\")", "/p/main.go"),
            ("execute_process(COMMAND rm)", "/p/CMakeLists.txt"),
            ("fopen(\"/etc/hosts\")", "/p/x.cc"),
        ] {
            assert!(calls_for_harm(text, path), "{text}");
        }
        for (text, path) in [
            ("fn main() { println!(\"hi\"); map.remove(&1); }", "/p/build.rs"),
            ("int main() { return printf(\"hi\"); }", "/p/x.c"),
            ("std::remove(v.begin(), v.end(), 1)", "/p/x.cc"),
            ("func TestA(t *testing.T) {}", "/p/a_test.go"),
        ] {
            assert!(!calls_for_harm(text, path), "{text}");
        }
    }
}
