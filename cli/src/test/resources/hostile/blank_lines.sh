# Good records between blank lines, then one of a stream that nobody asked for, in line 6.
. "${0%/*}/lib.sh"
printf '\n'
record a
printf ' \t\r\n\n'
record b
printf '{"type":"RECORD","stream":"diary","key":"1","data":{"id":"1"},"emitted_at":"2026-01-01T00:00:00Z"}\n'
until_closed
