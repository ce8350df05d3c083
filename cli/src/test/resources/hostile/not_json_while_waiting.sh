# Asks, and then writes what is no JSON while the owner thinks.
. "${0%/*}/lib.sh"
printf '{"type":"INTERACTION","request_id":"q1","kind":"otp","message":"Code?"}\n'
printf 'thinking...\n'
until_closed
