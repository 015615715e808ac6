<?php
// Five races, and five that are correct, over Doctrine's DBAL.
declare(strict_types=1);

require_once 'Doctrine/DBAL/autoload.php';

use Doctrine\DBAL\Connection;
use Doctrine\DBAL\Exception\UniqueConstraintViolationException;
use Doctrine\DBAL\TransactionIsolationLevel;

final class Refused extends Exception {}

final class Shop
{
    public function __construct(private Connection $db) {}

    private function debit(string $lock, int $id, int $amount): void
    {
        $this->db->transactional(function (Connection $db) use ($lock, $id, $amount): void {
            $balance = (int) $db->fetchOne("SELECT balance FROM account WHERE id = ?$lock", [$id]);
            if ($balance < $amount) throw new Refused();
            $db->update('account', ['balance' => $balance - $amount], ['id' => $id]);
        });
    }

    public function withdraw(int $id, int $amount): void
    {
        $this->debit('', $id, $amount);
    }

    public function withdrawLocked(int $id, int $amount): void
    {
        $this->debit(' FOR UPDATE', $id, $amount);
    }

    public function book(int $id, string $who): void
    {
        $this->db->transactional(function (Connection $db) use ($id, $who): void {
            $capacity = (int) $db->fetchOne('SELECT capacity FROM event WHERE id = ?', [$id]);
            $taken = (int) $db->fetchOne('SELECT count(*) FROM booking WHERE event_id = ?', [$id]);
            if ($taken >= $capacity) throw new Refused();
            $db->insert('booking', ['event_id' => $id, 'who' => $who]);
        });
    }

    public function redeem(string $code): void
    {
        $this->db->transactional(function (Connection $db) use ($code): void {
            $coupon = $db->fetchAssociative('SELECT id, used, max_uses FROM coupon WHERE code = ?', [$code]);
            if ($coupon['used'] >= $coupon['max_uses']) throw new Refused();
            $db->update('coupon', ['used' => $coupon['used'] + 1], ['id' => $coupon['id']]);
        });
    }

    public function redeemInPlace(string $code): void
    {
        $free = 'UPDATE coupon SET used = used + 1 WHERE code = ? AND used < max_uses';
        if ($this->db->executeStatement($free, [$code]) === 0) throw new Refused();
    }

    public function leave(string $table, int $id): void
    {
        $this->db->transactional(function (Connection $db) use ($table, $id): void {
            if ((int) $db->fetchOne("SELECT count(*) FROM $table WHERE on_call") < 2) throw new Refused();
            $db->executeStatement("UPDATE $table SET on_call = false WHERE id = ?", [$id]);
        });
    }

    public function leaveSerializable(string $table, int $id): void
    {
        $this->db->setTransactionIsolation(TransactionIsolationLevel::SERIALIZABLE);
        try {
            $this->leave($table, $id);
        } finally {
            $this->db->setTransactionIsolation(TransactionIsolationLevel::READ_COMMITTED);
        }
    }

    public function issueTicket(string $holder): void
    {
        $this->db->transactional(function (Connection $db) use ($holder): void {
            $last = (int) $db->fetchOne('SELECT coalesce(max(number), 0) AS last FROM ticket');
            $db->insert('ticket', ['number' => $last + 1, 'holder' => $holder]);
        });
    }

    public function takeSeat(int $number, string $holder): void
    {
        try {
            $this->db->insert('seat', ['number' => $number, 'holder' => $holder]);
        } catch (UniqueConstraintViolationException) {
            throw new Refused();
        }
    }

    public function editDocument(int $id, string $body): void
    {
        $this->db->transactional(function (Connection $db) use ($id, $body): void {
            $version = (int) $db->fetchOne('SELECT version FROM document WHERE id = ?', [$id]);
            $new = ['body' => $body, 'version' => $version + 1];
            if ($db->update('document', $new, ['id' => $id, 'version' => $version]) === 0) throw new Refused();
        });
    }
}
