CREATE TABLE `deletions` (
	`uid` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`storage_id` integer,
	`organization_id` integer,
	`time` integer NOT NULL,
	`identity_uid` text NOT NULL,
	`identity_name` text NOT NULL,
	`is_removing` integer DEFAULT false NOT NULL,
	`turn` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deletions_by_turn` ON `deletions` (`turn`);--> statement-breakpoint
CREATE UNIQUE INDEX `deletions_storage` ON `deletions` (`storage_id`);

--> statement-breakpoint
DROP TRIGGER manifests_count_delete;
--> statement-breakpoint
DROP TRIGGER vuln_reports_count_delete;
--> statement-breakpoint
DROP TRIGGER sboms_count_delete;
--> statement-breakpoint
DROP TRIGGER blob_links_count_delete;
--> statement-breakpoint
DROP TRIGGER repo_storage_delete_links;
--> statement-breakpoint
DROP TRIGGER tags_count_delete;
--> statement-breakpoint
CREATE TRIGGER blob_links_count_delete AFTER DELETE ON blob_links WHEN NOT EXISTS (SELECT 1 FROM blob_links
		WHERE repo_id = OLD.repo_id AND kind = 1 - OLD.kind AND blob_id = OLD.blob_id) BEGIN
	UPDATE repo_storage SET bytes = bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0) WHERE id = OLD.repo_id;
	DELETE FROM organization_blobs WHERE organization_id = ifnull((SELECT organization_id FROM repo_storage WHERE id = OLD.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = OLD.repo_id)) AND blob_id = OLD.blob_id AND repos = 1;
	UPDATE organization_blobs SET repos = repos - 1, repo_sum = repo_sum - OLD.repo_id
		WHERE organization_id = ifnull((SELECT organization_id FROM repo_storage WHERE id = OLD.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = OLD.repo_id)) AND blob_id = OLD.blob_id;
END;
--> statement-breakpoint
CREATE TRIGGER repo_storage_delete_links BEFORE DELETE ON repo_storage WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.uid) BEGIN
	DELETE FROM blob_links WHERE repo_id = OLD.id;
	DELETE FROM referrers WHERE repo_id = OLD.id;
	DELETE FROM uploads WHERE repo_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_count_delete AFTER DELETE ON manifests WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'manifests',
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
CREATE TRIGGER manifests_deleted_update BEFORE UPDATE ON manifests WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER manifests_deleted_delete BEFORE DELETE ON manifests WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sboms_count_delete AFTER DELETE ON sboms WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'sboms',
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
CREATE TRIGGER sboms_deleted_update BEFORE UPDATE ON sboms WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sboms_deleted_delete BEFORE DELETE ON sboms WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER tags_count_delete AFTER DELETE ON tags WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'tags',
		OLD."class",
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER tags_deleted_update BEFORE UPDATE ON tags WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER tags_deleted_delete BEFORE DELETE ON tags WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_count_delete AFTER DELETE ON vuln_reports WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'vuln_reports',
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
CREATE TRIGGER vuln_reports_deleted_update BEFORE UPDATE ON vuln_reports WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_deleted_delete BEFORE DELETE ON vuln_reports WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
