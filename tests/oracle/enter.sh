#!/bin/bash
# Builds the throw-away view of the system in which rows run, and becomes a program in it. To be started in new user, mount and
# process namespaces by unshare(1), where all that it mounts is its own and goes away with it.
#
#   enter.sh ROOT FILES PROGRAM…
#
# ROOT is an empty directory that becomes the root; what FILES holds is copied into it. The system's programs are there and
# cannot be written; of the rest of the machine nothing is there.
set -euo pipefail
readonly root=$1 files=$2
shift 2

mount -t tmpfs -o size=256m,mode=755 oracle "$root"
for name in bin sbin lib lib32 lib64 libx32 usr etc; do
  if [[ -L /$name ]]; then
    cp -P "/$name" "$root/$name"
  elif [[ -d /$name ]]; then
    mkdir "$root/$name"
    mount --rbind "/$name" "$root/$name"
  fi
done
# The options that a mount has already must be given again: an owner of a user namespace may not take them away.
while read -r _ _ _ _ place options _; do
  case $place in
    "$root"/*) mount -o "remount,bind,ro${options#r[wo]}" "$place" ;;
  esac
done </proc/self/mountinfo

mkdir "$root"/{dev,proc,tmp,old}
chmod 1777 "$root/tmp"
# Devices are not protected by being read-only, so there are only those that do no harm.
for device in null zero full random urandom tty; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
mount -t proc -o ro,nosuid,nodev,noexec proc "$root/proc"
cp -a "$files/." "$root/"

# What the owner has login shells do is the owner's: here, nothing.
: >"$root/empty"
for file in etc/{profile,bash.bashrc,zsh/{zshenv,zprofile,zshrc,zlogin,zlogout}}; do
  if [[ -f $root/$file ]]; then
    mount --bind "$root/empty" "$root/$file"
  fi
done
rm "$root/empty"

cd "$root"
pivot_root . old
umount -l old
rmdir old
# No capability is left to undo any of this.
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"
