-- Updates counts and requires parents for the tables of 0007, as 0001 and 0004 do for the first tables. The
-- uid of an account association is that of its group, so the row counts as one step below it.

CREATE TRIGGER identity_providers_count_insert AFTER INSERT ON identity_providers BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'identity_providers',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER identity_providers_count_delete AFTER DELETE ON identity_providers BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'identity_providers',
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
CREATE TRIGGER external_group_role_mappings_count_insert AFTER INSERT ON external_group_role_mappings BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'external_group_role_mappings',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_count_delete AFTER DELETE ON external_group_role_mappings BEGIN
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
CREATE TRIGGER scim_users_count_insert AFTER INSERT ON scim_users BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'scim_users',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_count_delete AFTER DELETE ON scim_users BEGIN
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
CREATE TRIGGER group_invites_count_insert AFTER INSERT ON group_invites BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'group_invites',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER group_invites_count_delete AFTER DELETE ON group_invites BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'group_invites',
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
CREATE TRIGGER subscriptions_count_insert AFTER INSERT ON subscriptions BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'subscriptions',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER subscriptions_count_delete AFTER DELETE ON subscriptions BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'subscriptions',
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
CREATE TRIGGER artifacts_count_insert AFTER INSERT ON artifacts BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'artifacts',
		NEW."ecosystem",
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER artifacts_count_delete AFTER DELETE ON artifacts BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'artifacts',
		OLD."ecosystem",
		iif(length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER artifact_versions_count_insert AFTER INSERT ON artifact_versions BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'artifact_versions',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER artifact_versions_count_delete AFTER DELETE ON artifact_versions BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'artifact_versions',
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
CREATE TRIGGER vulnerability_metadata_count_insert AFTER INSERT ON vulnerability_metadata BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'vulnerability_metadata',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER vulnerability_metadata_count_delete AFTER DELETE ON vulnerability_metadata BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'vulnerability_metadata',
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
CREATE TRIGGER advisory_documents_count_insert AFTER INSERT ON advisory_documents BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'advisory_documents',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER advisory_documents_count_delete AFTER DELETE ON advisory_documents BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'advisory_documents',
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
CREATE TRIGGER account_associations_count_insert AFTER INSERT ON account_associations BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr((NEW."uid" || '/0000000000000000'), 1, 40 + 17 * step.value),
		'account_associations',
		0,
		iif(length((NEW."uid" || '/0000000000000000')) = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length((NEW."uid" || '/0000000000000000')) > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER account_associations_count_delete AFTER DELETE ON account_associations BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr((OLD."uid" || '/0000000000000000'), 1, 40 + 17 * step.value),
		'account_associations',
		0,
		iif(length((OLD."uid" || '/0000000000000000')) = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length((OLD."uid" || '/0000000000000000')) > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER identity_providers_require_parent BEFORE INSERT ON identity_providers WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER group_invites_require_parent BEFORE INSERT ON group_invites WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER subscriptions_require_parent BEFORE INSERT ON subscriptions WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER artifacts_require_parent BEFORE INSERT ON artifacts WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vulnerability_metadata_require_parent BEFORE INSERT ON vulnerability_metadata WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER advisory_documents_require_parent BEFORE INSERT ON advisory_documents WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER terms_acceptances_require_parent BEFORE INSERT ON terms_acceptances WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER account_associations_require_parent BEFORE INSERT ON account_associations WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_require_parent BEFORE INSERT ON external_group_role_mappings WHEN NOT EXISTS (SELECT 1 FROM identity_providers WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_require_parent BEFORE INSERT ON scim_users WHEN NOT EXISTS (SELECT 1 FROM identity_providers WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER artifact_versions_require_parent BEFORE INSERT ON artifact_versions WHEN NOT EXISTS (SELECT 1 FROM artifacts WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
