CREATE INDEX IF NOT EXISTS `tags_by_path` ON `tags` (`class`,`path`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key0_by_created` ON `tags` (`key0`,`class`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key0_by_updated` ON `tags` (`key0`,`class`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key0_by_name` ON `tags` (`key0`,`class`,"name" collate nocase,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key1_by_created` ON `tags` (`key1`,`class`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key1_by_updated` ON `tags` (`key1`,`class`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key1_by_name` ON `tags` (`key1`,`class`,"name" collate nocase,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key2_by_created` ON `tags` (`key2`,`class`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key2_by_updated` ON `tags` (`key2`,`class`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key2_by_name` ON `tags` (`key2`,`class`,"name" collate nocase,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key3_by_created` ON `tags` (`key3`,`class`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key3_by_updated` ON `tags` (`key3`,`class`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key3_by_name` ON `tags` (`key3`,`class`,"name" collate nocase,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key4_by_created` ON `tags` (`key4`,`class`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key4_by_updated` ON `tags` (`key4`,`class`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key4_by_name` ON `tags` (`key4`,`class`,"name" collate nocase,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key5_by_created` ON `tags` (`key5`,`class`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key5_by_updated` ON `tags` (`key5`,`class`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_key5_by_name` ON `tags` (`key5`,`class`,"name" collate nocase,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS `tags_named` ON `tags` (`parent_key`,`name`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_with_digest` ON `tags` (`digest_key`,`key0`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_deprecated_by_path` ON `tags` (`class`,`path`) WHERE "deprecated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_deprecated_key0_by_time` ON `tags` (`key0`,`class`,`deprecated_time`,`step`) WHERE "key0" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_deprecated_key1_by_time` ON `tags` (`key1`,`class`,`deprecated_time`,`step`) WHERE "key1" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_deprecated_key2_by_time` ON `tags` (`key2`,`class`,`deprecated_time`,`step`) WHERE "key2" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_deprecated_key3_by_time` ON `tags` (`key3`,`class`,`deprecated_time`,`step`) WHERE "key3" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_deprecated_key4_by_time` ON `tags` (`key4`,`class`,`deprecated_time`,`step`) WHERE "key4" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_deprecated_key5_by_time` ON `tags` (`key5`,`class`,`deprecated_time`,`step`) WHERE "key5" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tags_in_line` ON `tags` (`parent_key`,`line`,`line_key`) WHERE "deprecated" = 0 and "line" <> '';
