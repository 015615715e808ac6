"""The service behind FastAPI: a request is a transaction's entry point."""

from fastapi import FastAPI, HTTPException

import service

app = FastAPI()


def answered(work, *arguments):
    try:
        work(*arguments)
    except ValueError as error:
        raise HTTPException(409, str(error)) from None
    return {"done": True}


@app.post("/accounts/{account_id}/withdraw")
def withdraw(account_id: int, amount: int):
    return answered(service.withdraw, account_id, amount)


@app.post("/accounts/{account_id}/withdraw-locked")
def withdraw_locked(account_id: int, amount: int):
    return answered(service.withdraw_locked, account_id, amount)


@app.post("/events/{event_id}/book")
def book(event_id: int, who: str):
    return answered(service.book, event_id, who)


@app.post("/coupons/{code}/redeem")
def redeem(code: str):
    return answered(service.redeem, code)


@app.post("/coupons/{code}/redeem-in-place")
def redeem_in_place(code: str):
    return answered(service.redeem_in_place, code)


@app.post("/doctors/{doctor_id}/off")
def go_off_call(doctor_id: int):
    return answered(service.go_off_call, doctor_id)


@app.post("/doctors/{doctor_id}/off-serializable")
def go_off_call_serializable(doctor_id: int):
    return answered(service.go_off_call_serializable, doctor_id)


@app.post("/tickets")
def issue_ticket(holder: str):
    return answered(service.issue_ticket, holder)


@app.post("/seats/{number}")
def take_seat(number: int, holder: str):
    return answered(service.take_seat, number, holder)


@app.put("/documents/{document_id}")
async def edit_document(document_id: int, body: str):
    return answered(service.edit_document, document_id, body)
