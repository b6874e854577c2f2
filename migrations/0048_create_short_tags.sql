CREATE TABLE `short_tags` (
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`create_time` integer NOT NULL,
	`update_time` integer NOT NULL,
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL,
	`key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL,
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`digest_key` blob GENERATED ALWAYS AS (unhex(substr("digest", 8, 16))) VIRTUAL,
	`deprecated` integer DEFAULT false NOT NULL,
	`deprecated_time` integer DEFAULT 0 NOT NULL,
	`bundles` text DEFAULT '[]' NOT NULL,
	`line` text,
	`line_key` text DEFAULT '' NOT NULL,
	`class` integer GENERATED ALWAYS AS (case
  when "name" glob 'sha256-*' then 1
  when "name" glob '*-20[0-9][0-9][0-9][0-9][0-9][0-9]' then 2
  when "name" glob '*[0-9]' and rtrim("name", '0123456789') glob '*-r' then 3
  else 0 end) VIRTUAL NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_by_path` ON `short_tags` (`class`,`path`);
--> statement-breakpoint
CREATE INDEX `tag_key0_by_created` ON `short_tags` (`key0`,`class`,`create_time`,`step`) WHERE "key0" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key0_by_updated` ON `short_tags` (`key0`,`class`,`update_time`,`step`) WHERE "key0" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key0_by_name` ON `short_tags` (`key0`,`class`,"name" collate nocase,`step`) WHERE "key0" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key1_by_created` ON `short_tags` (`key1`,`class`,`create_time`,`step`) WHERE "key1" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key1_by_updated` ON `short_tags` (`key1`,`class`,`update_time`,`step`) WHERE "key1" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key1_by_name` ON `short_tags` (`key1`,`class`,"name" collate nocase,`step`) WHERE "key1" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key2_by_created` ON `short_tags` (`key2`,`class`,`create_time`,`step`) WHERE "key2" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key2_by_updated` ON `short_tags` (`key2`,`class`,`update_time`,`step`) WHERE "key2" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key2_by_name` ON `short_tags` (`key2`,`class`,"name" collate nocase,`step`) WHERE "key2" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key3_by_created` ON `short_tags` (`key3`,`class`,`create_time`,`step`) WHERE "key3" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key3_by_updated` ON `short_tags` (`key3`,`class`,`update_time`,`step`) WHERE "key3" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key3_by_name` ON `short_tags` (`key3`,`class`,"name" collate nocase,`step`) WHERE "key3" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key4_by_created` ON `short_tags` (`key4`,`class`,`create_time`,`step`) WHERE "key4" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key4_by_updated` ON `short_tags` (`key4`,`class`,`update_time`,`step`) WHERE "key4" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key4_by_name` ON `short_tags` (`key4`,`class`,"name" collate nocase,`step`) WHERE "key4" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key5_by_created` ON `short_tags` (`key5`,`class`,`create_time`,`step`) WHERE "key5" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key5_by_updated` ON `short_tags` (`key5`,`class`,`update_time`,`step`) WHERE "key5" is not null;
--> statement-breakpoint
CREATE INDEX `tag_key5_by_name` ON `short_tags` (`key5`,`class`,"name" collate nocase,`step`) WHERE "key5" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_named` ON `short_tags` (`parent_key`,`name`);
--> statement-breakpoint
CREATE INDEX `tag_with_digest` ON `short_tags` (`digest_key`,`key0`);
--> statement-breakpoint
CREATE INDEX `deprecated_tag_by_path` ON `short_tags` (`class`,`path`) WHERE "deprecated" = 1;
--> statement-breakpoint
CREATE INDEX `deprecated_tag_key0_by_time` ON `short_tags` (`key0`,`class`,`deprecated_time`,`step`) WHERE "key0" is not null and "deprecated" = 1;
--> statement-breakpoint
CREATE INDEX `deprecated_tag_key1_by_time` ON `short_tags` (`key1`,`class`,`deprecated_time`,`step`) WHERE "key1" is not null and "deprecated" = 1;
--> statement-breakpoint
CREATE INDEX `deprecated_tag_key2_by_time` ON `short_tags` (`key2`,`class`,`deprecated_time`,`step`) WHERE "key2" is not null and "deprecated" = 1;
--> statement-breakpoint
CREATE INDEX `deprecated_tag_key3_by_time` ON `short_tags` (`key3`,`class`,`deprecated_time`,`step`) WHERE "key3" is not null and "deprecated" = 1;
--> statement-breakpoint
CREATE INDEX `deprecated_tag_key4_by_time` ON `short_tags` (`key4`,`class`,`deprecated_time`,`step`) WHERE "key4" is not null and "deprecated" = 1;
--> statement-breakpoint
CREATE INDEX `deprecated_tag_key5_by_time` ON `short_tags` (`key5`,`class`,`deprecated_time`,`step`) WHERE "key5" is not null and "deprecated" = 1;
--> statement-breakpoint
CREATE INDEX `tag_in_line` ON `short_tags` (`parent_key`,`line`,`line_key`) WHERE "deprecated" = 0 and "line" <> '';
--> statement-breakpoint
CREATE INDEX `tag_unread` ON `short_tags` (`uid`) WHERE "line" is null;
--> statement-breakpoint
-- Until the next migration, the rows are in tags, and these triggers carry each change over to short_tags. The older rows
-- are copied in between (cli/copies/short_tags.ts). `done` is the rowid of the last one, and `last` that of the last row
-- without these triggers. A row keeps its rowid.
CREATE TABLE short_tags_copy (
	id integer PRIMARY KEY CHECK (id = 1),
	done integer NOT NULL,
	last integer NOT NULL
);
--> statement-breakpoint
INSERT INTO short_tags_copy (id, done, last) SELECT 1, 0, ifnull(max(rowid), 0) FROM tags;
--> statement-breakpoint
CREATE TRIGGER short_tags_copy_insert AFTER INSERT ON tags BEGIN
	INSERT INTO short_tags (rowid, uid, create_time, update_time, name, digest, deprecated, deprecated_time, bundles, line, line_key) VALUES (NEW.rowid, NEW.uid, NEW.create_time, NEW.update_time, NEW.name, NEW.digest, NEW.deprecated, NEW.deprecated_time, NEW.bundles, NEW.line, NEW.line_key);
END;
--> statement-breakpoint
CREATE TRIGGER short_tags_copy_update AFTER UPDATE ON tags BEGIN
	UPDATE short_tags SET uid = NEW.uid, create_time = NEW.create_time, update_time = NEW.update_time, name = NEW.name, digest = NEW.digest, deprecated = NEW.deprecated, deprecated_time = NEW.deprecated_time, bundles = NEW.bundles, line = NEW.line, line_key = NEW.line_key WHERE rowid = NEW.rowid;
END;
--> statement-breakpoint
CREATE TRIGGER short_tags_copy_delete AFTER DELETE ON tags BEGIN
	DELETE FROM short_tags WHERE rowid = OLD.rowid;
END;
