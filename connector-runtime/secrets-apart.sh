#!/usr/bin/env bash
# secrets-apart.sh COMMAND...: becomes COMMAND, with the variables RUNLANE_SECRET__* in a pipe instead of its
# environment, which every process of the same user could read. RUNLANE_SECRETS says where the pipe is.
names=$(compgen -A export RUNLANE_SECRET__) || exec "$@"
exec 9< <(for name in $names; do printf '%s=%s\0' "$name" "${!name}"; done)
export RUNLANE_SECRETS=/dev/fd/9
# shellcheck disable=SC2086 # names, one a word
unset $names
exec "$@"
