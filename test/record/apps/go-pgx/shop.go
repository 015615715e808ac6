// Package shop has five races, and five that are correct.
package shop

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errRefused = errors.New("refused")

type shop struct{ pool *pgxpool.Pool }

func (s shop) in(ctx context.Context, level pgx.TxIsoLevel, work func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: level}, work)
}

func number(ctx context.Context, tx pgx.Tx, sql string, args ...any) (n int, err error) {
	err = tx.QueryRow(ctx, sql, args...).Scan(&n)
	return n, err
}

func (s shop) debit(ctx context.Context, lock string, id, amount int) error {
	return s.in(ctx, "", func(tx pgx.Tx) error {
		balance, err := number(ctx, tx, "SELECT balance FROM account WHERE id = $1"+lock, id)
		if err != nil {
			return err
		}
		if balance < amount {
			return errRefused
		}
		_, err = tx.Exec(ctx, "UPDATE account SET balance = $1 WHERE id = $2", balance-amount, id)
		return err
	})
}

func (s shop) withdraw(ctx context.Context, id, amount int) error {
	return s.debit(ctx, "", id, amount)
}

func (s shop) withdrawLocked(ctx context.Context, id, amount int) error {
	return s.debit(ctx, " FOR UPDATE", id, amount)
}

func (s shop) book(ctx context.Context, id int, who string) error {
	return s.in(ctx, "", func(tx pgx.Tx) error {
		capacity, err := number(ctx, tx, "SELECT capacity FROM event WHERE id = $1", id)
		if err != nil {
			return err
		}
		taken, err := number(ctx, tx, "SELECT count(*) FROM booking WHERE event_id = $1", id)
		if err != nil {
			return err
		}
		if taken >= capacity {
			return errRefused
		}
		_, err = tx.Exec(ctx, "INSERT INTO booking (event_id, who) VALUES ($1, $2)", id, who)
		return err
	})
}

func (s shop) redeem(ctx context.Context, code string) error {
	return s.in(ctx, "", func(tx pgx.Tx) error {
		var id, used, most int
		row := tx.QueryRow(ctx, "SELECT id, used, max_uses FROM coupon WHERE code = $1", code)
		if err := row.Scan(&id, &used, &most); err != nil {
			return err
		}
		if used >= most {
			return errRefused
		}
		_, err := tx.Exec(ctx, "UPDATE coupon SET used = $1 WHERE id = $2", used+1, id)
		return err
	})
}

func (s shop) redeemInPlace(ctx context.Context, code string) error {
	done, err := s.pool.Exec(ctx, "UPDATE coupon SET used = used + 1 WHERE code = $1 AND used < max_uses", code)
	if err == nil && done.RowsAffected() == 0 {
		return errRefused
	}
	return err
}

func (s shop) goOffCall(ctx context.Context, id int) error {
	return s.leave(ctx, "", "doctor", id)
}

func (s shop) goOffCallSerializable(ctx context.Context, id int) error {
	return s.leave(ctx, pgx.Serializable, "nurse", id)
}

func (s shop) leave(ctx context.Context, level pgx.TxIsoLevel, table string, id int) error {
	return s.in(ctx, level, func(tx pgx.Tx) error {
		left, err := number(ctx, tx, "SELECT count(*) FROM "+table+" WHERE on_call")
		if err != nil {
			return err
		}
		if left < 2 {
			return errRefused
		}
		_, err = tx.Exec(ctx, "UPDATE "+table+" SET on_call = false WHERE id = $1", id)
		return err
	})
}

func (s shop) issueTicket(ctx context.Context, holder string) error {
	return s.in(ctx, "", func(tx pgx.Tx) error {
		last, err := number(ctx, tx, "SELECT coalesce(max(number), 0) AS last FROM ticket")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO ticket (number, holder) VALUES ($1, $2)", last+1, holder)
		return err
	})
}

func (s shop) takeSeat(ctx context.Context, number int, holder string) error {
	if _, err := s.pool.Exec(ctx, "INSERT INTO seat (number, holder) VALUES ($1, $2)", number, holder); err != nil {
		return errRefused
	}
	return nil
}

func (s shop) editDocument(ctx context.Context, id int, body string) error {
	return s.in(ctx, "", func(tx pgx.Tx) error {
		version, err := number(ctx, tx, "SELECT version FROM document WHERE id = $1", id)
		if err != nil {
			return err
		}
		done, err := tx.Exec(ctx, "UPDATE document SET body = $1, version = $2 WHERE id = $3 AND version = $4", body, version+1, id, version)
		if err == nil && done.RowsAffected() == 0 {
			return errRefused
		}
		return err
	})
}
