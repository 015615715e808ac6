# frozen_string_literal: true

require_relative 'shop'

RUNS = 12
ActiveRecord::Base.establish_connection(
  adapter: ENV.fetch('APP_ADAPTER', 'postgresql'), host: ENV['DB_HOST'], port: ENV['DB_PORT'],
  username: ENV['DB_USER'], password: ENV['DB_PASSWORD'], database: ENV['DB_NAME']
)
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table(:accounts, force: true) { |t| t.integer :balance }
  create_table(:events, force: true) { |t| t.integer :capacity }
  create_table(:bookings, force: true) { |t| t.bigint :event_id; t.string :who }
  create_table(:coupons, force: true) { |t| t.string :code, index: { unique: true }; t.integer :max_uses; t.integer :used }
  create_table(:doctors, force: true) { |t| t.boolean :on_call }
  create_table(:tickets, force: true) { |t| t.integer :number; t.string :holder }
  create_table(:seats, force: true) { |t| t.integer :number, index: { unique: true }; t.string :holder }
  create_table(:documents, force: true) { |t| t.string :body; t.integer :lock_version, null: false, default: 0 }
end

def often(name)
  done = 0
  RUNS.times do |number|
    Shop.public_send(name, *yield(number))
    done += 1
  rescue Refused
    next
  end
  raise "#{name} was always refused" if done < 3
end

srand(7)
accounts = [300, 400, 500].map { |balance| Account.create!(balance: balance).id }
events = [3, 4, 5].map { |capacity| Event.create!(capacity: capacity).id }
codes = [3, 4, 5].map { |most| Coupon.create!(code: "C-#{most}", max_uses: most, used: 0).code }
doctors = Array.new(9) { Doctor.create!(on_call: true).id }
documents = Array.new(3) { Document.create!(body: '').id }
%i[withdraw withdraw_locked].each { |name| often(name) { [accounts.sample, rand(3..90)] } }
often(:book) { |n| [events.sample, "w#{n}"] }
%i[redeem redeem_in_place].each do |name|
  often(name) { [codes.sample] }
  Coupon.update_all(used: 0)
end
%i[go_off_call go_off_call_serializable].each do |name|
  often(name) { |n| [doctors[n % 9]] }
  Doctor.update_all(on_call: true)
end
often(:issue_ticket) { |n| ["h#{n}"] }
often(:take_seat) { |n| [n % 10, "h#{n}"] }
often(:edit_document) { |n| [documents.sample, "text #{n}"] }
puts 'ok'
