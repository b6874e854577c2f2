-- Refuses writes that another call has made impossible in between. Each trigger aborts the whole batch, so
-- no part of a stale change remains. src/outbox/commit.ts reads "stale write" and runs the call again.

CREATE TRIGGER write_guards_refuse BEFORE INSERT ON write_guards BEGIN
	SELECT RAISE(ABORT, 'stale write');
END;
--> statement-breakpoint
-- A person (a uid of 40 characters) can be bound before their first login, so only identities of groups
-- must exist.
CREATE TRIGGER role_bindings_require_identity BEFORE INSERT ON role_bindings WHEN length(NEW.identity_uid) > 40 AND NOT EXISTS (SELECT 1 FROM identities WHERE uid = NEW.identity_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_keep_identity BEFORE UPDATE OF identity_uid ON role_bindings WHEN NEW.identity_uid <> OLD.identity_uid AND length(NEW.identity_uid) > 40 AND NOT EXISTS (SELECT 1 FROM identities WHERE uid = NEW.identity_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_require_role BEFORE INSERT ON role_bindings WHEN NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.role_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_keep_role BEFORE UPDATE OF role_uid ON role_bindings WHEN NEW.role_uid <> OLD.role_uid AND NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.role_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_require_role BEFORE INSERT ON external_group_role_mappings WHEN NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.role_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_keep_role BEFORE UPDATE OF role_uid ON external_group_role_mappings WHEN NEW.role_uid <> OLD.role_uid AND NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.role_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER identity_providers_require_role BEFORE INSERT ON identity_providers WHEN NEW.default_role <> '' AND NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.default_role) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER identity_providers_keep_role BEFORE UPDATE OF default_role ON identity_providers WHEN NEW.default_role <> OLD.default_role AND NEW.default_role <> '' AND NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.default_role) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER roles_keep_used BEFORE DELETE ON roles WHEN EXISTS (SELECT 1 FROM role_bindings WHERE role_uid = OLD.uid) OR EXISTS (SELECT 1 FROM external_group_role_mappings WHERE role_uid = OLD.uid) OR EXISTS (SELECT 1 FROM identity_providers WHERE default_role = OLD.uid AND default_role <> '') BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is in use');
END;
--> statement-breakpoint
CREATE TRIGGER identity_metadata_require_identity BEFORE INSERT ON identity_metadata WHEN NOT EXISTS (SELECT 1 FROM identities WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity is gone');
END;
--> statement-breakpoint
CREATE TRIGGER group_access_requests_require_group BEFORE INSERT ON group_access_requests WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = NEW.group_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the group is gone');
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_require_advisory BEFORE INSERT ON advisory_events WHEN NOT EXISTS (SELECT 1 FROM advisories WHERE uid = NEW.advisory_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the advisory is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vex_subjects_require_advisory BEFORE INSERT ON vex_subjects WHEN NOT EXISTS (SELECT 1 FROM advisories WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the advisory is gone');
END;
--> statement-breakpoint
CREATE TRIGGER osv_records_require_advisory BEFORE INSERT ON osv_records WHEN NOT EXISTS (SELECT 1 FROM advisories WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the advisory is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_report_contents_require_report BEFORE INSERT ON vuln_report_contents WHEN NOT EXISTS (SELECT 1 FROM vuln_reports WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the report is gone');
END;
--> statement-breakpoint
-- History does not change: only a record that repeats the digest of the previous one can be deleted.
DROP TRIGGER tag_moves_no_delete;
--> statement-breakpoint
CREATE TRIGGER tag_moves_no_delete BEFORE DELETE ON tag_moves WHEN OLD.digest IS NOT (SELECT digest FROM tag_moves WHERE repo_uid = OLD.repo_uid AND tag = OLD.tag AND update_time < OLD.update_time ORDER BY update_time DESC LIMIT 1) BEGIN
	SELECT RAISE(ABORT, 'tag_moves is append-only');
END;
