//! Who listens on this machine where a provider is said to be: nobody that an agent started, since it would answer in the model's place.

use std::fs;
use std::path::Path;

use guarded_sh::sys::descent;

/// The state of a socket that listens, in the kernel's tables of TCP sockets (proc_pid_net(5)).
const LISTENS: &str = "0A";
/// The tables.
const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// Returns the sockets that listen on this port, by the names that descriptors of theirs have.
pub fn on(port: u16) -> Vec<String> {
    let tables = TABLES.iter().filter_map(|table| fs::read_to_string(table).ok());
    let inodes = tables.flat_map(|table| listening(&table, port));
    inodes.map(|inode| format!("socket:[{inode}]")).collect()
}

/// Returns whether a process that an agent or a guarded line started has one of these sockets. Of other users' processes nothing is seen, and no
/// agent of this user starts any.
pub fn are_agents(names: &[String]) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    // We and the guard listen on no such socket, and there may be many of us.
    let own = std::env::current_exe().unwrap_or_default();
    let ours = [own.with_file_name("guarded-sh"), own];
    let is_ours = |process: &Path| {
        fs::read_link(process.join("exe")).is_ok_and(|program| ours.contains(&program))
    };
    let is_agents = |process: &Path| {
        let name = process.file_name().and_then(|name| name.to_str());
        let id = name.and_then(|name| name.parse::<u32>().ok());
        id.is_some_and(descent::is_signed) && !is_ours(process) && holds(process, names)
    };
    !names.is_empty() && processes.flatten().any(|process| is_agents(&process.path()))
}

/// Returns the sockets that listen on a port, by their inodes.
fn listening(table: &str, port: u16) -> Vec<String> {
    let port = format!(":{port:04X}");
    let rows = table.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
    rows.filter_map(|row| match row.as_slice() {
        [_, local, _, LISTENS, _, _, _, _, _, inode, ..] if local.ends_with(&port) => {
            Some((*inode).to_owned())
        }
        _ => None,
    })
    .collect()
}

/// Whether a process has one of these open.
fn holds(process: &Path, names: &[String]) -> bool {
    let Ok(open) = fs::read_dir(process.join("fd")) else { return false };
    open.flatten().any(|file| {
        let target = fs::read_link(file.path());
        target.is_ok_and(|target| names.iter().any(|name| target.as_os_str() == name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
   1: 0100007F:2CAA 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 20 4 30 10 -1
   2: 0100007F:2CAB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
";

    #[test]
    fn what_listens_on_a_port_is_found() {
        assert_eq!(listening(TABLE, 11434), ["4711"]);
        assert_eq!(listening(TABLE, 1), [""; 0]);
        for table in ["", "header", "header\n0: x", "header\n\u{0}\n"] {
            assert_eq!(listening(table, 11434), [""; 0], "{table}");
        }
    }

    #[test]
    fn nobody_that_listens_here_is_an_agents() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let names = on(listener.local_addr().unwrap().port());
        assert_eq!(names.len(), 1);
        assert!(!are_agents(&names) && !are_agents(&[]));
    }
}
