# Shows its secret in its cursor, in the key of a record that no store takes, in a stream's name, and encoded.
. "${0%/*}/lib.sh"
printf '{"type":"STATE","stream":"items","cursor":{"next":"%s"}}\n' "$HOSTILE_TOKEN"
printf '{"type":"RECORD","stream":"items","key":"%s","data":{"id":"b"},"emitted_at":"2026-01-01T00:00:00Z"}\n' "$HOSTILE_TOKEN"
printf '{"type":"PROGRESS","message":"sent %s"}\n' "$(printf 'me:%s' "$HOSTILE_TOKEN" | base64)"
printf '{"type":"PROGRESS","message":"asked /?k=s3cr3t-Token.of-the%%2fowner"}\n'
[ "$1" = violates ] && printf '{"type":"STATE","stream":"%s","cursor":null}\n' "$HOSTILE_TOKEN"
done_with succeeded 1; until_closed
