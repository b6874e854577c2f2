DROP INDEX `tags_0_by_uid`;--> statement-breakpoint
DROP INDEX `tags_1_by_uid`;--> statement-breakpoint
DROP INDEX `tags_2_by_uid`;--> statement-breakpoint
DROP INDEX `tags_3_by_uid`;--> statement-breakpoint
DROP INDEX `tags_4_by_uid`;--> statement-breakpoint
DROP INDEX `tags_5_by_uid`;--> statement-breakpoint
DROP INDEX `tags_children_by_uid`;--> statement-breakpoint
DROP INDEX `tags_children_by_created`;--> statement-breakpoint
DROP INDEX `tags_children_by_updated`;--> statement-breakpoint
DROP INDEX `tags_children_by_name`;--> statement-breakpoint
DROP INDEX `tags_children_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_0_by_created`;--> statement-breakpoint
DROP INDEX `tags_0_by_updated`;--> statement-breakpoint
DROP INDEX `tags_0_by_name`;--> statement-breakpoint
DROP INDEX `tags_0_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_1_by_created`;--> statement-breakpoint
DROP INDEX `tags_1_by_updated`;--> statement-breakpoint
DROP INDEX `tags_1_by_name`;--> statement-breakpoint
DROP INDEX `tags_1_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_2_by_created`;--> statement-breakpoint
DROP INDEX `tags_2_by_updated`;--> statement-breakpoint
DROP INDEX `tags_2_by_name`;--> statement-breakpoint
DROP INDEX `tags_2_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_3_by_created`;--> statement-breakpoint
DROP INDEX `tags_3_by_updated`;--> statement-breakpoint
DROP INDEX `tags_3_by_name`;--> statement-breakpoint
DROP INDEX `tags_3_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_4_by_created`;--> statement-breakpoint
DROP INDEX `tags_4_by_updated`;--> statement-breakpoint
DROP INDEX `tags_4_by_name`;--> statement-breakpoint
DROP INDEX `tags_4_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_5_by_created`;--> statement-breakpoint
DROP INDEX `tags_5_by_updated`;--> statement-breakpoint
DROP INDEX `tags_5_by_name`;--> statement-breakpoint
DROP INDEX `tags_5_by_folded_name`;--> statement-breakpoint
ALTER TABLE `tags` ADD `step` blob GENERATED ALWAYS AS (unhex(substr("uid", -16))) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 16)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 16)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 16)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 16)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 16)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 16)) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `tags_by_uid` ON `tags` (`class`,`uid`);--> statement-breakpoint
CREATE INDEX `tags_0_by_created` ON `tags` (`key0`,`class`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tags_0_by_updated` ON `tags` (`key0`,`class`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tags_0_by_name` ON `tags` (`key0`,`class`,`name`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tags_0_by_folded_name` ON `tags` (`key0`,`class`,"name" collate nocase,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_created` ON `tags` (`key1`,`class`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_updated` ON `tags` (`key1`,`class`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_name` ON `tags` (`key1`,`class`,`name`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_folded_name` ON `tags` (`key1`,`class`,"name" collate nocase,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_created` ON `tags` (`key2`,`class`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_updated` ON `tags` (`key2`,`class`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_name` ON `tags` (`key2`,`class`,`name`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_folded_name` ON `tags` (`key2`,`class`,"name" collate nocase,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_created` ON `tags` (`key3`,`class`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_updated` ON `tags` (`key3`,`class`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_name` ON `tags` (`key3`,`class`,`name`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_folded_name` ON `tags` (`key3`,`class`,"name" collate nocase,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_created` ON `tags` (`key4`,`class`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_updated` ON `tags` (`key4`,`class`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_name` ON `tags` (`key4`,`class`,`name`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_folded_name` ON `tags` (`key4`,`class`,"name" collate nocase,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_created` ON `tags` (`key5`,`class`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_updated` ON `tags` (`key5`,`class`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_name` ON `tags` (`key5`,`class`,`name`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_folded_name` ON `tags` (`key5`,`class`,"name" collate nocase,`step`) WHERE "key5" is not null;
