-- Creates the deliveries of events, and gives subscriptions filters, secrets and a state. Events from before this
-- migration are not sent.

CREATE TABLE `deliveries` (
	`uid` text PRIMARY KEY NOT NULL,
	`subscription_uid` text NOT NULL,
	`event_seq` integer NOT NULL,
	`pool` text NOT NULL,
	`lane` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`due_time` integer,
	`lease` text DEFAULT '' NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`attempts` text DEFAULT '[]' NOT NULL,
	`create_time` integer NOT NULL,
	`end_time` integer
);
--> statement-breakpoint
CREATE INDEX `deliveries_by_event` ON `deliveries` (`event_seq`);--> statement-breakpoint
CREATE INDEX `deliveries_of_subscription` ON `deliveries` (`subscription_uid`,`event_seq`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`subscription_uid`,`due_time`) WHERE due_time is not null;--> statement-breakpoint
CREATE INDEX `deliveries_pending` ON `deliveries` (`subscription_uid`,`pool`,`lane`,`event_seq`) WHERE end_time is null;--> statement-breakpoint
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
ALTER TABLE `subscriptions` ADD `failing_since` integer;
--> statement-breakpoint
INSERT INTO `delivery_cursor` (`id`, `event_seq`) SELECT 1, coalesce(max(`seq`), 0) FROM `events`;
