-- What comes before the first name belongs to no statement.
-- name: one
-- Comments are left out.
SELECT 1
  -- this one too
FROM {schema}.things WHERE a {operator} 2

-- name: two
SELECT 2
