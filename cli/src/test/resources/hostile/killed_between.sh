# Dies by SIGKILL between two records.
. "${0%/*}/lib.sh"
record a; state 1
kill -9 $$
