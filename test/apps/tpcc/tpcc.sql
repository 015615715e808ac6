-- The five transactions of TPC-C. Customers are named by their id, amounts are in cents.

CREATE FUNCTION new_order(w integer, d integer, c integer, items integer[], quantities integer[])
RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  next_o_id integer;
  discount integer;
  warehouse_tax integer;
  district_tax integer;
  price integer;
  in_stock integer;
  total integer := 0;
BEGIN
  SELECT c_discount INTO discount FROM customer WHERE c_w_id = w AND c_d_id = d AND c_id = c;
  SELECT w_tax INTO warehouse_tax FROM warehouse WHERE w_id = w;
  SELECT d_next_o_id, d_tax INTO next_o_id, district_tax FROM district
    WHERE d_w_id = w AND d_id = d FOR UPDATE;
  UPDATE district SET d_next_o_id = next_o_id + 1 WHERE d_w_id = w AND d_id = d;
  INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt)
    VALUES (w, d, next_o_id, c, NULL, array_length(items, 1));
  INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (w, d, next_o_id);
  FOR line IN 1 .. array_length(items, 1) LOOP
    SELECT i_price INTO price FROM item WHERE i_id = items[line];
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no item %', items[line];
    END IF;
    SELECT s_quantity INTO in_stock FROM stock
      WHERE s_w_id = w AND s_i_id = items[line] FOR UPDATE;
    IF in_stock >= quantities[line] + 10 THEN
      in_stock := in_stock - quantities[line];
    ELSE
      in_stock := in_stock - quantities[line] + 91;
    END IF;
    UPDATE stock
      SET s_quantity = in_stock, s_ytd = s_ytd + quantities[line], s_order_cnt = s_order_cnt + 1
      WHERE s_w_id = w AND s_i_id = items[line];
    INSERT INTO order_line
        (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
      VALUES (w, d, next_o_id, line, items[line], w, quantities[line], quantities[line] * price);
    total := total + quantities[line] * price;
  END LOOP;
  RETURN total * (100 - discount) / 100 * (100 + warehouse_tax + district_tax) / 100;
END $$;

CREATE FUNCTION payment(w integer, d integer, c_w integer, c_d integer, c integer, amount integer)
RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  balance integer;
  paid integer;
  payments integer;
BEGIN
  IF amount <= 0 THEN
    RAISE EXCEPTION 'the amount must be positive';
  END IF;
  UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = w;
  UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = w AND d_id = d;
  SELECT c_balance, c_ytd_payment, c_payment_cnt INTO balance, paid, payments FROM customer
    WHERE c_w_id = c_w AND c_d_id = c_d AND c_id = c;
  UPDATE customer
    SET c_balance = balance - amount, c_ytd_payment = paid + amount, c_payment_cnt = payments + 1
    WHERE c_w_id = c_w AND c_d_id = c_d AND c_id = c;
  INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES (c_w, c_d, c, amount);
  RETURN balance - amount;
END $$;

-- The last order of a customer, with what has been delivered of it.
CREATE FUNCTION order_status(w integer, d integer, c integer)
RETURNS TABLE (balance integer, order_id integer, carrier integer, item_id integer, delivered boolean)
LANGUAGE plpgsql AS $$
DECLARE
  bal integer;
  last_order integer;
  its_carrier integer;
BEGIN
  SELECT c_balance INTO bal FROM customer WHERE c_w_id = w AND c_d_id = d AND c_id = c;
  SELECT o_id, o_carrier_id INTO last_order, its_carrier FROM orders
    WHERE o_w_id = w AND o_d_id = d AND o_c_id = c
    ORDER BY o_id DESC LIMIT 1;
  RETURN QUERY
    SELECT bal, last_order, its_carrier, ol_i_id, ol_delivered FROM order_line
      WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = last_order;
END $$;

-- Delivers the oldest order of a district that was not delivered yet.
CREATE FUNCTION delivery(w integer, d integer, carrier integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  oldest integer;
  buyer integer;
  total integer;
BEGIN
  SELECT no_o_id INTO oldest FROM new_order
    WHERE no_w_id = w AND no_d_id = d ORDER BY no_o_id LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  DELETE FROM new_order WHERE no_w_id = w AND no_d_id = d AND no_o_id = oldest;
  SELECT o_c_id INTO buyer FROM orders WHERE o_w_id = w AND o_d_id = d AND o_id = oldest;
  UPDATE orders SET o_carrier_id = carrier WHERE o_w_id = w AND o_d_id = d AND o_id = oldest;
  UPDATE order_line SET ol_delivered = true
    WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = oldest;
  SELECT sum(ol_amount) INTO total FROM order_line
    WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = oldest;
  UPDATE customer SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
    WHERE c_w_id = w AND c_d_id = d AND c_id = buyer;
  RETURN oldest;
END $$;

-- How many items of the last twenty orders run short.
CREATE FUNCTION stock_level(w integer, d integer, threshold integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  next_o_id integer;
  short bigint;
BEGIN
  SELECT d_next_o_id INTO next_o_id FROM district WHERE d_w_id = w AND d_id = d;
  SELECT count(DISTINCT s_i_id) INTO short
    FROM order_line JOIN stock ON s_w_id = w AND s_i_id = ol_i_id
    WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id < next_o_id AND ol_o_id >= next_o_id - 20
      AND s_quantity < threshold;
  RETURN short;
END $$;
