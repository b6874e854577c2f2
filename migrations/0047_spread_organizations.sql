CREATE TABLE `organization_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`table_name` text NOT NULL,
	`row_key` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `organization_changes_of` ON `organization_changes` (`uid`,`table_name`,`row_key`);--> statement-breakpoint
CREATE TABLE `organization_databases` (
	`uid` text PRIMARY KEY NOT NULL,
	`database` text NOT NULL,
	`verified_name` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_databases_verified` ON `organization_databases` (`verified_name`) WHERE "verified_name" is not null;--> statement-breakpoint
CREATE TABLE `organization_moves` (
	`uid` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`database` text NOT NULL,
	`time` integer NOT NULL,
	`progress` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `shared_objects` (
	`upload_id` text PRIMARY KEY NOT NULL,
	`digest` text
);

--> statement-breakpoint
DROP TRIGGER tag_repos_no_delete;
--> statement-breakpoint
DROP TRIGGER tag_names_no_delete;
--> statement-breakpoint
DROP TRIGGER tag_origins_no_delete;
--> statement-breakpoint
DROP TRIGGER tag_records_no_delete;
--> statement-breakpoint
CREATE TRIGGER tag_repos_no_delete BEFORE DELETE ON tag_repos WHEN NOT EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr(OLD.repo_uid, 1, 40) AND state IN ('arriving', 'departed')) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_names_no_delete BEFORE DELETE ON tag_names WHEN NOT EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr((SELECT repo_uid FROM tag_repos WHERE id = OLD.repo_id), 1, 40) AND state IN ('arriving', 'departed')) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_origins_no_delete BEFORE DELETE ON tag_origins WHEN NOT EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr(OLD.repo_uid, 1, 40) AND state IN ('arriving', 'departed')) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_records_no_delete BEFORE DELETE ON tag_records WHEN OLD.digest IS NOT (SELECT digest FROM tag_records
  WHERE tag_id = OLD.tag_id AND update_time < OLD.update_time ORDER BY update_time DESC LIMIT 1) AND NOT EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr((SELECT repo_uid FROM tag_repos WHERE id = OLD.repo_id), 1, 40) AND state IN ('arriving', 'departed')) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
