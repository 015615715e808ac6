-- SmallBank's tables. Customers are known by their names; nothing of accounts ever changes.
CREATE TABLE accounts (
  custid integer PRIMARY KEY,
  name   varchar(64) NOT NULL UNIQUE
);

CREATE TABLE savings (
  custid integer PRIMARY KEY,
  bal    integer NOT NULL
);

CREATE TABLE checking (
  custid integer PRIMARY KEY,
  bal    integer NOT NULL
);
