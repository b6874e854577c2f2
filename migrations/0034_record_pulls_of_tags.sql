CREATE TABLE `tag_pulls` (
	`repo_id` integer NOT NULL,
	`reference` text NOT NULL,
	`identity` text NOT NULL,
	`identity_name` text NOT NULL,
	`time` integer NOT NULL,
	`days` integer NOT NULL,
	PRIMARY KEY(`repo_id`, `reference`, `identity`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tag_pulls_latest` ON `tag_pulls` (`repo_id`,`reference`,`time`);--> statement-breakpoint
CREATE INDEX `tag_pulls_by_time` ON `tag_pulls` (`time`);--> statement-breakpoint
ALTER TABLE `tags` ADD `deprecated_time` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tags` ADD `line` text;--> statement-breakpoint
ALTER TABLE `tags` ADD `line_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `tags_deprecated_0_by_time` ON `tags` (`ancestor0`,`class`,`deprecated_time`,`uid`) WHERE "ancestor0" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_1_by_time` ON `tags` (`ancestor1`,`class`,`deprecated_time`,`uid`) WHERE "ancestor1" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_2_by_time` ON `tags` (`ancestor2`,`class`,`deprecated_time`,`uid`) WHERE "ancestor2" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_3_by_time` ON `tags` (`ancestor3`,`class`,`deprecated_time`,`uid`) WHERE "ancestor3" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_4_by_time` ON `tags` (`ancestor4`,`class`,`deprecated_time`,`uid`) WHERE "ancestor4" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_5_by_time` ON `tags` (`ancestor5`,`class`,`deprecated_time`,`uid`) WHERE "ancestor5" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_children_by_time` ON `tags` (`parent`,`class`,`deprecated_time`,`uid`) WHERE "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_by_line` ON `tags` (`parent`,`line`,`line_key`) WHERE "deprecated" = 0 and "line" <> '';--> statement-breakpoint
CREATE INDEX `tags_unread` ON `tags` (`uid`) WHERE "line" is null;
