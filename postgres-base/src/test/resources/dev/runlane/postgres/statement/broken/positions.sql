-- name: counted
SELECT $1
