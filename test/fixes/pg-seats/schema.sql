CREATE TABLE event (
  id integer PRIMARY KEY,
  seats integer NOT NULL
);

CREATE TABLE ticket (
  id integer PRIMARY KEY,
  event_id integer NOT NULL REFERENCES event (id)
);
