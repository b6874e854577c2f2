ALTER TABLE `deletions` ADD `kind` text DEFAULT 'repos' NOT NULL;

--> statement-breakpoint
DROP TRIGGER role_bindings_count_delete;
--> statement-breakpoint
DROP TRIGGER external_group_role_mappings_count_delete;
--> statement-breakpoint
DROP TRIGGER scim_users_count_delete;
--> statement-breakpoint
DROP TRIGGER roles_keep_used;
--> statement-breakpoint
DROP TRIGGER scim_groups_count_delete;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_count_delete AFTER DELETE ON external_group_role_mappings WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'external_group_role_mappings',
		0,
		iif(length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_deleted_update BEFORE UPDATE ON external_group_role_mappings WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_deleted_delete BEFORE DELETE ON external_group_role_mappings WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_count_delete AFTER DELETE ON role_bindings WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'role_bindings',
		0,
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_deleted_update BEFORE UPDATE ON role_bindings WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(IGNORE);
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_deleted_delete BEFORE DELETE ON role_bindings WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(IGNORE);
END;
--> statement-breakpoint
CREATE TRIGGER scim_groups_count_delete AFTER DELETE ON scim_groups WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'scim_groups',
		0,
		iif(length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER scim_groups_deleted_update BEFORE UPDATE ON scim_groups WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_groups_deleted_delete BEFORE DELETE ON scim_groups WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_count_delete AFTER DELETE ON scim_users WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'scim_users',
		0,
		iif(length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_deleted_update BEFORE UPDATE ON scim_users WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_deleted_delete BEFORE DELETE ON scim_users WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER roles_keep_used BEFORE DELETE ON roles WHEN EXISTS (SELECT 1 FROM external_group_role_mappings
		WHERE role_uid = OLD.uid AND parent NOT IN (SELECT uid FROM deletions)) OR (EXISTS (SELECT 1 FROM role_bindings WHERE parent_key = unhex(substr(OLD.uid, 25, 16)) AND role_uid = OLD.uid AND parent NOT IN (SELECT uid FROM deletions))
		OR EXISTS (SELECT 1 FROM role_bindings WHERE above0 = unhex(substr(OLD.uid, 25, 10)) AND role_uid = OLD.uid AND parent NOT IN (SELECT uid FROM deletions))
		OR EXISTS (SELECT 1 FROM role_bindings WHERE length(OLD.uid) = 40 AND role_uid = OLD.uid AND parent NOT IN (SELECT uid FROM deletions))) OR EXISTS (SELECT 1 FROM identity_providers WHERE default_role = OLD.uid AND default_role <> '') BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is in use');
END;
