//! The bridge from a place like a container: users, mounts, processes and a network of its own, and another root. What stands for the machine is in a network
//! namespace too, so that nothing of the machine that runs the tests is touched.

use std::io::Write;
use std::process::{Command, Stdio};

use super::bridge::{Bridge, MOUNT, client, person, until};
use super::world::{guard, within};

/// Says to the test program that it stands in the network of its own already.
const INSIDE: &str = "GUARDED_SHD_TEST_NETWORK";

/// What must be there.
const NEEDED: &str = "command -v ip && command -v dpkg && command -v tar && [ -x /usr/sbin/chroot ] && dpkg -s bash coreutils git && \
    unshare -n ip link add host0 type veth peer name box0 && unshare -Urmpn --fork --kill-child mount -t proc proc /proc";

/// The machine's end of the line between both.
const NETWORK: &str = "ip link set lo up && ip link add host0 type veth peer name box0 && ip addr add 10.77.0.1/24 dev host0 && ip link set host0 up";

/// Makes another root of a base system's packages, in which nothing of this one is left but what containers are given, and runs what comes on standard input.
const ROOT: &str = r#"
set -e
root=/srv/root
until ip link show box0; do :; done >/dev/null 2>&1
ip link set lo up; ip addr add 10.77.0.2/24 dev box0; ip link set box0 up
mkdir $root; mount -t tmpfs tmpfs $root
for one in bin lib lib64 sbin; do [ ! -L /$one ] || cp -a /$one $root; done
mkdir -p $root/usr/bin $root/usr/lib $root/usr/lib64 $root/usr/sbin
packages="bash coreutils git grep libc6 libc-bin libtinfo6 libpcre2-8-0 zlib1g libselinux1 libacl1 libattr1 libgmp10 libgcc-s1 libssl3 libssl3t64 base-passwd"
for package in $packages; do dpkg -L $package 2>/dev/null || :; done | grep -v -e ^/usr/share -e '^/\.$' | sort -u |
    while read -r one; do [ ! -f "$one" ] || echo "$one"; done >/srv/list
tar -C / --no-recursion -ch -T /srv/list 2>/dev/null | tar -C $root -x
cd $root; mkdir -p proc dev etc tmp workspace run/guarded-sh usr/local/bin root
mount -t proc proc proc
touch dev/null dev/urandom run/guarded-sh/mcp.sock usr/local/bin/guarded-sh
mount --bind /dev/null dev/null; mount --bind /dev/urandom dev/urandom
mount --bind /srv/home/app workspace
mount --bind /run/user/0/guarded-sh/mcp.sock run/guarded-sh/mcp.sock
mount --bind "$GUARD" usr/local/bin/guarded-sh
printf 'root:x:0:0::/root:/bin/bash\n' >etc/passwd
printf '10.77.0.1 bridge.example other.example\n' >etc/hosts
cd workspace
exec env -i TOKEN="$TOKEN" PATH=/usr/local/bin:/usr/bin:/bin HOME=/root /usr/sbin/chroot $root /bin/bash
"#;

/// What the container does. Each line that it says begins with what it tried.
const TRIED: &str = r#"
cd /workspace
says() { local what=$1 said status; shift; said=$("$@" 2>&1 </dev/null); status=$?; printf '%s: %s %s\n' "$what" $status "${said//$'\n'/ }"; }
export GUARDED_SH_MCP_TOKEN=$TOKEN
export GUARDED_SH_HOST=unix:/run/guarded-sh/mcp.sock
says socket guarded-sh host -- sh -c 'pwd; echo $HOME; exit 7'
says passwd guarded-sh host -- cat /etc/passwd
export GUARDED_SH_HOST=10.77.0.1:9848
says address guarded-sh host -- sh -c 'pwd; exit 8'
says token env GUARDED_SH_MCP_TOKEN=gsm_wrong guarded-sh host -- touch ran
GUARDED_SH_HOST=bridge.example:9848 says name guarded-sh host -- echo by name
GUARDED_SH_HOST=other.example:9848 says other guarded-sh host -- touch ran
mcp() {
    local body='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_command","arguments":{"command":"echo over $((6 * 7)); pwd","purpose":"a test"}}}'
    exec 3<>/dev/tcp/10.77.0.1/9848
    printf 'POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: %s\r\n\r\n%s' "$1" "$2" ${#body} "$body" >&3
    cat <&3
}
says mcp mcp 10.77.0.1:9848 $TOKEN
says wronghost mcp 127.0.0.1:9848 $TOKEN
says wrongtoken mcp 10.77.0.1:9848 gsm_wrong
# Nothing else of the machine is reached: its loopback, another port, another network, its processes and its files.
says loopback bash -c ': </dev/tcp/127.0.0.1/9848'
says port bash -c ': </dev/tcp/10.77.0.1/22'
says network bash -c ': </dev/tcp/192.0.2.1/80'
says processes bash -c 'set -- /proc/[0-9]*; [ $# -lt 8 ] && ! grep -l guarded-shd "${@/%//comm}" 2>/dev/null'
says files bash -c '! [ -e /srv ] && ! [ -e /run/user ] && ! [ -e /etc/shadow ]'
git config --global --add safe.directory /workspace
git config --global user.name box; git config --global user.email box@example.org
echo new >new; says add git add new; says commit git commit -qm 'from the container'
says alone git push origin main
says push guarded-sh host --purpose 'publishes the fix' -- git push origin main
"#;

#[test]
fn a_container_asks_over_the_socket_and_over_its_network_and_reaches_nothing_else() {
    let name =
        "container::a_container_asks_over_the_socket_and_over_its_network_and_reaches_nothing_else";
    within(name, || {
        let is_needed_there =
            Command::new("/bin/bash").args(["-c", NEEDED]).stdin(Stdio::null()).output().unwrap();
        if !is_needed_there.status.success() {
            println!("skipped: no ip, dpkg, git or namespaces here");
            return;
        }
        if std::env::var_os(INSIDE).is_some() {
            return asked();
        }
        let mut command = Command::new("unshare");
        command.arg("-n").arg(std::env::current_exe().unwrap());
        command.args(["--exact", name, "--nocapture", "--include-ignored"]).env(INSIDE, "1");
        assert!(command.status().unwrap().success());
    });
}

fn asked() {
    let bash = |text: &str| {
        let output = Command::new("/bin/bash").args(["-c", text]).output().unwrap();
        assert!(output.status.success(), "{text}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    bash(NETWORK);
    bash(
        "export HOME=/srv/home; git config --global user.name me; git config --global user.email me@example.org; \
         rm -rf .git; git init -qb main; echo 1 >one; git add one; git commit -qm one; git init -q --bare /srv/away.git; \
         git remote add origin git://127.0.0.1/away.git; git push -q /srv/away.git main",
    );
    // What stands for a server listens where only the machine gets.
    let mut server = Command::new("git");
    server.args(["daemon", "--base-path=/srv", "--export-all", "--enable=receive-pack"]);
    let mut server = server.arg("--listen=127.0.0.1").spawn().unwrap();
    until("git does not listen", || std::net::TcpStream::connect("127.0.0.1:9418").is_ok());
    let bridge = Bridge::with(
        "approval = \"by-risk\"\nlisten = [\"10.77.0.1:9848\"]\nhosts = [\"bridge.example\"]",
    );
    let token = client(&["theirs", MOUNT, "--by-risk"]);
    let mut container = Command::new("unshare");
    container.args(["-Urmpn", "--fork", "--kill-child", "/bin/bash", "-c", ROOT]);
    container.env("TOKEN", &token).env("GUARD", guard());
    container.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut container = container.spawn().unwrap();
    // It is the first one below that has a network of its own.
    let (own, id) = (std::fs::read_link("/proc/self/ns/net").unwrap(), container.id());
    until("it has no network", || {
        std::fs::read_link(format!("/proc/{id}/ns/net")).is_ok_and(|its| its != own)
    });
    bash(&format!("ip link set box0 netns {id}"));
    let mut input = container.stdin.take().unwrap();
    input.write_all(TRIED.as_bytes()).unwrap();
    drop(input);
    let approving = std::thread::spawn(move || {
        let id = bridge.asked();
        (person(&["approve", &id]), bridge)
    });
    let output = container.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let all = format!("{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let of = |what: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(&format!("{what}: ")));
        line.unwrap_or_else(|| panic!("{what}: {all}")).to_owned()
    };
    assert_eq!(of("socket"), "7 /srv/home/app /srv/home");
    assert_eq!(of("address"), "8 /srv/home/app");
    assert_eq!(of("name"), "0 by name");
    for (what, part) in [
        ("passwd", "126 guarded-sh: refused on the host: '/etc/passwd' is not mapped"),
        ("token", "125 guarded-sh: host: the host does not hear us: refused: a client's token"),
        (
            "other",
            "125 guarded-sh: host: the host does not hear us: refused: it is asked for another",
        ),
        ("mcp", "over 42\\\\n/srv/home/app\\\\n"),
        ("wronghost", "HTTP/1.1 421 "),
        ("wrongtoken", "HTTP/1.1 401 "),
        ("loopback", "Connection refused"),
        ("port", "Connection refused"),
        ("network", "Network is unreachable"),
    ] {
        assert!(of(what).contains(part) || of(what).contains(&part.replace("\\\\", "\\")), "{all}");
    }
    for what in ["processes", "files"] {
        assert!(of(what).starts_with("0 "), "{all}");
    }
    // Its own git has neither the way nor the right; the machine's has.
    assert!(!of("alone").starts_with("0 "), "{all}");
    assert!(of("push").starts_with("0 "), "{all}");
    let (approved, _bridge) = approving.join().unwrap();
    let recorded = person(&["log", "--json", "--session", "mcp:theirs"]);
    assert!(recorded.contains("publishes the fix"), "{approved} {recorded}");
    assert_eq!(
        bash("git -C /srv/away.git log -1 --format=%s main"),
        "from the container\n",
        "{all}"
    );
    assert!(!std::path::Path::new("/srv/home/app/ran").exists());
    server.kill().unwrap();
    server.wait().unwrap();
}
