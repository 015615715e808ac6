CREATE TABLE item (
  id    int PRIMARY KEY,
  stock int NOT NULL
) ENGINE = InnoDB;

DELIMITER //
CREATE PROCEDURE take(IN p_id int, IN p_amount int)
BEGIN
  DECLARE v_stock int;
  START TRANSACTION;
  SELECT stock INTO v_stock FROM item WHERE id = p_id;
  IF v_stock < p_amount THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is not enough';
  END IF;
  UPDATE item SET stock = v_stock - p_amount WHERE id = p_id;
  COMMIT;
END //
DELIMITER ;
