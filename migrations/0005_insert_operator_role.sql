-- The operator's own role: internal (2) and repo.internal.admin (1617). Only a caller who has it can bind
-- it.
INSERT INTO roles (uid, name, description, capabilities, create_time, update_time) VALUES
	('0d0fcd23ba11ba9ae9af494459be5c9872701241', 'operator', 'Runs the platform: verifies organizations and edits what only the operator may.', '[2,1617]', 1795132800000, 1795132800000);
