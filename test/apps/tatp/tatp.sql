-- The seven transactions of TATP: short, on one subscriber each.

-- @transaction GetSubscriberData
BEGIN;
SELECT s_id, sub_nbr, bit_1, msc_location, vlr_location FROM subscriber WHERE s_id = :s_id;
COMMIT;

-- @transaction GetNewDestination
BEGIN;
SELECT cf.numberx
  FROM special_facility AS sf JOIN call_forwarding AS cf
    ON cf.s_id = sf.s_id AND cf.sf_type = sf.sf_type
  WHERE sf.s_id = :s_id AND sf.sf_type = :sf_type AND sf.is_active = 1
    AND cf.start_time <= :start_time AND :end_time < cf.end_time;
COMMIT;

-- @transaction GetAccessData
BEGIN;
SELECT data1, data2 FROM access_info WHERE s_id = :s_id AND ai_type = :ai_type;
COMMIT;

-- @transaction UpdateSubscriberData
BEGIN;
UPDATE subscriber SET bit_1 = :bit_1 WHERE s_id = :s_id;
UPDATE special_facility SET data_a = :data_a WHERE s_id = :s_id AND sf_type = :sf_type;
COMMIT;

-- @transaction UpdateLocation
BEGIN;
UPDATE subscriber SET vlr_location = :location WHERE sub_nbr = :sub_nbr;
COMMIT;

-- @transaction InsertCallForwarding
BEGIN;
SELECT s_id FROM subscriber WHERE sub_nbr = :sub_nbr \gset
SELECT sf_type FROM special_facility WHERE s_id = :s_id;
INSERT INTO call_forwarding (s_id, sf_type, start_time, end_time, numberx)
  VALUES (:s_id, :sf_type, :start_time, :end_time, :numberx);
COMMIT;

-- @transaction DeleteCallForwarding
BEGIN;
SELECT s_id FROM subscriber WHERE sub_nbr = :sub_nbr \gset
DELETE FROM call_forwarding
  WHERE s_id = :s_id AND sf_type = :sf_type AND start_time = :start_time;
COMMIT;
