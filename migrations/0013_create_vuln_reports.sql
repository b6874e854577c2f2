CREATE TABLE `vuln_report_contents` (
	`uid` text PRIMARY KEY NOT NULL,
	`content` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `vuln_reports` (
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
	`scan_time` integer NOT NULL,
	`scanner` integer NOT NULL,
	`scanner_version` text NOT NULL,
	`db_build_time` integer,
	`image_size` integer NOT NULL,
	`id_count` integer NOT NULL,
	`finding_bytes` integer NOT NULL,
	`counts` text NOT NULL,
	`ids` text NOT NULL,
	`findings` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `vuln_reports_by_digest` ON `vuln_reports` (`digest`,`uid`);--> statement-breakpoint
CREATE INDEX `vuln_reports_by_image` ON `vuln_reports` (`parent`,`digest`,`scan_time`);--> statement-breakpoint
CREATE INDEX `vuln_reports_by_scan` ON `vuln_reports` (`parent`,`scan_time`);