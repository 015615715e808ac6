-- A course catalogue whose rules (capacity, no enrolment without its student and course) are checked by reading first.

CREATE FUNCTION add_course(the_course integer, places integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM course WHERE id = the_course;
  IF FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO course (id, capacity) VALUES (the_course, places);
  RETURN true;
END $$;

CREATE FUNCTION add_student(the_student integer, student_name text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM student WHERE id = the_student;
  IF FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO student (id, name) VALUES (the_student, student_name);
  RETURN true;
END $$;

CREATE FUNCTION enroll(the_student integer, the_course integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  places integer;
  taken integer;
BEGIN
  PERFORM 1 FROM student s WHERE s.id = the_student;
  -- ^^^ predicate-write-skew state: enroll, remove_student (postgres:read-committed, postgres:repeatable-read)
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  SELECT capacity INTO places FROM course c WHERE c.id = the_course;
  -- ^^^ predicate-write-skew state: enroll, remove_course (postgres:read-committed, postgres:repeatable-read)
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  SELECT count(*) INTO taken FROM enrolment WHERE course_id = the_course;
  -- ^^^ predicate-write-skew state: enroll, enroll (postgres:read-committed, postgres:repeatable-read)
  IF taken >= places THEN
    RETURN false;
  END IF;
  INSERT INTO enrolment (student_id, course_id) VALUES (the_student, the_course);
  RETURN true;
END $$;

CREATE FUNCTION remove_course(the_course integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM enrolment WHERE course_id = the_course;
  IF FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM course WHERE id = the_course;
  RETURN FOUND;
END $$;

CREATE FUNCTION remove_student(the_student integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM enrolment WHERE student_id = the_student;
  IF FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM student WHERE id = the_student;
  RETURN FOUND;
END $$;
