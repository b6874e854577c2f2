-- Creates the deliveries of events, and gives subscriptions filters, secrets and a state. Events from before this
-- migration are not sent.

CREATE TABLE `deliveries` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`create_time` integer NOT NULL,
	`event_seq` integer NOT NULL,
	`pool` text NOT NULL,
	`lane` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`due_time` integer,
	`lease` text DEFAULT '' NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`attempts` text DEFAULT '[]' NOT NULL,
	`end_time` integer
);
--> statement-breakpoint
CREATE INDEX `deliveries_by_event` ON `deliveries` (`event_seq`);--> statement-breakpoint
CREATE INDEX `deliveries_children_by_created` ON `deliveries` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`parent`,`due_time`) WHERE due_time is not null;--> statement-breakpoint
CREATE INDEX `deliveries_pending` ON `deliveries` (`parent`,`pool`,`lane`,`event_seq`) WHERE end_time is null;--> statement-breakpoint
CREATE TABLE `delivery_cursor` (
	`id` integer PRIMARY KEY NOT NULL,
	`event_seq` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `events` ADD `recipient_uid` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `event_types` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `repo_uids` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `tag_pattern` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `secret` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `previous_secret` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `previous_secret_expire_time` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `disable_time` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `disable_reason` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `failing_since` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `pause_end_time` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
INSERT INTO `delivery_cursor` (`id`, `event_seq`) SELECT 1, coalesce(max(`seq`), 0) FROM `events`;
