//! Published schemas, held against the readers of what they describe. For tests.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Holds a table of a schema, and those below it, against the reader of `T`: keys and words are the same in both. Returns how many keys there are. `head` is
/// the TOML that comes before a key; at the key `own` the reader says in words of its own what it expects.
pub(crate) fn hold<T: DeserializeOwned>(table: &Value, head: &str, path: &str, own: &str) -> usize {
    let properties = table["properties"].as_object().unwrap();
    let named = sorted(properties.keys().cloned());
    assert_eq!(offered::<T>(&format!("{head}zz = 1\n")), named, "{path}");
    let mut count = named.len();
    for (key, below) in properties {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let shapes = [below, &below["anyOf"][1]];
        if let Some(table) = shapes.into_iter().find(|one| one["properties"].is_object()) {
            count += hold::<T>(table, &format!("[{path}]\n"), &path, own);
        } else if below["items"]["properties"].is_object() {
            count += hold::<T>(&below["items"], &format!("[[{path}]]\n"), &path, own);
        }
        let shapes = [(below, "'zz'"), (&below["anyOf"][0], "'zz'"), (&below["items"], "['zz']")];
        let words =
            shapes.into_iter().find_map(|(shape, value)| Some((shape["enum"].as_array()?, value)));
        let Some((words, value)) = words.filter(|_| path != own) else { continue };
        // A switch stands there as what it is.
        let word = |word: &Value| word.as_str().map_or_else(|| word.to_string(), str::to_owned);
        let words = sorted(words.iter().map(word));
        let said = offered::<T>(&format!("{head}{key} = {value}\n"));
        // One that takes two shapes says only that neither fits.
        if !said.is_empty() || below["anyOf"].is_null() {
            assert_eq!(said, words, "{path}");
        }
    }
    count
}

/// Returns the names in backticks behind what the reader says that it expected.
fn offered<T: DeserializeOwned>(text: &str) -> Vec<String> {
    let error = toml::from_str::<T>(text).err().unwrap();
    let said = error.message().split_once("expected").unwrap_or_default().1;
    sorted(said.split('`').skip(1).step_by(2).map(str::to_owned))
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
