CREATE TABLE booking (
  id      serial PRIMARY KEY,
  desk_id integer NOT NULL REFERENCES desk (id),
  day     date NOT NULL
);
