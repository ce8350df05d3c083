# Leaves a process behind that has a session of its own, nothing of the environment and none of the pipes.
. "${0%/*}/lib.sh"
env -i PATH="$PATH" setsid sleep "$1" <&- >&- 2>&- &
until tr '\0' ' ' < "/proc/$!/cmdline" | grep -q '^sleep'; do :; done
record a; state 1; done_with succeeded 1; until_closed
