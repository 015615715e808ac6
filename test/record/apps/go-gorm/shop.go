// Package shop has five races, and five that are correct, over GORM.
package shop

import (
	"database/sql"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

var errRefused = errors.New("refused")

var serializable = &sql.TxOptions{Isolation: sql.LevelSerializable}

type account struct {
	ID      int
	Balance int
}

type event struct {
	ID       int
	Capacity int
}

type booking struct {
	ID      int
	EventID int
	Who     string
}

type coupon struct {
	ID      int
	Code    string
	MaxUses int
	Used    int
}

type ticket struct {
	ID     int
	Number int
	Holder string
}

type seat struct {
	ID     int
	Number int
	Holder string
}

type document struct {
	ID      int
	Body    string
	Version int
}

type shop struct{ db *gorm.DB }

func debit(tx *gorm.DB, id, amount int) error {
	var own account
	if err := tx.Take(&own, id).Error; err != nil {
		return err
	}
	if own.Balance < amount {
		return errRefused
	}
	own.Balance -= amount
	return tx.Save(&own).Error
}

func (s shop) withdraw(id, amount int) error {
	return s.db.Transaction(func(tx *gorm.DB) error { return debit(tx, id, amount) })
}

func (s shop) withdrawLocked(id, amount int) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var own account
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&own, id).Error; err != nil {
			return err
		}
		if own.Balance < amount {
			return errRefused
		}
		return tx.Model(&own).Update("balance", own.Balance-amount).Error
	})
}

func (s shop) book(id int, who string) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var own event
		var taken int64
		if err := tx.Take(&own, id).Error; err != nil {
			return err
		}
		if err := tx.Model(&booking{}).Where("event_id = ?", id).Count(&taken).Error; err != nil {
			return err
		}
		if int(taken) >= own.Capacity {
			return errRefused
		}
		return tx.Create(&booking{EventID: id, Who: who}).Error
	})
}

func (s shop) redeem(code string) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var own coupon
		if err := tx.Where("code = ?", code).Take(&own).Error; err != nil {
			return err
		}
		if own.Used >= own.MaxUses {
			return errRefused
		}
		return tx.Model(&own).Update("used", own.Used+1).Error
	})
}

func (s shop) redeemInPlace(code string) error {
	done := s.db.Model(&coupon{}).Where("code = ? AND used < max_uses", code).Update("used", gorm.Expr("used + 1"))
	if done.Error == nil && done.RowsAffected == 0 {
		return errRefused
	}
	return done.Error
}

func (s shop) goOffCall(id int) error {
	return s.leave("doctor", id)
}

func (s shop) goOffCallSerializable(id int) error {
	return s.leave("nurse", id, serializable)
}

func (s shop) leave(table string, id int, options ...*sql.TxOptions) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var left int64
		if err := tx.Table(table).Where("on_call").Count(&left).Error; err != nil {
			return err
		}
		if left < 2 {
			return errRefused
		}
		return tx.Table(table).Where("id = ?", id).Update("on_call", false).Error
	}, options...)
}

func (s shop) issueTicket(holder string) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var last int
		if err := tx.Model(&ticket{}).Select("coalesce(max(number), 0) AS last").Scan(&last).Error; err != nil {
			return err
		}
		return tx.Create(&ticket{Number: last + 1, Holder: holder}).Error
	})
}

func (s shop) takeSeat(number int, holder string) error {
	if s.db.Create(&seat{Number: number, Holder: holder}).Error != nil {
		return errRefused
	}
	return nil
}

func (s shop) editDocument(id int, body string) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var own document
		if err := tx.Take(&own, id).Error; err != nil {
			return err
		}
		done := tx.Model(&document{}).Where("id = ? AND version = ?", id, own.Version).
			Updates(map[string]any{"body": body, "version": own.Version + 1})
		if done.Error == nil && done.RowsAffected == 0 {
			return errRefused
		}
		return done.Error
	})
}
