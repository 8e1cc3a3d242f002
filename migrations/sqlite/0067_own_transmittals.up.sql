INSERT INTO schema_support (version, oldest_binary) VALUES (67, '0.1.0');

-- What somebody sent, and what they were sent, wherever it was.
CREATE INDEX transmittals_sender ON transmittals (sent_by, id);
CREATE INDEX transmittal_people_user ON transmittal_people (user_id, transmittal_id);
