# frozen_string_literal: true

require 'sequel'

DB = Sequel.connect(
  adapter: 'postgres', host: ENV['DB_HOST'], port: ENV['DB_PORT'],
  user: ENV['DB_USER'], password: ENV['DB_PASSWORD'], database: ENV['DB_NAME']
)

Refused = Class.new(StandardError)

# Five races, and five that are correct.
module Shop
  module_function

  def withdraw(id, amount)
    DB.transaction { debit(DB[:accounts].where(id: id), amount) }
  end

  def withdraw_locked(id, amount)
    DB.transaction { debit(DB[:accounts].where(id: id).for_update, amount) }
  end

  def debit(account, amount)
    balance = account.get(:balance)
    raise Refused if balance < amount

    account.update(balance: balance - amount)
  end

  def book(event_id, who)
    DB.transaction do
      event = DB[:events].first(id: event_id)
      raise Refused if DB[:bookings].where(event_id: event_id).count >= event[:capacity]

      DB[:bookings].insert(event_id: event_id, who: who)
    end
  end

  def redeem(code)
    coupon = DB[:coupons].first(code: code)
    raise Refused if coupon[:used] >= coupon[:max_uses]

    DB[:coupons].where(id: coupon[:id]).update(used: coupon[:used] + 1)
  end

  def redeem_in_place(code)
    free = DB[:coupons].where(code: code).where { used < max_uses }
    raise Refused if free.update(used: Sequel[:used] + 1).zero?
  end

  def leave(id)
    raise Refused if DB[:doctors].where(on_call: true).count < 2

    DB[:doctors].where(id: id).update(on_call: false)
  end

  def go_off_call(id)
    DB.transaction { leave(id) }
  end

  def go_off_call_serializable(id)
    DB.transaction(isolation: :serializable) { leave(id) }
  end

  def issue_ticket(holder)
    DB.transaction do
      DB[:tickets].insert(number: (DB[:tickets].max(:number) || 0) + 1, holder: holder)
    end
  end

  def take_seat(number, holder)
    DB[:seats].insert(number: number, holder: holder)
  rescue Sequel::UniqueConstraintViolation
    raise Refused
  end

  def edit_document(id, body)
    DB.transaction do
      version = DB[:documents].where(id: id).get(:version)
      document = DB[:documents].where(id: id, version: version)
      raise Refused if document.update(body: body, version: version + 1).zero?
    end
  end
end
