# Bytes that are no text.
. "${0%/*}/lib.sh"
printf '{"type":"PROGRESS","message":"\377\376"}\n'
until_closed
