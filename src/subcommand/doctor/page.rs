//! What is said of the page: by which ways others than this machine's person get to it, or are told of what is asked.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::config::PageSettings;

/// Returns what is good to know of the page, a line each; nothing where it is for this machine alone and tells nobody.
pub(super) fn lines(page: &PageSettings) -> String {
    let mut text = String::new();
    if let Some(host) = &page.remote.host.value {
        let may = if page.remote.answer.value { "may answer" } else { "can look, and not answer" };
        let _ = writeln!(text, "page.remote     https://{host}: browsers elsewhere {may}");
    }
    let notify = &page.notify;
    let files = notify.webhooks.value.iter().filter_map(|hook| hook.secret_file.as_deref());
    for file in files.chain(notify.token_file.value.as_deref()) {
        if let Some(why) = exposed(file) {
            let _ = writeln!(text, "page.notify     NOT TOLD: '{}' {why}", file.display());
        }
    }
    text
}

/// Returns why the secret in a file is not used.
fn exposed(file: &Path) -> Option<&'static str> {
    let Ok(metadata) = fs::metadata(file) else { return Some("cannot be read") };
    (metadata.mode() & 0o077 != 0).then_some("can be read by others: chmod 600")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::config::{Sourced, Webhook};

    #[test]
    fn what_opens_the_page_to_others_is_said() {
        assert_eq!(lines(&PageSettings::default()), "");
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("secret");
        let mut page = PageSettings::default();
        page.remote.host = Sourced { value: Some("a.example".to_owned()), ..Sourced::default() };
        let hook = Webhook { url: "https://b.example".to_owned(), secret_file: Some(file.clone()) };
        page.notify.webhooks = Sourced { value: vec![hook], ..Sourced::default() };
        let said = lines(&page);
        assert!(said.contains("can look, and not answer"), "{said}");
        assert!(said.contains("cannot be read"), "{said}");
        fs::write(&file, "x").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(lines(&page).contains("chmod 600"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        page.remote.answer.value = true;
        assert_eq!(
            lines(&page),
            "page.remote     https://a.example: browsers elsewhere may answer\n"
        );
    }
}
