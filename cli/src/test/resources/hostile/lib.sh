# What the hostile connectors have in common.
read -r _start
record() { printf '{"type":"RECORD","stream":"items","key":"%s","data":{"id":"%s"},"emitted_at":"2026-01-01T00:00:00Z"}\n' "$1" "$1"; }
state() { printf '{"type":"STATE","stream":"items","cursor":{"at":%s}}\n' "$1"; }
done_with() { printf '{"type":"DONE","status":"%s","records_emitted":%s}\n' "$1" "$2"; }
until_closed() { while read -r _line; do :; done; }
