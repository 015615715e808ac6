-- Someone must be on call in every shift. Each of the two checks that, and yet both can leave.

CREATE PROCEDURE leave_shift(doctor_id integer, on_shift integer)
LANGUAGE plpgsql AS $$
DECLARE
  others integer;
BEGIN
  SELECT count(*) INTO others
  FROM doctor
  WHERE shift = on_shift AND on_call AND id <> doctor_id;
  -- ^^^ write-skew state: leave_shift, leave_shift (postgres:read-committed, postgres:repeatable-read)
  IF others = 0 THEN
    RAISE EXCEPTION 'someone must stay on call';
  END IF;
  UPDATE doctor SET on_call = false WHERE id = doctor_id AND shift = on_shift;
END $$;

CREATE PROCEDURE join_shift(doctor_id integer, on_shift integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE doctor SET on_call = true WHERE id = doctor_id AND shift = on_shift;
END $$;

CREATE FUNCTION who_is_on_call(on_shift integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT count(*) FROM doctor WHERE shift = on_shift AND on_call;
  -- ^^^ read-only-anomaly unused: who_is_on_call, leave_shift, join_shift (postgres:read-committed, postgres:repeatable-read)
$$;
