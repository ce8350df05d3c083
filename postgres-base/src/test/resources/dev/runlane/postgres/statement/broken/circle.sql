-- fragment: hen
{egg}

-- fragment: egg
{hen}

-- name: first
SELECT {hen}
