CREATE TABLE film (
  id    integer PRIMARY KEY,
  score integer NOT NULL
);
