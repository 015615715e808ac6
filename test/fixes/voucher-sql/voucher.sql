CREATE TABLE voucher (code integer PRIMARY KEY, uses_left integer NOT NULL);

CREATE FUNCTION redeem(the_code integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  left_over integer;
BEGIN
  SELECT uses_left INTO left_over FROM voucher WHERE code = the_code;
  IF left_over < 1 THEN
    RAISE EXCEPTION 'it is used up';
  END IF;
  UPDATE voucher SET uses_left = left_over - 1 WHERE code = the_code;
  RETURN left_over - 1;
END $$;
