CREATE TABLE customers (
  id   integer PRIMARY KEY,
  name text NOT NULL
);

-- Numbers are kept apart by nothing.
CREATE TABLE invoices (
  id          serial PRIMARY KEY,
  customer_id integer NOT NULL REFERENCES customers (id),
  number      integer NOT NULL
);

-- The same with a key that keeps them apart.
CREATE TABLE receipts (
  id          serial PRIMARY KEY,
  customer_id integer NOT NULL,
  number      integer NOT NULL,
  UNIQUE (customer_id, number)
);

CREATE TABLE workspaces (
  id    integer PRIMARY KEY,
  name  text NOT NULL,
  seats integer NOT NULL
);

CREATE TABLE members (
  id           serial PRIMARY KEY,
  workspace_id integer NOT NULL REFERENCES workspaces (id),
  email        text NOT NULL,
  role         text NOT NULL
);

CREATE TABLE items (
  id      integer PRIMARY KEY,
  stock   integer NOT NULL,
  version integer NOT NULL DEFAULT 0
);
