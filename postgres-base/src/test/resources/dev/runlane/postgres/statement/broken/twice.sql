-- name: same
SELECT 1

-- name: same
SELECT 2
