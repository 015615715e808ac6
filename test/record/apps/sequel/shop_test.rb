# frozen_string_literal: true

require_relative 'shop'

RUNS = 12
DB.create_table!(:accounts) { primary_key :id; Integer :balance }
DB.create_table!(:events) { primary_key :id; Integer :capacity }
DB.create_table!(:bookings) { primary_key :id; Integer :event_id; String :who }
DB.create_table!(:coupons) { primary_key :id; String :code, unique: true; Integer :max_uses; Integer :used }
DB.create_table!(:doctors) { primary_key :id; TrueClass :on_call }
DB.create_table!(:tickets) { primary_key :id; Integer :number; String :holder }
DB.create_table!(:seats) { primary_key :id; Integer :number, unique: true; String :holder }
DB.create_table!(:documents) { primary_key :id; String :body; Integer :version }

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
accounts = [300, 400, 500].map { |balance| DB[:accounts].insert(balance: balance) }
events = [3, 4, 5].map { |capacity| DB[:events].insert(capacity: capacity) }
codes = [3, 4, 5].map { |most| "C-#{most}".tap { |code| DB[:coupons].insert(code: code, max_uses: most, used: 0) } }
doctors = Array.new(9) { DB[:doctors].insert(on_call: true) }
documents = [0, 3, 7].map { |version| DB[:documents].insert(body: '', version: version) }
%i[withdraw withdraw_locked].each { |name| often(name) { [accounts.sample, rand(3..90)] } }
often(:book) { |n| [events.sample, "w#{n}"] }
%i[redeem redeem_in_place].each do |name|
  often(name) { [codes.sample] }
  DB[:coupons].update(used: 0)
end
%i[go_off_call go_off_call_serializable].each do |name|
  often(name) { |n| [doctors[n % 9]] }
  DB[:doctors].update(on_call: true)
end
often(:issue_ticket) { |n| ["h#{n}"] }
often(:take_seat) { |n| [n % 10, "h#{n}"] }
often(:edit_document) { |n| [documents.sample, "text #{n}"] }
puts 'ok'
