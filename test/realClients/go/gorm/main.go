// GORM: migration, associations, transactions, upserts and locks.
package main

import (
	"errors"
	"fmt"

	. "isolens/clients/steps"

	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

type Owner struct {
	ID       uint
	Name     string `gorm:"size:40;uniqueIndex"`
	Accounts []Account
}

type Account struct {
	ID      uint
	OwnerID uint `gorm:"index"`
	Balance int
	Note    *string
}

func main() {
	dialector := postgres.Open(PostgresURL())
	if Product == "mysql" {
		dialector = mysql.Open(MysqlDSN("&charset=utf8mb4"))
	}
	db, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Default.LogMode(logger.Silent)})
	if err != nil {
		panic(err)
	}
	Step("drop", func() (any, error) { return "ok", db.Migrator().DropTable(&Account{}, &Owner{}) })
	for _, name := range []string{"migrate", "migrate again"} {
		Step(name, func() (any, error) { return "ok", db.AutoMigrate(&Owner{}, &Account{}) })
	}
	Step("columns", func() (any, error) {
		types, err := db.Migrator().ColumnTypes(&Account{})
		all := []any{}
		for _, each := range types {
			nullable, _ := each.Nullable()
			all = append(all, fmt.Sprint(each.Name(), " ", each.DatabaseTypeName(), " ", nullable))
		}
		return all, err
	})
	Step("has index", func() (any, error) { return db.Migrator().HasIndex(&Account{}, "OwnerID"), nil })
	Step("create", func() (any, error) {
		owner := Owner{Name: "ann", Accounts: []Account{{Balance: 10}, {Balance: 20}}}
		err := db.Create(&owner).Error
		return []any{owner.ID, len(owner.Accounts), owner.Accounts[1].ID}, err
	})
	Step("preload", func() (any, error) {
		var owner Owner
		err := db.Preload("Accounts").First(&owner, "name = ?", "ann").Error
		return []any{owner.Name, len(owner.Accounts)}, err
	})
	Step("duplicate", func() (any, error) { return nil, db.Create(&Owner{Name: "ann"}).Error })
	Step("upsert", func() (any, error) {
		err := db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"balance"})}).Create(&Account{ID: 1, OwnerID: 1, Balance: 99}).Error
		var account Account
		db.First(&account, 1)
		return account.Balance, err
	})
	Step("lock", func() (any, error) {
		return "ok", db.Transaction(func(tx *gorm.DB) error {
			var account Account
			if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&account, 1).Error; err != nil {
				return err
			}
			return tx.Model(&account).Update("balance", gorm.Expr("balance - ?", 1)).Error
		})
	})
	Step("rolled back", func() (any, error) {
		err := db.Transaction(func(tx *gorm.DB) error {
			if err := tx.Model(&Account{}).Where("id = ?", 1).Update("balance", 0).Error; err != nil {
				return err
			}
			return errors.New("no")
		})
		var account Account
		db.First(&account, 1)
		return []any{err != nil, account.Balance}, nil
	})
	Step("nested", func() (any, error) {
		return "ok", db.Transaction(func(tx *gorm.DB) error {
			_ = tx.Transaction(func(inner *gorm.DB) error { return inner.Create(&Owner{Name: "ann"}).Error })
			return tx.Create(&Owner{Name: "bob"}).Error
		})
	})
	Step("group", func() (any, error) {
		var rows []struct {
			OwnerID uint
			Total   int
		}
		err := db.Model(&Account{}).Select("owner_id, sum(balance) as total").Group("owner_id").Having("sum(balance) > ?", 1).Scan(&rows).Error
		return fmt.Sprint(rows), err
	})
	Step("add column", func() (any, error) {
		return "ok", db.Exec("alter table accounts add column extra varchar(10) default 'x' not null").Error
	})
	Step("not found", func() (any, error) { return nil, db.First(&Owner{}, 999).Error })
	Step("delete", func() (any, error) {
		result := db.Where("balance > ?", 0).Delete(&Account{})
		return result.RowsAffected, result.Error
	})
}
