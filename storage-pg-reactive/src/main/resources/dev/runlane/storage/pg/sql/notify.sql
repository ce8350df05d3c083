-- name: notify
SELECT pg_notify($1, $2)

-- name: notify_many
SELECT pg_notify(p.channel, p.payload) FROM unnest($1::text[], $2::text[]) AS p(channel, payload)
