-- A shop that tries an order out and undoes it, while customers look at what is in stock.
-- @isolens dialect mysql
CREATE TABLE item (id INT PRIMARY KEY, stock INT NOT NULL) ENGINE=InnoDB;

-- @transaction TryOrder
START TRANSACTION;
UPDATE item SET stock = stock - @n WHERE id = @item;
ROLLBACK;

-- @transaction Look
SELECT stock FROM item WHERE id = @item;

-- @transaction Deliver
START TRANSACTION;
UPDATE item SET stock = stock + @n WHERE id = @item;
COMMIT;
