-- The five transactions of TPC-C as stored procedures. Customers are named by their id, amounts are in cents; an order
-- has two lines at the most.
DELIMITER //

CREATE PROCEDURE new_order(
  IN p_w INT, IN p_d INT, IN p_c INT, IN p_lines INT,
  IN p_item1 INT, IN p_quantity1 INT, IN p_item2 INT, IN p_quantity2 INT,
  OUT p_total INT
)
BEGIN
  DECLARE v_next_o_id, v_discount, v_w_tax, v_d_tax INT;
  DECLARE v_item, v_quantity, v_price, v_in_stock INT;
  DECLARE v_total INT DEFAULT 0;
  DECLARE v_line INT DEFAULT 1;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;

  START TRANSACTION;
  SELECT c_discount INTO v_discount FROM customer WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
  SELECT w_tax INTO v_w_tax FROM warehouse WHERE w_id = p_w;
  SELECT d_next_o_id, d_tax INTO v_next_o_id, v_d_tax FROM district
    WHERE d_w_id = p_w AND d_id = p_d FOR UPDATE;
  UPDATE district SET d_next_o_id = v_next_o_id + 1 WHERE d_w_id = p_w AND d_id = p_d;
  INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt)
    VALUES (p_w, p_d, v_next_o_id, p_c, NULL, p_lines);
  INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (p_w, p_d, v_next_o_id);
  WHILE v_line <= p_lines DO
    SET v_item = IF(v_line = 1, p_item1, p_item2);
    SET v_quantity = IF(v_line = 1, p_quantity1, p_quantity2);
    SET v_price = NULL;
    SELECT i_price INTO v_price FROM item WHERE i_id = v_item;
    IF v_price IS NULL THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such item';
    END IF;
    SELECT s_quantity INTO v_in_stock FROM stock WHERE s_w_id = p_w AND s_i_id = v_item FOR UPDATE;
    IF v_in_stock >= v_quantity + 10 THEN
      SET v_in_stock = v_in_stock - v_quantity;
    ELSE
      SET v_in_stock = v_in_stock - v_quantity + 91;
    END IF;
    UPDATE stock
      SET s_quantity = v_in_stock, s_ytd = s_ytd + v_quantity, s_order_cnt = s_order_cnt + 1
      WHERE s_w_id = p_w AND s_i_id = v_item;
    INSERT INTO order_line
        (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
      VALUES (p_w, p_d, v_next_o_id, v_line, v_item, p_w, v_quantity, v_quantity * v_price);
    SET v_total = v_total + v_quantity * v_price;
    SET v_line = v_line + 1;
  END WHILE;
  SET p_total = v_total * (100 - v_discount) DIV 100 * (100 + v_w_tax + v_d_tax) DIV 100;
  COMMIT;
END //

CREATE PROCEDURE payment(
  IN p_w INT, IN p_d INT, IN p_c_w INT, IN p_c_d INT, IN p_c INT, IN p_amount INT,
  OUT p_balance INT
)
BEGIN
  DECLARE v_balance, v_paid, v_payments INT;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  START TRANSACTION;
  IF p_amount <= 0 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the amount must be positive';
  END IF;
  UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w;
  UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w AND d_id = p_d;
  SELECT c_balance, c_ytd_payment, c_payment_cnt INTO v_balance, v_paid, v_payments FROM customer
    WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c;
  UPDATE customer
    SET c_balance = v_balance - p_amount, c_ytd_payment = v_paid + p_amount,
        c_payment_cnt = v_payments + 1
    WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c;
  INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES (p_c_w, p_c_d, p_c, p_amount);
  SET p_balance = v_balance - p_amount;
  COMMIT;
END //

-- The last order of a customer, with what has been delivered of it.
CREATE PROCEDURE order_status(IN p_w INT, IN p_d INT, IN p_c INT)
READS SQL DATA
BEGIN
  DECLARE v_balance, v_order, v_carrier INT;
  START TRANSACTION;
  SELECT c_balance INTO v_balance FROM customer WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
  SELECT o_id, o_carrier_id INTO v_order, v_carrier FROM orders
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = p_c
    ORDER BY o_id DESC LIMIT 1;
  SELECT v_balance, v_order, v_carrier, ol_i_id, ol_delivered FROM order_line
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_order;
  COMMIT;
END //

-- Delivers the oldest order of a district that was not delivered yet.
CREATE PROCEDURE delivery(IN p_w INT, IN p_d INT, IN p_carrier INT, OUT p_order INT)
proc: BEGIN
  DECLARE v_oldest, v_buyer, v_total INT;
  DECLARE v_none INT DEFAULT FALSE;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET v_none = TRUE;
  START TRANSACTION;
  SELECT no_o_id INTO v_oldest FROM new_order
    WHERE no_w_id = p_w AND no_d_id = p_d ORDER BY no_o_id LIMIT 1;
  IF v_none THEN
    COMMIT;
    LEAVE proc;
  END IF;
  DELETE FROM new_order WHERE no_w_id = p_w AND no_d_id = p_d AND no_o_id = v_oldest;
  SELECT o_c_id INTO v_buyer FROM orders WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_oldest;
  UPDATE orders SET o_carrier_id = p_carrier
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_oldest;
  UPDATE order_line SET ol_delivered = TRUE
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_oldest;
  SELECT SUM(ol_amount) INTO v_total FROM order_line
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_oldest;
  UPDATE customer SET c_balance = c_balance + v_total, c_delivery_cnt = c_delivery_cnt + 1
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = v_buyer;
  SET p_order = v_oldest;
  COMMIT;
END //

-- How many items of the last twenty orders run short.
CREATE PROCEDURE stock_level(IN p_w INT, IN p_d INT, IN p_threshold INT, OUT p_short INT)
READS SQL DATA
BEGIN
  DECLARE v_next_o_id INT;
  START TRANSACTION;
  SELECT d_next_o_id INTO v_next_o_id FROM district WHERE d_w_id = p_w AND d_id = p_d;
  SELECT COUNT(DISTINCT s_i_id) INTO p_short
    FROM order_line JOIN stock ON s_w_id = p_w AND s_i_id = ol_i_id
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id < v_next_o_id AND ol_o_id >= v_next_o_id - 20
      AND s_quantity < p_threshold;
  COMMIT;
END //

DELIMITER ;
