CREATE TABLE room (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE booking (
  id   integer PRIMARY KEY,
  room integer NOT NULL REFERENCES room (id),
  day  date    NOT NULL
);

CREATE FUNCTION book(the_id integer, the_room integer, the_day date) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM booking WHERE room = the_room AND day = the_day) THEN
    RETURN false;
  END IF;
  INSERT INTO booking (id, room, day) VALUES (the_id, the_room, the_day);
  RETURN true;
END $$;
