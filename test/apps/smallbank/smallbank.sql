-- SmallBank in its benchmark form: balances are changed in place, guards are checked on what was read before.

-- @transaction Balance
BEGIN;
SELECT bal FROM savings WHERE custid = :c;
SELECT bal FROM checking WHERE custid = :c;
COMMIT;

-- @transaction DepositChecking
BEGIN;
UPDATE checking SET bal = bal + :amount WHERE custid = :c;
COMMIT;

-- @transaction TransactSavings
BEGIN;
SELECT bal FROM savings WHERE custid = :c \gset
\if :bal >= :amount
UPDATE savings SET bal = bal - :amount WHERE custid = :c;
\endif
COMMIT;

-- @transaction Amalgamate
-- @isolens distinct c0, c1
BEGIN;
SELECT bal FROM savings WHERE custid = :c0 \gset savings_
SELECT bal FROM checking WHERE custid = :c1 \gset checking_
UPDATE checking SET bal = 0 WHERE custid = :c0;
UPDATE savings SET bal = bal - (:savings_bal + :checking_bal) WHERE custid = :c1;
COMMIT;

-- @transaction WriteCheck
BEGIN;
SELECT bal FROM savings WHERE custid = :c \gset savings_
SELECT bal FROM checking WHERE custid = :c \gset checking_
\if :savings_bal + :checking_bal < :amount
UPDATE checking SET bal = bal - (:amount + 1) WHERE custid = :c;
\else
UPDATE checking SET bal = bal - :amount WHERE custid = :c;
\endif
COMMIT;

-- @transaction SendPayment
-- @isolens distinct c0, c1
BEGIN;
SELECT bal FROM checking WHERE custid = :c0 \gset
\if :bal >= :amount
UPDATE checking SET bal = bal - :amount WHERE custid = :c0;
UPDATE checking SET bal = bal + :amount WHERE custid = :c1;
\endif
COMMIT;
