//! The owner's own settings, as a person changes them by a word: one key more, or one item more in a list. What stands there stays as it is.

use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::Error;

/// What is put into settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Put {
    /// The key has this value.
    Value(toml::Value),
    /// The list has this item too.
    Item(String),
    /// The list has not this item.
    Without(String),
    /// The key is not there.
    Nothing,
}

/// Returns settings with this put under a key (`a`, `a.b`, `a.b.c`).
///
/// # Errors
///
/// Where they are no TOML, or the key is there and is something else.
pub fn with(text: &str, key: &str, put: &Put) -> Result<String, Error> {
    let broken = |what: String| Error::Data { name: "config.toml".to_owned(), what };
    let document = text.parse::<DocumentMut>();
    let mut document = document.map_err(|error| broken(error.message().to_owned()))?;
    let other = || broken(format!("`{key}` is there, and is something else"));
    let (tables, name) = key.rsplit_once('.').unwrap_or(("", key));
    let mut table = document.as_table_mut();
    for part in tables.split('.').filter(|part| !part.is_empty()) {
        if *put == Put::Nothing && !table.contains_key(part) {
            return Ok(text.to_owned());
        }
        // What holds tables alone needs no head of its own.
        let made = || {
            let mut made = Table::new();
            made.set_implicit(true);
            Item::Table(made)
        };
        let item = table.entry(part).or_insert_with(made);
        table = item.as_table_mut().ok_or_else(other)?;
    }
    match put {
        Put::Without(item) => {
            if let Some(list) = table.get_mut(name) {
                let list = list.as_array_mut().ok_or_else(other)?;
                list.retain(|own| own.as_str() != Some(item));
            }
        }
        Put::Nothing => drop(table.remove(name)),
        Put::Value(value) => {
            let value = value.to_string().parse::<Value>();
            let mut value = value.map_err(|error| broken(error.message().to_owned()))?;
            // Comments above it and behind it stay.
            match table.get_mut(name) {
                Some(own) => {
                    if let Some(own) = own.as_value() {
                        *value.decor_mut() = own.decor().clone();
                    }
                    *own = Item::Value(value);
                }
                None => drop(table.insert(name, Item::Value(value))),
            }
        }
        Put::Item(item) => {
            let list = table.entry(name).or_insert_with(|| Item::Value(Array::new().into()));
            let list = list.as_array_mut().ok_or_else(other)?;
            if !list.iter().any(|own| own.as_str() == Some(item)) {
                list.push(item.as_str());
            }
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> Put {
        Put::Item(text.to_owned())
    }

    #[test]
    fn what_stands_there_stays() {
        let before = "# mine\nprofile = \"strict\" # so\nsafe_commands = [\"git log\"] # two\n\n[approval]\nwait = 3\n";
        let after = with(before, "safe_commands", &item("git push")).unwrap();
        assert_eq!(after, before.replace("[\"git log\"]", "[\"git log\", \"git push\"]"));
        assert_eq!(with(&after, "safe_commands", &item("git push")).unwrap(), after);
        let after = with(before, "thresholds.bash", &Put::Value(85.into())).unwrap();
        assert_eq!(after, format!("{before}\n[thresholds]\nbash = 85\n"));
        let after = with(&after, "thresholds.bash", &Put::Value(80.into())).unwrap();
        assert_eq!(after, format!("{before}\n[thresholds]\nbash = 80\n"));
        let within = with("", "page.remote.host", &Put::Value("a.example".into())).unwrap();
        assert_eq!(within, "[page.remote]\nhost = \"a.example\"\n");
        let gone = with(&within, "page.remote.host", &Put::Nothing).unwrap();
        assert_eq!(gone, "[page.remote]\n");
        assert_eq!(with(before, "page.remote.host", &Put::Nothing).unwrap(), before);
        let after = with("", "safe_domains", &item("a.example")).unwrap();
        assert_eq!(after, "safe_domains = [\"a.example\"]\n");
        let gone = with(before, "approval.wait", &Put::Nothing).unwrap();
        assert_eq!(gone, before.replace("wait = 3\n", ""));
        assert_eq!(with(before, "thresholds.bash", &Put::Nothing).unwrap(), before);
        let strict = with(before, "profile", &Put::Value("balanced".into())).unwrap();
        assert_eq!(strict, before.replace("strict", "balanced"));
        let long = "[approval]\n# long\nwait = 3 # s\n";
        let wait = with(long, "approval.wait", &Put::Value(5.into())).unwrap();
        assert_eq!(wait, long.replace('3', "5"));
        // Before the first table, where it would else be one of that.
        let after = with("[approval]\nwait = 3\n", "safe_domains", &item("a.example")).unwrap();
        assert!(after.starts_with("safe_domains = [\"a.example\"]\n"), "{after}");
    }

    #[test]
    fn what_is_something_else_is_an_error() {
        for (text, key) in [
            ("safe_commands = \"x\"", "safe_commands"),
            ("safe_commands = ", "safe_commands"),
            ("thresholds = 3", "thresholds.bash"),
        ] {
            assert!(with(text, key, &item("x")).is_err(), "{text}");
        }
    }
}
