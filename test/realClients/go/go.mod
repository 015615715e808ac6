module isolens/clients

go 1.22
