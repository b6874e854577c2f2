DROP TRIGGER uploads_delete_objects;
--> statement-breakpoint
DROP TABLE `uploads`;
--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`repo_id` integer NOT NULL,
	`organization_id` integer NOT NULL,
	`identity_uid` text NOT NULL,
	`size` integer DEFAULT 0 NOT NULL,
	`chunks` integer DEFAULT 0 NOT NULL,
	`hash` text,
	`direct_key` text,
	`create_time` integer NOT NULL,
	`update_time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_by_repo` ON `uploads` (`repo_id`);
--> statement-breakpoint
CREATE INDEX `uploads_by_organization` ON `uploads` (`organization_id`,`update_time`);
--> statement-breakpoint
CREATE INDEX `uploads_by_time` ON `uploads` (`update_time`);
--> statement-breakpoint
CREATE INDEX `uploads_by_creation` ON `uploads` (`create_time`);
--> statement-breakpoint
CREATE TABLE `object_sweep` (
	`id` integer PRIMARY KEY NOT NULL,
	`after_key` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `objects` (
	`key` text PRIMARY KEY NOT NULL,
	`organization_id` integer,
	`upload_id` text,
	`blob_id` integer,
	`first_byte` integer DEFAULT 0 NOT NULL,
	`size` integer NOT NULL,
	`multipart` text,
	`etag` text,
	`idle_time` integer
);
--> statement-breakpoint
CREATE INDEX `objects_by_upload` ON `objects` (`upload_id`) WHERE upload_id is not null;
--> statement-breakpoint
CREATE INDEX `objects_by_blob` ON `objects` (`blob_id`,`first_byte`) WHERE blob_id is not null;
--> statement-breakpoint
CREATE INDEX `objects_idle` ON `objects` (`idle_time`) WHERE idle_time is not null;
--> statement-breakpoint
DROP TABLE `object_deletions`;
--> statement-breakpoint
DROP TABLE `shared_objects`;
--> statement-breakpoint
ALTER TABLE `blobs` ADD `fault` text;
--> statement-breakpoint
ALTER TABLE `blobs` ADD `fault_time` integer;
--> statement-breakpoint
CREATE INDEX `blobs_damaged` ON `blobs` (`fault_time`) WHERE fault is not null;
--> statement-breakpoint
ALTER TABLE `blobs` DROP COLUMN `object`;
--> statement-breakpoint
ALTER TABLE `organization_storage` ADD `reserved_bytes` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
DROP TRIGGER organization_blobs_count_insert;
--> statement-breakpoint
DROP TRIGGER organization_blobs_count_delete;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_insert AFTER INSERT ON organization_blobs BEGIN
	UPDATE blobs SET organizations = organizations + 1, idle_time = NULL WHERE id = NEW.blob_id;
	UPDATE organization_storage SET bytes = bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0) WHERE id = NEW.organization_id;
	UPDATE objects SET organization_id = NULL WHERE blob_id = NEW.blob_id AND organization_id IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_delete AFTER DELETE ON organization_blobs BEGIN
	UPDATE organization_storage SET bytes = bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0) WHERE id = OLD.organization_id;
	UPDATE blobs SET organizations = organizations - 1,
		idle_time = iif(organizations = 1, cast(unixepoch('subsec') * 1000 as integer), NULL) WHERE id = OLD.blob_id;
	UPDATE objects SET organization_id = OLD.organization_id WHERE blob_id = OLD.blob_id
		AND EXISTS (SELECT 1 FROM blobs WHERE id = OLD.blob_id AND organizations = 0);
END;
--> statement-breakpoint
CREATE TRIGGER objects_count_insert AFTER INSERT ON objects WHEN NEW.organization_id IS NOT NULL BEGIN
	UPDATE organization_storage SET reserved_bytes = reserved_bytes + NEW.size WHERE id = NEW.organization_id;
END;
--> statement-breakpoint
CREATE TRIGGER objects_count_update AFTER UPDATE OF organization_id, size ON objects WHEN OLD.organization_id IS NOT NEW.organization_id OR OLD.size <> NEW.size BEGIN
	UPDATE organization_storage SET reserved_bytes = reserved_bytes - OLD.size WHERE id = OLD.organization_id;
	UPDATE organization_storage SET reserved_bytes = reserved_bytes + NEW.size WHERE id = NEW.organization_id;
END;
--> statement-breakpoint
CREATE TRIGGER objects_count_delete AFTER DELETE ON objects WHEN OLD.organization_id IS NOT NULL BEGIN
	UPDATE organization_storage SET reserved_bytes = reserved_bytes - OLD.size WHERE id = OLD.organization_id;
END;
--> statement-breakpoint
CREATE TRIGGER uploads_release_objects AFTER DELETE ON uploads BEGIN
	UPDATE objects SET upload_id = NULL, idle_time = cast(unixepoch('subsec') * 1000 as integer) WHERE upload_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER blobs_release_objects AFTER DELETE ON blobs BEGIN
	UPDATE objects SET blob_id = NULL, idle_time = cast(unixepoch('subsec') * 1000 as integer) WHERE blob_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER blobs_release_bytes AFTER UPDATE OF size ON blobs WHEN NEW.size IS NULL AND OLD.size IS NOT NULL BEGIN
	UPDATE objects SET blob_id = NULL, idle_time = cast(unixepoch('subsec') * 1000 as integer) WHERE blob_id = OLD.id;
END;
