-- Repairs what calls at the same time have left in the tables: rows without a parent, rows that name what is
-- gone, tags beside their history, advisories beside their records. Where nothing is damaged, nothing is
-- written. `platformctl fsck` finds the same, and what SQL alone cannot see.

-- Rows whose parent is gone, which no call reaches; those of parents before those of their children.
WITH RECURSIVE lost (uid) AS (
	SELECT uid FROM groups AS one WHERE parent <> '' AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
	UNION
	SELECT groups.uid FROM lost JOIN groups ON groups.parent = lost.uid
)
DELETE FROM groups WHERE uid IN (SELECT uid FROM lost);
--> statement-breakpoint
DELETE FROM identities WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM identities) AS one
	WHERE one.parent <> '' AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
-- A trigger keeps a role that is in use.
DELETE FROM role_bindings WHERE role_uid IN (SELECT uid FROM roles WHERE parent <> '' AND NOT EXISTS (SELECT 1 FROM groups WHERE groups.uid = roles.parent));
--> statement-breakpoint
DELETE FROM external_group_role_mappings WHERE role_uid IN (SELECT uid FROM roles WHERE parent <> '' AND NOT EXISTS (SELECT 1 FROM groups WHERE groups.uid = roles.parent));
--> statement-breakpoint
UPDATE identity_providers SET default_role = '' WHERE default_role IN (SELECT uid FROM roles WHERE parent <> '' AND NOT EXISTS (SELECT 1 FROM groups WHERE groups.uid = roles.parent));
--> statement-breakpoint
DELETE FROM roles WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM roles) AS one
	WHERE one.parent <> '' AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM role_bindings WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM role_bindings) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM repos WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM repos) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM advisories WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM advisories) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM identity_providers WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM identity_providers) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM group_invites WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM group_invites) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM subscriptions WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM subscriptions) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM artifacts WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM artifacts) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM vulnerability_metadata WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM vulnerability_metadata) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM advisory_documents WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM advisory_documents) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM terms_acceptances WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM terms_acceptances) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM account_associations WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM account_associations) AS one
	WHERE NOT EXISTS (SELECT 1 FROM groups WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM tags WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM tags) AS one
	WHERE NOT EXISTS (SELECT 1 FROM repos WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM manifests WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM manifests) AS one
	WHERE NOT EXISTS (SELECT 1 FROM repos WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM sboms WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM sboms) AS one
	WHERE NOT EXISTS (SELECT 1 FROM repos WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM vuln_reports WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM vuln_reports) AS one
	WHERE NOT EXISTS (SELECT 1 FROM repos WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM external_group_role_mappings WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM external_group_role_mappings) AS one
	WHERE NOT EXISTS (SELECT 1 FROM identity_providers WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM scim_users WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM scim_users) AS one
	WHERE NOT EXISTS (SELECT 1 FROM identity_providers WHERE uid = one.parent)
);
--> statement-breakpoint
DELETE FROM artifact_versions WHERE parent IN (
	SELECT parent FROM (SELECT DISTINCT parent FROM artifact_versions) AS one
	WHERE NOT EXISTS (SELECT 1 FROM artifacts WHERE uid = one.parent)
);
--> statement-breakpoint
-- Rows that name what is gone. A person, whose uid has no step, may be named without having a row.
DELETE FROM role_bindings WHERE length(identity_uid) > 40 AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = role_bindings.identity_uid);
--> statement-breakpoint
DELETE FROM role_bindings WHERE NOT EXISTS (SELECT 1 FROM roles WHERE roles.uid = role_bindings.role_uid);
--> statement-breakpoint
DELETE FROM external_group_role_mappings WHERE NOT EXISTS (SELECT 1 FROM roles WHERE roles.uid = external_group_role_mappings.role_uid);
--> statement-breakpoint
UPDATE identity_providers SET default_role = '' WHERE default_role <> '' AND NOT EXISTS (SELECT 1 FROM roles WHERE roles.uid = identity_providers.default_role);
--> statement-breakpoint
DELETE FROM identity_metadata WHERE NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = identity_metadata.uid);
--> statement-breakpoint
UPDATE scim_users SET identity_uid = NULL WHERE length(identity_uid) > 40 AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = scim_users.identity_uid);
--> statement-breakpoint
DELETE FROM group_access_requests WHERE NOT EXISTS (SELECT 1 FROM groups WHERE groups.uid = group_access_requests.group_uid);
--> statement-breakpoint
DELETE FROM advisory_events WHERE NOT EXISTS (SELECT 1 FROM advisories WHERE advisories.uid = advisory_events.advisory_uid);
--> statement-breakpoint
DELETE FROM vex_subjects WHERE NOT EXISTS (SELECT 1 FROM advisories WHERE advisories.uid = vex_subjects.uid);
--> statement-breakpoint
DELETE FROM osv_records WHERE NOT EXISTS (SELECT 1 FROM advisories WHERE advisories.uid = osv_records.uid);
--> statement-breakpoint
DELETE FROM vuln_report_contents WHERE NOT EXISTS (SELECT 1 FROM vuln_reports WHERE vuln_reports.uid = vuln_report_contents.uid);
--> statement-breakpoint
-- Records of a tag that repeat the one before them.
DELETE FROM tag_moves WHERE rowid IN (
	SELECT id FROM (
		SELECT rowid AS id, digest, lag(digest) OVER (PARTITION BY repo_uid, tag ORDER BY update_time) AS before
		FROM tag_moves
	)
	WHERE digest = before
);
--> statement-breakpoint
-- Tags whose history ends with another digest: it gets a record of what they point to, later than its last
-- one. First the tag's time, which is the record's.
UPDATE tags SET update_time = max(update_time, ifnull((
	SELECT tag_moves.update_time FROM tag_moves WHERE repo_uid = tags.parent AND tag = tags.name ORDER BY tag_moves.update_time DESC LIMIT 1
) + 1, 0))
WHERE digest <> '' AND digest IS NOT (
	SELECT tag_moves.digest FROM tag_moves WHERE repo_uid = tags.parent AND tag = tags.name ORDER BY tag_moves.update_time DESC LIMIT 1
);
--> statement-breakpoint
INSERT INTO tag_moves (repo_uid, tag, update_time, digest)
SELECT parent, name, update_time, digest FROM tags
WHERE digest <> '' AND digest IS NOT (
	SELECT tag_moves.digest FROM tag_moves WHERE repo_uid = tags.parent AND tag = tags.name ORDER BY tag_moves.update_time DESC LIMIT 1
);
--> statement-breakpoint
-- Advisories that were made from another record than the one kept, as far as the time tells at which it was
-- modified, and those that have none: the next import of the record takes it in again. No record has this digest.
UPDATE advisories SET source_digest = 'unknown' WHERE uid IN (
	SELECT osv_records.uid FROM osv_records CROSS JOIN advisories AS one ON one.uid = osv_records.uid
	WHERE one.source_digest NOT IN ('', 'unknown')
	AND coalesce(one.source_time, iif(one.edit_time IS NULL, one.update_time, NULL)) <>
		unixepoch(substr(record ->> '$.modified', 1, 19)) * 1000 +
		iif(substr(record ->> '$.modified', 20, 1) = '.',
			CAST(substr(rtrim(substr(record ->> '$.modified', 21), 'Z') || '00', 1, 3) AS integer), 0)
	AND NOT EXISTS (SELECT 1 FROM vex_subjects WHERE vex_subjects.uid = one.uid)
);
--> statement-breakpoint
UPDATE advisories SET source_digest = 'unknown' WHERE source_digest NOT IN ('', 'unknown')
AND NOT EXISTS (SELECT 1 FROM osv_records WHERE osv_records.uid = advisories.uid)
AND NOT EXISTS (SELECT 1 FROM vex_subjects WHERE vex_subjects.uid = advisories.uid);
