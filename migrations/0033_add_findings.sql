CREATE TABLE `finding_ids` (
	`id` text NOT NULL,
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	PRIMARY KEY(`id`, `uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `findings` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`image_uid` text NOT NULL,
	`vulnerability_id` text NOT NULL,
	`aliases` text NOT NULL,
	`severity` integer NOT NULL,
	`fix_state` integer NOT NULL,
	`fix_versions` text NOT NULL,
	`has_fix` integer NOT NULL,
	`package_name` text NOT NULL,
	`package_version` text NOT NULL,
	`purl` text NOT NULL,
	`package_key` text NOT NULL,
	`product_name` text NOT NULL,
	`fix_class` integer GENERATED ALWAYS AS (max("severity", 2) * 2 + "has_fix") VIRTUAL NOT NULL
);
--> statement-breakpoint
CREATE INDEX `findings_children` ON `findings` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `findings_by_severity` ON `findings` (`severity`,`uid`);--> statement-breakpoint
CREATE INDEX `findings_by_fix` ON `findings` (`fix_class`,`uid`);--> statement-breakpoint
CREATE INDEX `findings_by_package` ON `findings` (`package_key`,`uid`);--> statement-breakpoint
CREATE INDEX `findings_by_image` ON `findings` (`image_uid`);--> statement-breakpoint
CREATE TABLE `scanned_images` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`create_time` integer NOT NULL,
	`update_time` integer NOT NULL,
	`digest` text NOT NULL,
	`report_uid` text NOT NULL,
	`scan_time` integer NOT NULL,
	`findings_version` integer DEFAULT 0 NOT NULL,
	`finding_count` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scanned_images_siblings` ON `scanned_images` (`parent`,`digest`);--> statement-breakpoint
CREATE INDEX `scanned_images_by_report` ON `scanned_images` (`report_uid`);--> statement-breakpoint
CREATE INDEX `scanned_images_by_version` ON `scanned_images` (`findings_version`,`uid`);--> statement-breakpoint
CREATE TABLE `index_entries` (
	`repo_uid` text NOT NULL,
	`digest` text NOT NULL,
	`index_uid` text NOT NULL,
	`index_digest` text NOT NULL,
	PRIMARY KEY(`repo_uid`, `digest`, `index_uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `index_entries_of` ON `index_entries` (`index_uid`);--> statement-breakpoint
CREATE TABLE `indexed_sboms` (
	`uid` text PRIMARY KEY NOT NULL,
	`packages_version` integer DEFAULT 0 NOT NULL,
	`package_count` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `indexed_sboms_by_version` ON `indexed_sboms` (`packages_version`,`uid`);--> statement-breakpoint
CREATE TABLE `sbom_packages` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`sbom_uid` text NOT NULL,
	`name` text NOT NULL,
	`namespace` text NOT NULL,
	`version` text NOT NULL,
	`type` text NOT NULL,
	`purl` text NOT NULL,
	`package_key` text NOT NULL,
	`version_order` text NOT NULL,
	`sort_key` text NOT NULL,
	`license` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sbom_packages_children` ON `sbom_packages` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `sbom_packages_by_name` ON `sbom_packages` (`name`,`uid`);--> statement-breakpoint
CREATE INDEX `sbom_packages_by_package` ON `sbom_packages` (`package_key`,`uid`);--> statement-breakpoint
CREATE INDEX `sbom_packages_by_sbom` ON `sbom_packages` (`sbom_uid`);--> statement-breakpoint
CREATE TABLE `advisory_products` (
	`alias` text NOT NULL,
	`product` text NOT NULL,
	`group_uid` text NOT NULL,
	`advisory_uid` text NOT NULL,
	PRIMARY KEY(`alias`, `product`, `group_uid`, `advisory_uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `advisory_products_of` ON `advisory_products` (`advisory_uid`);--> statement-breakpoint
DROP INDEX `vuln_reports_by_scan`;--> statement-breakpoint
CREATE INDEX `vuln_reports_0_by_scan` ON `vuln_reports` (`ancestor0`,`scan_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_1_by_scan` ON `vuln_reports` (`ancestor1`,`scan_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_2_by_scan` ON `vuln_reports` (`ancestor2`,`scan_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_3_by_scan` ON `vuln_reports` (`ancestor3`,`scan_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_4_by_scan` ON `vuln_reports` (`ancestor4`,`scan_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_5_by_scan` ON `vuln_reports` (`ancestor5`,`scan_time`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_children_by_uid` ON `vuln_reports` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `vuln_reports_children_by_scan` ON `vuln_reports` (`parent`,`scan_time`,`uid`);--> statement-breakpoint
CREATE INDEX `sboms_0_by_updated` ON `sboms` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `sboms_1_by_updated` ON `sboms` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `sboms_2_by_updated` ON `sboms` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `sboms_3_by_updated` ON `sboms` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `sboms_4_by_updated` ON `sboms` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `sboms_5_by_updated` ON `sboms` (`ancestor5`,`update_time`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `sboms_children_by_uid` ON `sboms` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `sboms_children_by_updated` ON `sboms` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `sboms_by_digest` ON `sboms` (`digest`,`uid`);

--> statement-breakpoint
CREATE TRIGGER scanned_images_require_parent BEFORE INSERT ON scanned_images WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scanned_images_require_report BEFORE INSERT ON scanned_images WHEN NOT EXISTS (SELECT 1 FROM vuln_reports WHERE uid = NEW.report_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the report is gone');
END;
--> statement-breakpoint
CREATE TRIGGER findings_require_parent BEFORE INSERT ON findings WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER findings_require_image BEFORE INSERT ON findings WHEN NOT EXISTS (SELECT 1 FROM scanned_images WHERE uid = NEW.image_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the image is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_delete_image AFTER DELETE ON vuln_reports BEGIN
	DELETE FROM scanned_images WHERE report_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER scanned_images_delete_findings AFTER DELETE ON scanned_images BEGIN
	DELETE FROM findings WHERE image_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER findings_insert_ids AFTER INSERT ON findings BEGIN
	INSERT OR IGNORE INTO finding_ids (id, uid)
	SELECT upper(NEW.vulnerability_id), NEW.uid
	UNION SELECT upper(value), NEW.uid FROM json_each(NEW.aliases);
END;
--> statement-breakpoint
CREATE TRIGGER findings_update_ids AFTER UPDATE OF aliases ON findings WHEN OLD.aliases <> NEW.aliases BEGIN
	DELETE FROM finding_ids WHERE uid = OLD.uid AND id IN
	(SELECT upper(OLD.vulnerability_id) UNION SELECT upper(value) FROM json_each(OLD.aliases));
	INSERT OR IGNORE INTO finding_ids (id, uid)
	SELECT upper(NEW.vulnerability_id), NEW.uid
	UNION SELECT upper(value), NEW.uid FROM json_each(NEW.aliases);
END;
--> statement-breakpoint
CREATE TRIGGER findings_delete_ids AFTER DELETE ON findings BEGIN
	DELETE FROM finding_ids WHERE uid = OLD.uid AND id IN
	(SELECT upper(OLD.vulnerability_id) UNION SELECT upper(value) FROM json_each(OLD.aliases));
END;
--> statement-breakpoint
CREATE TRIGGER manifests_insert_entries AFTER INSERT ON manifests WHEN NEW.entries <> '[]' BEGIN
	INSERT OR IGNORE INTO index_entries (repo_uid, digest, index_uid, index_digest)
	SELECT NEW.parent, entry.value ->> 'digest', NEW.uid, NEW.digest FROM json_each(NEW.entries) AS entry;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_delete_entries AFTER DELETE ON manifests WHEN OLD.entries <> '[]' BEGIN
	DELETE FROM index_entries WHERE index_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER indexed_sboms_require_sbom BEFORE INSERT ON indexed_sboms WHEN NOT EXISTS (SELECT 1 FROM sboms WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the sbom is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sbom_packages_require_parent BEFORE INSERT ON sbom_packages WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sbom_packages_require_sbom BEFORE INSERT ON sbom_packages WHEN NOT EXISTS (SELECT 1 FROM sboms WHERE uid = NEW.sbom_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the sbom is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sboms_delete_packages AFTER DELETE ON sboms BEGIN
	DELETE FROM indexed_sboms WHERE uid = OLD.uid;
	DELETE FROM sbom_packages WHERE sbom_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER advisories_insert_products AFTER INSERT ON advisories BEGIN
	INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT upper(id.value), NEW.artifact_name, NEW.parent, NEW.uid
	FROM (SELECT value FROM json_each(NEW.aliases) UNION SELECT NEW.advisory_id) AS id WHERE NEW.source <> 'osv';
END;
--> statement-breakpoint
CREATE TRIGGER advisories_update_products AFTER UPDATE OF aliases, artifact_name, advisory_id, source ON advisories WHEN OLD.aliases <> NEW.aliases OR OLD.artifact_name <> NEW.artifact_name OR OLD.advisory_id <> NEW.advisory_id OR OLD.source <> NEW.source BEGIN
	DELETE FROM advisory_products WHERE advisory_uid = OLD.uid;
	INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT upper(id.value), NEW.artifact_name, NEW.parent, NEW.uid
	FROM (SELECT value FROM json_each(NEW.aliases) UNION SELECT NEW.advisory_id) AS id WHERE NEW.source <> 'osv';
END;
--> statement-breakpoint
CREATE TRIGGER advisories_delete_products AFTER DELETE ON advisories BEGIN
	DELETE FROM advisory_products WHERE advisory_uid = OLD.uid;
END;--> statement-breakpoint
INSERT INTO scanned_images (uid, create_time, update_time, digest, report_uid, scan_time)
	SELECT uid, create_time, update_time, digest, uid, scan_time FROM (
		SELECT *, row_number() OVER (PARTITION BY parent, digest ORDER BY scan_time DESC, uid) AS place FROM vuln_reports)
	WHERE place = 1;
--> statement-breakpoint
INSERT INTO indexed_sboms (uid) SELECT uid FROM sboms;
--> statement-breakpoint
INSERT OR IGNORE INTO index_entries (repo_uid, digest, index_uid, index_digest)
	SELECT manifests.parent, entry.value ->> 'digest', manifests.uid, manifests.digest
	FROM manifests, json_each(manifests.entries) AS entry WHERE manifests.entries <> '[]';
--> statement-breakpoint
INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT upper(id.value), artifact_name, advisories.parent, uid FROM advisories, json_each(advisories.aliases) AS id WHERE source <> 'osv'
	UNION SELECT upper(advisory_id), artifact_name, parent, uid FROM advisories WHERE source <> 'osv';
