# ActiveRecord: migrations, the schema, records, locks, errors. Arguments: PRODUCT PORT.
require "active_record"
require "bigdecimal"
require "json"

PRODUCT, PORT = ARGV
IS_POSTGRES = PRODUCT == "postgres"

def plain(value)
  case value
  when BigDecimal then value.to_s("F")
  when Time, Date then value.iso8601
  when Array then value.map { |each| plain(each) }
  when Hash then value.transform_values { |each| plain(each) }
  else value
  end
end

def step(name)
  text = begin
    JSON.generate([plain(yield)])
  rescue StandardError => error
    warn "#{name} #{error.class} #{error.message}" if ENV["ISOLENS_CLIENTS_VERBOSE"]
    cause = error.cause || error
    code = cause.respond_to?(:error_number) ? cause.error_number : nil
    "error #{error.class} #{code}"
  end
  puts "#{name}\t#{text}"
  $stdout.flush
end

ActiveRecord::Base.establish_connection(
  adapter: IS_POSTGRES ? "postgresql" : "mysql2", host: "127.0.0.1", port: PORT.to_i, username: "app", password: "secret",
  database: "app", pool: 5, ssl_mode: IS_POSTGRES ? nil : :disabled
)
ActiveRecord::Migration.verbose = false

class Make < ActiveRecord::Migration[6.1]
  def change
    create_table :ar_owners do |t|
      t.string :name, null: false, limit: 40, index: { unique: true }
      t.decimal :balance, precision: 12, scale: 2, default: 0
      t.boolean :flag, default: true
      t.binary :bytes
      t.json :data
      t.integer :lock_version, default: 0
      t.timestamps
    end
    create_table :ar_entries do |t|
      t.references :ar_owner, null: false, foreign_key: { on_delete: :cascade }
      t.text :note
      t.date :day
    end
  end
end

class Change < ActiveRecord::Migration[6.1]
  def change
    add_column :ar_owners, :remark, :string, default: "none"
    rename_column :ar_entries, :note, :text
    change_column_null :ar_owners, :remark, false
    add_index :ar_entries, %i[day text], length: IS_POSTGRES ? nil : { text: 10 }
    add_check_constraint :ar_owners, "balance >= 0", name: "ar_balance"
  end
end

class ArOwner < ActiveRecord::Base
  has_many :ar_entries
end

class ArEntry < ActiveRecord::Base
  belongs_to :ar_owner
end

step("make") { Make.new.migrate(:up) && nil }
step("change") { Change.new.migrate(:up) && nil }
step("columns") { ActiveRecord::Base.connection.columns("ar_owners").map { |each| [each.name, each.sql_type, each.null, each.default] } }
step("indexes") { %w[ar_owners ar_entries].map { |table| ActiveRecord::Base.connection.indexes(table).map { |each| [each.name, each.columns, each.unique] }.sort } }
step("foreign keys") { ActiveRecord::Base.connection.foreign_keys("ar_entries").map { |each| [each.to_table, each.column, each.on_delete] } }
step("checks") { ActiveRecord::Base.connection.check_constraints("ar_owners").map(&:name) }
step("create") do
  owner = ArOwner.create!(name: "hé世'", balance: "10.50", bytes: "\x00\xFFA".b, data: { x: [1, nil] })
  owner.ar_entries.create!(text: "note", day: Date.new(2024, 2, 29))
  [owner.id, owner.reload.balance, owner.bytes.bytes, owner.data, owner.ar_entries.map { |each| [each.text, each.day] }]
end
step("insert all") { ArOwner.insert_all!((0...20).map { |at| { name: "n#{at}", balance: at, created_at: Time.at(0), updated_at: Time.at(0) } }).length }
step("where") { ArOwner.where("balance > ?", 15).where(name: %w[n16 n17]).order(:name).pluck(:name, :balance) }
step("calculations") { [ArOwner.count, ArOwner.sum(:balance), ArOwner.maximum(:name), ArOwner.group(:flag).count.values] }
step("joins") { ArOwner.left_joins(:ar_entries).where(ar_entries: { id: nil }).count }
step("includes") { ArOwner.includes(:ar_entries).order(:id).first.ar_entries.size }
step("batches") { ArOwner.find_each(batch_size: 7).count }
step("update") { ArOwner.where(name: "n1").update_all("balance = balance + 1") }
step("upsert") { ArOwner.upsert_all([{ name: "n1", balance: 7, created_at: Time.at(0), updated_at: Time.at(0) }], **(IS_POSTGRES ? { unique_by: :name } : {})) && ArOwner.find_by(name: "n1").balance }
step("lock") { ArOwner.transaction { ArOwner.lock.find_by(name: "n2").update!(balance: 3) } }
step("savepoint") do
  ArOwner.transaction do
    begin
      ArOwner.transaction(requires_new: true) { ArOwner.create!(name: "n1") }
    rescue ActiveRecord::RecordNotUnique
      nil
    end
    ArOwner.create!(name: "after").name
  end
end
step("rollback") { ArOwner.transaction { ArOwner.delete_all && raise(ActiveRecord::Rollback) } || ArOwner.count }
step("stale") { (old = ArOwner.find_by(name: "n3")) && ArOwner.find_by(name: "n3").update!(balance: 9) && old.update!(balance: 1) }
step("level") { ArOwner.transaction(isolation: :serializable) { ArOwner.count } }
step("duplicate") { ArOwner.create!(name: "n1") }
step("null") { ArOwner.create!(name: nil) }
step("long") { ArOwner.create!(name: "x" * 41) }
step("check") { ArOwner.create!(name: "bad", balance: -1) }
step("no owner") { ArEntry.insert!({ ar_owner_id: 999 }) }
step("no table") { ActiveRecord::Base.connection.execute("select * from nothing") }
step("advisory lock") { ActiveRecord::Base.connection.get_advisory_lock(IS_POSTGRES ? 7 : "seven") && ActiveRecord::Base.connection.release_advisory_lock(IS_POSTGRES ? 7 : "seven") }
step("explain") { ArOwner.where(name: "n1").explain.lines.length > 2 }
step("threads") { (0...4).map { |at| Thread.new { ActiveRecord::Base.connection_pool.with_connection { ArOwner.where(name: "n#{at}").count } } }.sum(&:value) }
step("down") { Change.new.migrate(:down) && ActiveRecord::Base.connection.columns("ar_owners").map(&:name) }
step("drop") { Make.new.migrate(:down) && ActiveRecord::Base.connection.tables.grep(/^ar_/).length }
