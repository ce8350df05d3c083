# Sends a good record, then one of a stream that nobody asked for.
. "${0%/*}/lib.sh"
record a
printf '{"type":"RECORD","stream":"diary","key":"1","data":{"id":"1"},"emitted_at":"2026-01-01T00:00:00Z"}\n'
done_with succeeded 2; until_closed
