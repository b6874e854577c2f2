-- Repairs the damage that simultaneous calls have left in the tables. Examples are rows without a parent,
-- rows that refer to deleted rows, tags that differ from their history, and advisories that differ from
-- their records. If nothing is damaged, nothing is written. `platformctl fsck` finds the same damage, and
-- damage that SQL alone cannot find.

-- Rows whose parent is deleted, which no call can reach. Parents come before their children.
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
-- Rows that refer to deleted rows. A person, whose uid has only one step, can be referred to without a row.
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
-- Records of a tag that repeat the previous one.
DELETE FROM tag_moves WHERE rowid IN (
	SELECT id FROM (
		SELECT rowid AS id, digest, lag(digest) OVER (PARTITION BY repo_uid, tag ORDER BY update_time) AS before
		FROM tag_moves
	)
	WHERE digest = before
);
--> statement-breakpoint
-- Tags whose history ends with another digest. The history gets a record of the tag's digest, later than
-- its last one. The time of the tag comes first, because the record takes it over.
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
-- Advisories that come from another record than the stored one, judged by its modification time, and
-- advisories without a record. No record has this digest, so the next import of the record writes it again.
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
