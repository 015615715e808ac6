-- SmallBank in its benchmark form: balances are changed in place, guards are checked on what was read before.

-- @transaction Balance
BEGIN;
SELECT bal FROM savings WHERE custid = :c;
-- ^^^ causality-violation value: Balance, TransactSavings, WriteCheck (postgres:read-committed)
-- ^^^ read-only-anomaly value: Balance, Amalgamate, DepositChecking (postgres:read-committed, postgres:repeatable-read)
-- ^^^ read-only-anomaly value: Balance, Amalgamate, SendPayment (postgres:repeatable-read)
SELECT bal FROM checking WHERE custid = :c;
-- ^^^ read-only-anomaly value: Balance, Amalgamate, TransactSavings (postgres:read-committed, postgres:repeatable-read)
-- ^^^ read-only-anomaly value: Balance, WriteCheck, TransactSavings (postgres:read-committed, postgres:repeatable-read)
COMMIT;

-- @transaction DepositChecking
BEGIN;
UPDATE checking SET bal = bal + :amount WHERE custid = :c;
COMMIT;

-- @transaction TransactSavings
BEGIN;
SELECT bal FROM savings WHERE custid = :c \gset
-- ^^^ non-repeatable-read state: TransactSavings, TransactSavings (postgres:read-committed)
\if :bal >= :amount
UPDATE savings SET bal = bal - :amount WHERE custid = :c;
\endif
COMMIT;

-- @transaction Amalgamate
-- @isolens distinct c0, c1
BEGIN;
SELECT bal FROM savings WHERE custid = :c0 \gset savings_
-- ^^^ write-skew state: Amalgamate, Amalgamate (postgres:read-committed, postgres:repeatable-read)
SELECT bal FROM checking WHERE custid = :c1 \gset checking_
-- ^^^ read-skew state: Amalgamate, SendPayment (postgres:read-committed)
-- ^^^ write-skew state: Amalgamate, WriteCheck (postgres:read-committed, postgres:repeatable-read)
UPDATE checking SET bal = 0 WHERE custid = :c0;
UPDATE savings SET bal = bal - (:savings_bal + :checking_bal) WHERE custid = :c1;
COMMIT;

-- @transaction WriteCheck
BEGIN;
SELECT bal FROM savings WHERE custid = :c \gset savings_
SELECT bal FROM checking WHERE custid = :c \gset checking_
-- ^^^ non-repeatable-read state: WriteCheck, Amalgamate (postgres:read-committed)
-- ^^^ non-repeatable-read state: WriteCheck, WriteCheck (postgres:read-committed)
-- ^^^ non-repeatable-read state: WriteCheck, SendPayment (postgres:read-committed)
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
-- ^^^ non-repeatable-read state: SendPayment, Amalgamate (postgres:read-committed)
-- ^^^ non-repeatable-read state: SendPayment, SendPayment (postgres:read-committed)
-- ^^^ non-repeatable-read state: SendPayment, WriteCheck (postgres:read-committed)
\if :bal >= :amount
UPDATE checking SET bal = bal - :amount WHERE custid = :c0;
UPDATE checking SET bal = bal + :amount WHERE custid = :c1;
\endif
COMMIT;
