-- Creates the tables of the registry's contents. Four of them have no rowid, because their keys are their rows.

CREATE TABLE `blob_links` (
	`repo_id` integer NOT NULL,
	`kind` integer NOT NULL,
	`blob_id` integer NOT NULL,
	`idle_time` integer,
	PRIMARY KEY(`repo_id`, `kind`, `blob_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `blob_links_idle` ON `blob_links` (`idle_time`) WHERE idle_time is not null;--> statement-breakpoint
CREATE TABLE `blobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`digest` blob NOT NULL,
	`size` integer,
	`content` text,
	`object` text,
	`organizations` integer DEFAULT 0 NOT NULL,
	`idle_time` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blobs_digest_unique` ON `blobs` (`digest`);--> statement-breakpoint
CREATE INDEX `blobs_idle` ON `blobs` (`idle_time`) WHERE idle_time is not null;--> statement-breakpoint
CREATE TABLE `manifest_references` (
	`manifest_id` integer NOT NULL,
	`blob_id` integer NOT NULL,
	PRIMARY KEY(`manifest_id`, `blob_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `manifest_references_by_blob` ON `manifest_references` (`blob_id`,`manifest_id`);--> statement-breakpoint
CREATE TABLE `organization_blobs` (
	`organization_id` integer NOT NULL,
	`blob_id` integer NOT NULL,
	`repos` integer NOT NULL,
	`repo_sum` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `blob_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `referrers` (
	`repo_id` integer NOT NULL,
	`manifest_id` integer NOT NULL,
	`subject` blob NOT NULL,
	`media_type` text NOT NULL,
	`artifact_type` text NOT NULL,
	`annotations` text,
	PRIMARY KEY(`repo_id`, `manifest_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `referrers_by_subject` ON `referrers` (`repo_id`,`subject`,`manifest_id`);--> statement-breakpoint
CREATE TABLE `organization_storage` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`shared_bytes` integer DEFAULT 0 NOT NULL,
	`byte_limit` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_storage_uid_unique` ON `organization_storage` (`uid`);--> statement-breakpoint
CREATE TABLE `repo_storage` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`organization_id` integer NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`shared_bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `repo_storage_uid_unique` ON `repo_storage` (`uid`);--> statement-breakpoint
CREATE INDEX `repo_storage_by_bytes` ON `repo_storage` (`ancestor0`,`bytes`,`uid`);--> statement-breakpoint
CREATE TABLE `object_deletions` (
	`upload_id` text PRIMARY KEY NOT NULL,
	`multipart` text,
	`kept_object` text
);
--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`repo_id` integer NOT NULL,
	`identity_uid` text NOT NULL,
	`size` integer DEFAULT 0 NOT NULL,
	`chunks` integer DEFAULT 0 NOT NULL,
	`multipart` text,
	`parts` text DEFAULT '[]' NOT NULL,
	`hash` text,
	`kept_object` text,
	`update_time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_by_repo` ON `uploads` (`repo_id`);--> statement-breakpoint
CREATE INDEX `uploads_by_time` ON `uploads` (`update_time`);--> statement-breakpoint
ALTER TABLE `manifests` ADD `signatures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `manifests` ADD `os` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `manifests` ADD `image_time` integer;--> statement-breakpoint
CREATE INDEX `manifests_children_by_created` ON `manifests` (`parent`,`create_time`,`uid`);

--> statement-breakpoint
CREATE TRIGGER blob_links_count_insert AFTER INSERT ON blob_links WHEN NOT EXISTS (SELECT 1 FROM blob_links
		WHERE repo_id = NEW.repo_id AND kind = 1 - NEW.kind AND blob_id = NEW.blob_id) BEGIN
	UPDATE repo_storage SET bytes = bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0) WHERE id = NEW.repo_id;
	INSERT INTO organization_blobs (organization_id, blob_id, repos, repo_sum)
		VALUES ((SELECT organization_id FROM repo_storage WHERE id = NEW.repo_id), NEW.blob_id, 1, NEW.repo_id)
		ON CONFLICT DO UPDATE SET repos = repos + 1, repo_sum = repo_sum + NEW.repo_id;
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_count_delete AFTER DELETE ON blob_links WHEN NOT EXISTS (SELECT 1 FROM blob_links
		WHERE repo_id = OLD.repo_id AND kind = 1 - OLD.kind AND blob_id = OLD.blob_id) BEGIN
	UPDATE repo_storage SET bytes = bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0) WHERE id = OLD.repo_id;
	DELETE FROM organization_blobs WHERE organization_id = (SELECT organization_id FROM repo_storage WHERE id = OLD.repo_id) AND blob_id = OLD.blob_id AND repos = 1;
	UPDATE organization_blobs SET repos = repos - 1, repo_sum = repo_sum - OLD.repo_id
		WHERE organization_id = (SELECT organization_id FROM repo_storage WHERE id = OLD.repo_id) AND blob_id = OLD.blob_id;
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_use_insert AFTER INSERT ON blob_links WHEN NEW.kind = 1 BEGIN
	UPDATE blob_links SET idle_time = NULL WHERE idle_time IS NOT NULL AND repo_id = NEW.repo_id AND kind = 0 AND blob_id IN
		(SELECT blob_id FROM manifest_references WHERE manifest_id = NEW.blob_id);
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_use_delete AFTER DELETE ON blob_links WHEN OLD.kind = 1 BEGIN
	UPDATE blob_links SET idle_time = cast(unixepoch('subsec') * 1000 as integer) WHERE repo_id = OLD.repo_id AND kind = 0 AND blob_id IN
		(SELECT blob_id FROM manifest_references WHERE manifest_id = OLD.blob_id);
	DELETE FROM referrers WHERE repo_id = OLD.repo_id AND manifest_id = OLD.blob_id;
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_insert AFTER INSERT ON organization_blobs BEGIN
	UPDATE blobs SET organizations = organizations + 1, idle_time = NULL WHERE id = NEW.blob_id;
	UPDATE organization_storage SET bytes = bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0) WHERE id = NEW.organization_id;
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_delete AFTER DELETE ON organization_blobs BEGIN
	UPDATE organization_storage SET bytes = bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0) WHERE id = OLD.organization_id;
	UPDATE blobs SET organizations = organizations - 1,
		idle_time = iif(organizations = 1, cast(unixepoch('subsec') * 1000 as integer), NULL) WHERE id = OLD.blob_id;
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_share AFTER UPDATE ON organization_blobs WHEN NEW.repos > OLD.repos BEGIN
	UPDATE repo_storage SET shared_bytes = shared_bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0)
		WHERE id IN (NEW.repo_sum - OLD.repo_sum, iif(OLD.repos = 1, OLD.repo_sum, NULL));
	UPDATE organization_storage SET shared_bytes = shared_bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0)
		WHERE id = NEW.organization_id AND OLD.repos = 1;
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_unshare AFTER UPDATE ON organization_blobs WHEN NEW.repos < OLD.repos BEGIN
	UPDATE repo_storage SET shared_bytes = shared_bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0)
		WHERE id IN (OLD.repo_sum - NEW.repo_sum, iif(NEW.repos = 1, NEW.repo_sum, NULL));
	UPDATE organization_storage SET shared_bytes = shared_bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0)
		WHERE id = OLD.organization_id AND NEW.repos = 1;
END;
--> statement-breakpoint
CREATE TRIGGER blobs_delete_references AFTER DELETE ON blobs BEGIN
	DELETE FROM manifest_references WHERE manifest_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER manifest_references_delete_unpushed AFTER DELETE ON manifest_references BEGIN
	DELETE FROM blobs WHERE id = OLD.blob_id AND size IS NULL
		AND NOT EXISTS (SELECT 1 FROM manifest_references WHERE blob_id = OLD.blob_id);
END;
--> statement-breakpoint
CREATE TRIGGER manifests_delete_link AFTER DELETE ON manifests BEGIN
	DELETE FROM blob_links WHERE kind = 1
		AND repo_id = (SELECT id FROM repo_storage WHERE uid = OLD.parent)
		AND blob_id = (SELECT id FROM blobs WHERE digest = unhex(substr(OLD.digest, 8)));
END;
--> statement-breakpoint
CREATE TRIGGER repo_storage_delete_links BEFORE DELETE ON repo_storage BEGIN
	DELETE FROM blob_links WHERE repo_id = OLD.id;
	DELETE FROM referrers WHERE repo_id = OLD.id;
	DELETE FROM uploads WHERE repo_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER repo_storage_require_repository BEFORE INSERT ON repo_storage WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER repos_delete_storage AFTER DELETE ON repos BEGIN
	DELETE FROM repo_storage WHERE uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER groups_delete_storage AFTER DELETE ON groups WHEN length(OLD.uid) = 40 BEGIN
	DELETE FROM organization_storage WHERE uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER uploads_delete_objects AFTER DELETE ON uploads WHEN OLD.kept_object IS NULL OR OLD.chunks > 1 OR (OLD.chunks = 1 AND OLD.kept_object LIKE '%/blob') BEGIN
	INSERT INTO object_deletions (upload_id, multipart, kept_object)
		VALUES (OLD.id, OLD.multipart, OLD.kept_object) ON CONFLICT DO NOTHING;
END;
