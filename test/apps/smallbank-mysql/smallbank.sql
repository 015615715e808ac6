-- SmallBank in its first form as stored procedures: every balance is read into a variable and written back.
DELIMITER $$

CREATE PROCEDURE balance(IN p_customer VARCHAR(64), OUT p_total INT)
READS SQL DATA
BEGIN
  DECLARE v_cust, v_savings, v_checks INT;
  START TRANSACTION;
  SELECT custid INTO v_cust FROM account WHERE name = p_customer;
  SELECT s.balance INTO v_savings FROM saving AS s WHERE s.custid = v_cust;
  SELECT c.balance INTO v_checks FROM checking AS c WHERE c.custid = v_cust;
  SET p_total = v_savings + v_checks;
  COMMIT;
END$$

CREATE PROCEDURE deposit_checking(IN p_customer VARCHAR(64), IN p_amount INT)
BEGIN
  DECLARE v_cust, v_checks INT;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  IF p_amount < 0 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'negative amount';
  END IF;
  START TRANSACTION;
  SELECT custid INTO v_cust FROM account WHERE name = p_customer;
  SELECT c.balance INTO v_checks FROM checking AS c WHERE c.custid = v_cust;
  UPDATE checking SET balance = v_checks + p_amount WHERE custid = v_cust;
  COMMIT;
END$$

CREATE PROCEDURE transact_savings(IN p_customer VARCHAR(64), IN p_amount INT)
proc: BEGIN
  DECLARE v_cust, v_savings INT;
  START TRANSACTION;
  SELECT custid INTO v_cust FROM account WHERE name = p_customer;
  SELECT s.balance INTO v_savings FROM saving AS s WHERE s.custid = v_cust;
  IF v_savings + p_amount < 0 THEN
    ROLLBACK;
    LEAVE proc;
  END IF;
  UPDATE saving SET balance = v_savings + p_amount WHERE custid = v_cust;
  COMMIT;
END$$

-- @isolens distinct p_customer1, p_customer2
CREATE PROCEDURE amalgamate(IN p_customer1 VARCHAR(64), IN p_customer2 VARCHAR(64))
BEGIN
  DECLARE v_cust1, v_cust2 INT;
  DECLARE v_total, v_checks INT;
  START TRANSACTION;
  SELECT custid INTO v_cust1 FROM account WHERE name = p_customer1;
  SELECT custid INTO v_cust2 FROM account WHERE name = p_customer2;
  SELECT s.balance INTO v_total FROM saving AS s WHERE s.custid = v_cust1;
  SELECT c.balance + v_total INTO v_total FROM checking AS c WHERE c.custid = v_cust1;
  UPDATE saving SET balance = 0 WHERE custid = v_cust1;
  UPDATE checking SET balance = 0 WHERE custid = v_cust1;
  SELECT c.balance INTO v_checks FROM checking AS c WHERE c.custid = v_cust2;
  UPDATE checking SET balance = v_checks + v_total WHERE custid = v_cust2;
  COMMIT;
END$$

CREATE PROCEDURE write_check(IN p_customer VARCHAR(64), IN p_amount INT)
BEGIN
  DECLARE v_cust, v_savings, v_checks INT;
  START TRANSACTION;
  SELECT custid INTO v_cust FROM account WHERE name = p_customer;
  SELECT s.balance INTO v_savings FROM saving AS s WHERE s.custid = v_cust;
  SELECT c.balance INTO v_checks FROM checking AS c WHERE c.custid = v_cust;
  IF v_savings + v_checks < p_amount THEN
    UPDATE checking SET balance = v_checks - (p_amount + 1) WHERE custid = v_cust;
  ELSE
    UPDATE checking SET balance = v_checks - p_amount WHERE custid = v_cust;
  END IF;
  COMMIT;
END$$

-- @isolens distinct p_customer1, p_customer2
CREATE PROCEDURE send_payment(
  IN p_customer1 VARCHAR(64),
  IN p_customer2 VARCHAR(64),
  IN p_amount INT
)
BEGIN
  DECLARE v_cust1, v_cust2 INT;
  DECLARE v_checks1, v_checks2 INT;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION ROLLBACK;
  START TRANSACTION;
  SELECT custid INTO v_cust1 FROM account WHERE name = p_customer1;
  SELECT custid INTO v_cust2 FROM account WHERE name = p_customer2;
  SELECT c.balance INTO v_checks1 FROM checking AS c WHERE c.custid = v_cust1;
  IF v_checks1 < p_amount THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'insufficient funds';
  END IF;
  SELECT c.balance INTO v_checks2 FROM checking AS c WHERE c.custid = v_cust2;
  UPDATE checking SET balance = v_checks1 - p_amount WHERE custid = v_cust1;
  UPDATE checking SET balance = v_checks2 + p_amount WHERE custid = v_cust2;
  COMMIT;
END$$

DELIMITER ;
