-- SmallBank as benchmark suites ship it: one row per customer in each of two tables.
CREATE TABLE savings (
  custid integer PRIMARY KEY,
  bal    integer NOT NULL
);

CREATE TABLE checking (
  custid integer PRIMARY KEY,
  bal    integer NOT NULL
);
