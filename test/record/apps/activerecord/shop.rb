# frozen_string_literal: true

require 'active_record'

class Account < ActiveRecord::Base; end
class Event < ActiveRecord::Base; end
class Booking < ActiveRecord::Base; end
class Coupon < ActiveRecord::Base; end
class Doctor < ActiveRecord::Base; end
class Ticket < ActiveRecord::Base; end
class Seat < ActiveRecord::Base; end
class Document < ActiveRecord::Base; end

Refused = Class.new(StandardError)

# Five races, and five that are correct.
module Shop
  module_function

  def withdraw(id, amount)
    Account.transaction do
      account = Account.find(id)
      raise Refused if account.balance < amount

      account.update!(balance: account.balance - amount)
    end
  end

  def book(event_id, who)
    Booking.transaction do
      event = Event.find(event_id)
      raise Refused if Booking.where(event_id: event_id).count >= event.capacity

      Booking.create!(event_id: event_id, who: who)
    end
  end

  def redeem(code)
    coupon = Coupon.find_by!(code: code)
    raise Refused if coupon.used >= coupon.max_uses

    coupon.update!(used: coupon.used + 1)
  end

  def go_off_call(id)
    Doctor.transaction { leave(id) }
  end

  def leave(id)
    raise Refused if Doctor.where(on_call: true).count < 2

    Doctor.find(id).update!(on_call: false)
  end

  def issue_ticket(holder)
    Ticket.transaction do
      Ticket.create!(number: (Ticket.maximum(:number) || 0) + 1, holder: holder)
    end
  end

  def withdraw_locked(id, amount)
    Account.transaction do
      account = Account.lock.find(id)
      raise Refused if account.balance < amount

      account.update!(balance: account.balance - amount)
    end
  end

  def redeem_in_place(code)
    changed = Coupon.where(code: code).where('used < max_uses').update_all('used = used + 1')
    raise Refused if changed.zero?
  end

  def take_seat(number, holder)
    Seat.create!(number: number, holder: holder)
  rescue ActiveRecord::RecordNotUnique
    raise Refused
  end

  def edit_document(id, body)
    Document.find(id).update!(body: body)
  end

  def go_off_call_serializable(id)
    Doctor.transaction(isolation: :serializable) { leave(id) }
  end
end
