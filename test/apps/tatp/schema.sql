-- Telecom subscribers as TATP has them, with the columns that its seven transactions use.
CREATE TABLE subscriber (
  s_id         integer PRIMARY KEY,
  sub_nbr      text    NOT NULL UNIQUE,
  bit_1        integer NOT NULL,
  msc_location integer NOT NULL,
  vlr_location integer NOT NULL
);

CREATE TABLE access_info (
  s_id    integer NOT NULL REFERENCES subscriber (s_id),
  ai_type integer NOT NULL,
  data1   integer NOT NULL,
  data2   integer NOT NULL,
  PRIMARY KEY (s_id, ai_type)
);

CREATE TABLE special_facility (
  s_id      integer NOT NULL REFERENCES subscriber (s_id),
  sf_type   integer NOT NULL,
  is_active integer NOT NULL,
  data_a    integer NOT NULL,
  PRIMARY KEY (s_id, sf_type)
);

CREATE TABLE call_forwarding (
  s_id       integer NOT NULL,
  sf_type    integer NOT NULL,
  start_time integer NOT NULL,
  end_time   integer NOT NULL,
  numberx    text    NOT NULL,
  PRIMARY KEY (s_id, sf_type, start_time),
  FOREIGN KEY (s_id, sf_type) REFERENCES special_facility (s_id, sf_type)
);
