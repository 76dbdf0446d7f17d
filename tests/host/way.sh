# What a program does that was let run, to answer a question itself: the words that it has for that.
# shellcheck shell=bash disable=SC2034,SC2153
# shellcheck source=/dev/null
. ./id
exec >said.part 2>&1
trap 'mv said.part said; : >"done"' EXIT
# With nothing of what it was started with.
CLEAN="env -i PATH=$PATH HOME=$HOME XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR"
PLACES=$XDG_RUNTIME_DIR/guarded-sh
# Words for the person's socket: the secret, and a yes.
HELLO="{\"type\":\"hello\",\"secret\":\"$(cat "$PLACES/$NAME.secret")\"}"
YES="{\"type\":\"answer\",\"id\":\"$ID\",\"answer\":{\"answer\":\"once\"}}"

talk() { perl "$PLACE/talk.pl" "$@"; }

# What something said that was left to itself.
tried() {
  until [[ -e tried ]]; do sleep 0.02; done
  tr -d '\r' <tried
  rm tried
}

# Leaves a command to itself, at a terminal of its own.
leave() { $CLEAN setsid -f /bin/bash "$PLACE/alone.sh" "$1 >tried.part 2>&1; mv tried.part tried" </dev/null >/dev/null; }
