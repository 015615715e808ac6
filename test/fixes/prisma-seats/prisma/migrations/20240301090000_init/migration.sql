-- CreateTable
CREATE TABLE "Seat" (
    "id" SERIAL NOT NULL,
    "showId" INTEGER NOT NULL,
    "place" INTEGER NOT NULL,
    "guest" INTEGER NOT NULL,

    CONSTRAINT "Seat_pkey" PRIMARY KEY ("id")
);
