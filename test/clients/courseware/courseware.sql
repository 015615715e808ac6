-- Courses with a limit of places, and enrolments of students.
CREATE TABLE course (
  id    integer PRIMARY KEY,
  title text NOT NULL,
  seats integer NOT NULL
);
CREATE TABLE student (
  id   integer PRIMARY KEY,
  name text NOT NULL
);
CREATE TABLE enrolment (
  student integer NOT NULL,
  course  integer NOT NULL,
  PRIMARY KEY (student, course)
);

CREATE FUNCTION enrol(s integer, c integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  places integer;
  taken  integer;
BEGIN
  SELECT seats INTO places FROM course WHERE id = c;
  SELECT count(*) INTO taken FROM enrolment WHERE course = c;
  IF places IS NULL OR taken >= places THEN
    RETURN false;
  END IF;
  INSERT INTO enrolment VALUES (s, c);
  RETURN true;
END $$;

CREATE FUNCTION register(s integer, n text) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO student VALUES (s, n);
$$;

CREATE FUNCTION remove_course(c integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  SELECT count(*) INTO taken FROM enrolment WHERE course = c;
  IF taken > 0 THEN
    RETURN false;
  END IF;
  DELETE FROM course WHERE id = c;
  RETURN true;
END $$;

CREATE FUNCTION enrolled(c integer) RETURNS SETOF enrolment
LANGUAGE sql AS $$
  SELECT * FROM enrolment WHERE course = c;
$$;
