-- Creates the table of events, and moves what waits in the outbox there. During a deployment, older Workers
-- still write to the outbox, and a trigger moves every row.

CREATE TABLE `events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`source` text NOT NULL,
	`subject` text NOT NULL,
	`group_uid` text NOT NULL,
	`audience` text NOT NULL,
	`extensions` text NOT NULL,
	`body_type` text NOT NULL,
	`data` text NOT NULL,
	`time` integer NOT NULL,
	`request_id` text DEFAULT '' NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`repo_uid` text DEFAULT '' NOT NULL,
	`tag` text DEFAULT '' NOT NULL,
	`digest` text DEFAULT '' NOT NULL,
	`previous_digest` text DEFAULT '' NOT NULL,
	`pool` text DEFAULT '' NOT NULL,
	`lane` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_by_uid` ON `events` (`uid`);--> statement-breakpoint
CREATE INDEX `events_by_time` ON `events` (`time`);--> statement-breakpoint
CREATE INDEX `events_children` ON `events` (`parent`);--> statement-breakpoint
CREATE INDEX `events_0` ON `events` (`ancestor0`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `events_1` ON `events` (`ancestor1`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `events_2` ON `events` (`ancestor2`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `events_3` ON `events` (`ancestor3`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `events_4` ON `events` (`ancestor4`) WHERE "ancestor4" is not null;--> statement-breakpoint
DROP INDEX `outbox_by_group`;

--> statement-breakpoint
CREATE TRIGGER outbox_move AFTER INSERT ON outbox BEGIN
	INSERT INTO events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time, pool, lane)
		SELECT iif(group_uid = '/', '', group_uid) || '/' || substr(replace(id, '-', ''), -16), id, type, source, subject, group_uid, audience, extensions, body_type, data, time, subject, subject FROM outbox WHERE id = NEW.id;
	DELETE FROM outbox WHERE id = NEW.id;
END;
--> statement-breakpoint
INSERT INTO events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time, pool, lane)
SELECT iif(group_uid = '/', '', group_uid) || '/' || substr(replace(id, '-', ''), -16), id, type, source, subject, group_uid, audience, extensions, body_type, data, time, subject, subject
FROM outbox ORDER BY rowid;
--> statement-breakpoint
DELETE FROM outbox;
