# A line that never ends.
. "${0%/*}/lib.sh"
exec tr '\0' x </dev/zero
