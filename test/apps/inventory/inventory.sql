-- Stock, reservations and coupons, in the style of psql and pgbench scripts.

-- @transaction reserve
BEGIN;
SELECT stock FROM product WHERE sku = :sku \gset
-- ^^^ lost-update state: reserve, reserve (postgres:read-committed)
-- ^^^ lost-update state: reserve, reserve_locked (postgres:read-committed)
-- ^^^ lost-update state: reserve, sell (postgres:read-committed)
\if :stock >= :quantity
UPDATE product SET stock = :stock - :quantity WHERE sku = :sku;
INSERT INTO reservation (id, sku, quantity) VALUES (:reservation, :sku, :quantity);
\endif
COMMIT;

-- The row is locked when it is read: reserve_locked never loses stock against itself.
-- @transaction reserve_locked
BEGIN;
SELECT stock FROM product WHERE sku = :sku FOR UPDATE \gset
\if :stock >= :quantity
UPDATE product SET stock = :stock - :quantity WHERE sku = :sku;
\endif
COMMIT;

-- The guard stands in the update: correct at every level.
-- @transaction sell
BEGIN;
UPDATE product SET stock = stock - :quantity WHERE sku = :sku AND stock >= :quantity;
COMMIT;

-- Count, compare, insert: two customers can take the last use of a coupon together.
-- @transaction redeem
BEGIN;
SELECT max_uses FROM coupon WHERE code = :'code' \gset
SELECT count(*) AS used FROM redemption WHERE code = :'code' \gset
-- ^^^ predicate-write-skew state: redeem, redeem (postgres:read-committed, postgres:repeatable-read)
\if :used < :max_uses
INSERT INTO redemption (code, customer) VALUES (:'code', :customer);
\endif
COMMIT;
