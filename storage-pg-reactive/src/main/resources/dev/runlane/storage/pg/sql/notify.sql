-- name: notify
SELECT pg_notify(:channel, :payload)

-- name: notify_many
SELECT pg_notify(p.channel, p.payload) FROM unnest(:channels::text[], :payloads::text[]) AS p(channel, payload)
