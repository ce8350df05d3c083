# JSON that is nested a hundred thousand times.
. "${0%/*}/lib.sh"
printf '{"type":"RECORD","stream":"items","key":"a","emitted_at":"t","data":{"id":'
yes '[' | head -n 100000 | tr -d '\n'
printf '\n'
until_closed
