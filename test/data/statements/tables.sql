CREATE TABLE accounts (
  id serial PRIMARY KEY,
  owner text NOT NULL UNIQUE,
  balance int NOT NULL DEFAULT 0,
  note text,
  version int NOT NULL DEFAULT 1
);
CREATE TABLE orders (
  id serial PRIMARY KEY,
  account_id int NOT NULL REFERENCES accounts (id),
  total int NOT NULL,
  status text NOT NULL DEFAULT 'open'
);
CREATE TABLE lines (
  order_id int NOT NULL REFERENCES orders (id),
  product text NOT NULL,
  quantity int NOT NULL,
  PRIMARY KEY (order_id, product)
);
