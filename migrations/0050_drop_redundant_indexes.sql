DROP INDEX `role_bindings_by_role`;--> statement-breakpoint
DROP INDEX `roles_of_parent_by_name`;--> statement-breakpoint
DROP INDEX `repos_of_parent_by_name`;

--> statement-breakpoint
DROP TRIGGER roles_keep_used;
--> statement-breakpoint
CREATE TRIGGER roles_keep_used BEFORE DELETE ON roles WHEN EXISTS (SELECT 1 FROM external_group_role_mappings WHERE role_uid = OLD.uid) OR (EXISTS (SELECT 1 FROM role_bindings WHERE parent_key = unhex(substr(OLD.uid, 25, 16)) AND role_uid = OLD.uid)
		OR EXISTS (SELECT 1 FROM role_bindings WHERE above0 = unhex(substr(OLD.uid, 25, 10)) AND role_uid = OLD.uid)
		OR EXISTS (SELECT 1 FROM role_bindings WHERE length(OLD.uid) = 40 AND role_uid = OLD.uid)) OR EXISTS (SELECT 1 FROM identity_providers WHERE default_role = OLD.uid AND default_role <> '') BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is in use');
END;
