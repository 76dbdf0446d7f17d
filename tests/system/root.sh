#!/bin/bash
# A throw-away system for one row, below an empty directory, in namespaces made by unshare(1): programs of its own in /usr/bin, which may be
# changed, libraries of this machine, which may not. What the row says is run outside of it, by this machine's bash.
#
#   root.sh ROOT KIND GUARD SCRIPT
#
# KIND is `debian` (sh is dash, dpkg has both and dash diverts sh), `plain` (sh is dash, nobody knows) or `linked` (sh is a link to bash).
set -euo pipefail
readonly root=$1 kind=$2 guard=$3 script=$4

mount -t tmpfs -o size=1g,mode=755 system "$root"
mkdir -p "$root"/usr/{bin,local/bin,share,sbin} "$root"/{dev,proc,tmp,root,work} "$root"/etc/guarded-sh "$root"/var/lib/dpkg/{info,updates,triggers,alternatives}
ln -s usr/bin "$root/bin"
ln -s usr/sbin "$root/sbin"
for name in lib lib32 lib64 libx32; do
  if [[ -L /$name ]]; then cp -P "/$name" "$root/$name"; elif [[ -d /$name ]]; then mkdir "$root/$name"; mount --rbind "/$name" "$root/$name"; fi
  if [[ -d /usr/$name && ! -L /usr/$name ]]; then mkdir -p "$root/usr/$name"; mount --rbind "/usr/$name" "$root/usr/$name"; fi
done
chmod 1777 "$root/tmp"
for device in null zero urandom; do : >"$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount -t proc proc "$root/proc"

programs=(bash dash env true false cat cp rm mv ln ls mkdir touch chmod sed grep tar id sleep)
[[ $kind == debian ]] && programs+=(diff dpkg dpkg-deb dpkg-divert dpkg-query dpkg-split dpkg-trigger)
for name in "${programs[@]}"; do
  # No other name of the file comes with it.
  cp --no-preserve=links -p "$(type -P "$name")" "$root/usr/bin/$name"
done
for name in ldconfig start-stop-daemon; do printf '#!/bin/dash\n' >"$root/usr/sbin/$name"; chmod 755 "$root/usr/sbin/$name"; done
# A shell that is nobody's.
mkdir "$root/opt" && cp -p "$(type -P bash)" "$root/opt/shell"
cp -p "$guard" "$root/usr/local/bin/guarded-sh"
case $kind in
  linked) ln -s bash "$root/usr/bin/sh" ;;
  *) ln -s dash "$root/usr/bin/sh" ;;
esac
printf 'root:x:0:0:root:/root:/bin/bash\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
printf 'profile = "unattended"\n' >"$root/etc/guarded-sh/config.toml"

if [[ $kind == debian ]]; then
  known() { # NAME FILE...
    printf 'Package: %s\nStatus: install ok installed\nMaintainer: x <x@example.com>\nArchitecture: all\nVersion: 1\nDescription: x\n\n' "$1" >>"$root/var/lib/dpkg/status"
    printf '%s\n' /. "${@:2}" >"$root/var/lib/dpkg/info/$1.list"
  }
  known bash /bin /bin/bash
  known dash /bin /bin/dash /bin/sh
  printf '/bin/sh\n/bin/sh.distrib\ndash\n' >"$root/var/lib/dpkg/diversions"
fi

# ---- what rows say

# Runs a program inside.
inside() { env -i PATH=/usr/local/bin:/usr/bin:/usr/sbin HOME=/root chroot "$root" "$@"; }

# All that must be as it was: files with their modes and contents, links, diversions.
state() {
  (
    cd "$root"
    find usr/bin usr/local/bin var/lib/guarded-sh -printf '%p %y %m %s %l\n' 2>/dev/null | grep -v '^[^ ]* d ' | sort
    # The guard itself is large, and known by its size.
    find usr/bin -type f -size -20M -exec sha256sum '{}' + | sort -k 2
  )
  [[ $kind != debian ]] || inside dpkg-divert --list | sort
}

# Ends the row.
fail() { echo "$*" >&2; state | grep -E 'bin/(\.|bash|sh|dash|guarded)|var/|diversion' >&2; exit 1; }

# Both names must be shells that work, whatever happened.
shells_work() {
  local name status
  for name in bash sh; do
    status=0
    inside "/bin/$name" -c 'exit 5' || status=$?
    [[ $status == 5 ]] || fail "$1: /bin/$name -c 'exit 5' ended with $status"
  done
}

# Who stands at a path.
# shellcheck disable=SC2016 # It is for the shell inside.
is_guard() { [[ $(inside /opt/shell -c 'exec -a guarded-sh "$0" --version' "$1" 2>&1) == guarded-sh\ * ]]; }

guarded() {
  local name
  for name in bash sh; do
    is_guard "/bin/$name" || fail "$1: /bin/$name is not the guard"
    # The real one must never need us.
    [[ $(inside "/bin/$name.real" -c 'echo real') == real ]] || fail "$1: $name.real does not work"
    ! is_guard "/bin/$name.real" || fail "$1: $name.real is the guard"
  done
}

install() { inside guarded-sh install system --yes; }
uninstall() { inside guarded-sh uninstall system --yes; }

before=$(state)
as_before() {
  local after; after=$(state)
  [[ $after == "$before" ]] || fail "$1: not as before:"$'\n'"$(diff <(echo "$before") <(echo "$after"))"
}

eval "$script"

# However it went, it can be undone.
uninstall >/dev/null || fail "at the end: it is not undone"
as_before 'at the end'
shells_work 'at the end'
