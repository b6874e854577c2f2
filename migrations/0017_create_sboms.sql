CREATE TABLE `sboms` (
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
	`format` integer NOT NULL,
	`spec_version` text NOT NULL,
	`name` text NOT NULL,
	`package_count` integer NOT NULL,
	`size` integer NOT NULL,
	`content_digest` text NOT NULL,
	`packages_length` integer NOT NULL,
	`packages` text NOT NULL,
	`content` text NOT NULL
);
--> statement-breakpoint
DROP INDEX `manifests_by_digest`;--> statement-breakpoint
CREATE INDEX `manifests_by_digest` ON `manifests` (`digest`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `sboms_siblings` ON `sboms` (`parent`,`digest`);--> statement-breakpoint
ALTER TABLE `manifests` ADD `architecture` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `manifests` ADD `config` text;