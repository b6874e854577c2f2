CREATE INDEX `tags_0_by_folded_name` ON `tags` (`ancestor0`,`class`,"name" collate nocase,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_folded_name` ON `tags` (`ancestor1`,`class`,"name" collate nocase,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_folded_name` ON `tags` (`ancestor2`,`class`,"name" collate nocase,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_folded_name` ON `tags` (`ancestor3`,`class`,"name" collate nocase,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_folded_name` ON `tags` (`ancestor4`,`class`,"name" collate nocase,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_folded_name` ON `tags` (`ancestor5`,`class`,"name" collate nocase,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `tags_children_by_folded_name` ON `tags` (`parent`,`class`,"name" collate nocase,`uid`);
