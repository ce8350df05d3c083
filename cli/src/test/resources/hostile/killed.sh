# Dies by SIGKILL in the middle of a record.
. "${0%/*}/lib.sh"
record a
printf '{"type":"RECORD","stream":"it'
kill -9 $$
