CREATE TABLE desk (
  id integer PRIMARY KEY
);
