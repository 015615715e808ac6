-- Courses with a capacity, students, and who takes what.
CREATE TABLE course (
  id       integer PRIMARY KEY,
  capacity integer NOT NULL
);

CREATE TABLE student (
  id   integer PRIMARY KEY,
  name text NOT NULL
);

-- No foreign keys: the routines are to keep enrolments right by themselves.
CREATE TABLE enrolment (
  student_id integer NOT NULL,
  course_id  integer NOT NULL,
  PRIMARY KEY (student_id, course_id)
);
