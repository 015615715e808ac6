CREATE TABLE film (
  id    integer PRIMARY KEY,
  score integer NOT NULL
);

CREATE FUNCTION rate(film_id integer, stars integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  old_score integer;
BEGIN
  SELECT score INTO old_score FROM film WHERE id = film_id;
  IF old_score > 100 THEN
    RETURN;
  END IF;
  UPDATE film SET score = stars * 2 WHERE id = film_id;
END $$;
