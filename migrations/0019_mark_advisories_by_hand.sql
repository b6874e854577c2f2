ALTER TABLE `advisories` ADD `source_time` integer;--> statement-breakpoint
ALTER TABLE `advisories` ADD `edit_time` integer;--> statement-breakpoint
ALTER TABLE `advisories` ADD `remove_time` integer;--> statement-breakpoint
ALTER TABLE `advisories` ADD `alias_order` text GENERATED ALWAYS AS (substr(rtrim(substr("aliases", 3), '"]'), 1, 255)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `delete_order` integer GENERATED ALWAYS AS (coalesce("delete_time", 0)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_events` ADD `by_hand` integer DEFAULT false NOT NULL;