CREATE TABLE item (
  id bigint PRIMARY KEY,
  stock integer NOT NULL
);
