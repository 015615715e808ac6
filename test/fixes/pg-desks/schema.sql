CREATE TABLE desk (
  id integer PRIMARY KEY,
  floor integer NOT NULL
);

CREATE TABLE booking (
  id integer PRIMARY KEY,
  desk_id integer NOT NULL REFERENCES desk (id),
  day integer NOT NULL
);
