CREATE TABLE `tag_names` (
	`id` integer PRIMARY KEY NOT NULL,
	`repo_id` integer NOT NULL,
	`tag` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_names_of_repo` ON `tag_names` (`repo_id`,`tag`);--> statement-breakpoint
CREATE TABLE `tag_origins` (
	`id` integer PRIMARY KEY NOT NULL,
	`repo_uid` text NOT NULL,
	`repo` text NOT NULL,
	`identity` text NOT NULL,
	`identity_name` text NOT NULL,
	`method` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_origins_once` ON `tag_origins` (`repo_uid`,`repo`,`identity`,`identity_name`,`method`);--> statement-breakpoint
CREATE TABLE `tag_records` (
	`tag_id` integer NOT NULL,
	`update_time` integer NOT NULL,
	`organization_id` integer NOT NULL,
	`repo_id` integer NOT NULL,
	`digest` blob NOT NULL,
	`origin_id` integer NOT NULL,
	`flags` integer NOT NULL,
	PRIMARY KEY(`tag_id`, `update_time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tag_records_of_organization` ON `tag_records` (`organization_id`,`update_time`,`tag_id`);--> statement-breakpoint
CREATE INDEX `tag_records_of_repo` ON `tag_records` (`repo_id`,`update_time`,`tag_id`);--> statement-breakpoint
CREATE INDEX `tag_records_warned_of_organization` ON `tag_records` (`organization_id`,`update_time`,`tag_id`) WHERE "flags" > 7;--> statement-breakpoint
CREATE INDEX `tag_records_warned_of_repo` ON `tag_records` (`repo_id`,`update_time`,`tag_id`) WHERE "flags" > 7;--> statement-breakpoint
CREATE TABLE `tag_repos` (
	`id` integer PRIMARY KEY NOT NULL,
	`repo_uid` text NOT NULL,
	`organization_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_repos_repo_uid_unique` ON `tag_repos` (`repo_uid`);
--> statement-breakpoint
-- Until the next migration, tag_moves is the history, and these triggers carry each change over to tag_records. The older
-- records are copied in between (cli/copies/tag_records.ts). `done` is the rowid of the last one, and `last` that of the
-- last record without these triggers.
CREATE TABLE tag_moves_copy (
	id integer PRIMARY KEY CHECK (id = 1),
	done integer NOT NULL,
	last integer NOT NULL
);
--> statement-breakpoint
INSERT INTO tag_moves_copy (id, done, last) SELECT 1, 0, ifnull(max(rowid), 0) FROM tag_moves;
--> statement-breakpoint
CREATE TRIGGER tag_moves_copy_insert AFTER INSERT ON tag_moves BEGIN
	INSERT INTO tag_repos (id, repo_uid, organization_id)
	SELECT next.id, NEW.repo_uid, ifnull((SELECT organization_id FROM tag_repos
		WHERE repo_uid > substr(NEW.repo_uid, 1, 40) || '/' AND repo_uid < substr(NEW.repo_uid, 1, 40) || '0' LIMIT 1), next.id)
	FROM (SELECT ifnull((SELECT id FROM tag_repos ORDER BY id DESC LIMIT 1), 0) + 1 AS id) AS next
	WHERE NOT EXISTS (SELECT 1 FROM tag_repos WHERE tag_repos.repo_uid = NEW.repo_uid);
	INSERT INTO tag_names (repo_id, tag) SELECT tag_repos.id, NEW.tag FROM tag_repos
	WHERE tag_repos.repo_uid = NEW.repo_uid AND NOT EXISTS (SELECT 1 FROM tag_names WHERE repo_id = tag_repos.id AND tag = NEW.tag);
	INSERT INTO tag_origins (repo_uid, repo, identity, identity_name, method) SELECT NEW.repo_uid, ifnull(NEW.repo, ''), ifnull(NEW.identity, ''), ifnull(NEW.identity_name, ''), ifnull(NEW.method, 0)
	WHERE NOT EXISTS (SELECT 1 FROM tag_origins WHERE repo_uid = NEW.repo_uid AND repo = ifnull(NEW.repo, '') AND identity = ifnull(NEW.identity, '') AND identity_name = ifnull(NEW.identity_name, '') AND method = ifnull(NEW.method, 0));
	INSERT INTO tag_records (tag_id, update_time, organization_id, repo_id, digest, origin_id, flags)
	SELECT tag_names.id, m.update_time, tag_repos.organization_id, tag_repos.id,
		iif(length(m.digest) = 71 AND m.digest GLOB 'sha256:*' AND lower(hex(unhex(substr(m.digest, 8)))) = substr(m.digest, 8),
			unhex(substr(m.digest, 8)), m.digest),
		tag_origins.id, m.kind | (m.warnings << 3)
	FROM tag_moves AS m
	CROSS JOIN tag_repos ON tag_repos.repo_uid = m.repo_uid
	CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = m.tag
	CROSS JOIN tag_origins ON tag_origins.repo_uid = m.repo_uid AND tag_origins.repo = m.repo AND tag_origins.identity = m.identity
		AND tag_origins.identity_name = m.identity_name AND tag_origins.method = m.method
	WHERE m.rowid = NEW.rowid;
END;
--> statement-breakpoint
CREATE TRIGGER tag_moves_copy_update AFTER UPDATE OF kind, warnings ON tag_moves BEGIN
	UPDATE tag_records SET flags = NEW.kind | (NEW.warnings << 3)
	WHERE tag_id = (SELECT tag_names.id FROM tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = NEW.tag WHERE tag_repos.repo_uid = NEW.repo_uid) AND update_time = NEW.update_time;
END;
--> statement-breakpoint
CREATE TRIGGER tag_moves_copy_delete AFTER DELETE ON tag_moves BEGIN
	DELETE FROM tag_records WHERE tag_id = (SELECT tag_names.id FROM tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = OLD.tag WHERE tag_repos.repo_uid = OLD.repo_uid) AND update_time = OLD.update_time;
END;
