CREATE TABLE item (
  id integer PRIMARY KEY,
  stock integer NOT NULL
);
