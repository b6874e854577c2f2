CREATE TABLE `tag_bursts` (
	`repo_uid` text PRIMARY KEY NOT NULL,
	`start_time` integer NOT NULL,
	`end_time` integer NOT NULL,
	`tags` integer NOT NULL,
	`largest` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `repo` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `identity` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `identity_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `method` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `kind` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `previous_digest` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `warnings` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `uid` text GENERATED ALWAYS AS ("repo_uid" || '/' || "tag") VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `parent` text GENERATED ALWAYS AS ("repo_uid") VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `ancestor0` text GENERATED ALWAYS AS (case when length("repo_uid") > 40 then substr("repo_uid", 1, 40) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `ancestor1` text GENERATED ALWAYS AS (case when length("repo_uid") > 57 then substr("repo_uid", 1, 57) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `ancestor2` text GENERATED ALWAYS AS (case when length("repo_uid") > 74 then substr("repo_uid", 1, 74) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `ancestor3` text GENERATED ALWAYS AS (case when length("repo_uid") > 91 then substr("repo_uid", 1, 91) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `ancestor4` text GENERATED ALWAYS AS (case when length("repo_uid") > 108 then substr("repo_uid", 1, 108) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tag_moves` ADD `ancestor5` text GENERATED ALWAYS AS (case when length("repo_uid") > 125 then substr("repo_uid", 1, 125) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `tag_moves_0` ON `tag_moves` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `tag_moves_0_warned` ON `tag_moves` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null and "warnings" <> 0;--> statement-breakpoint
CREATE INDEX `tag_moves_1` ON `tag_moves` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `tag_moves_1_warned` ON `tag_moves` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null and "warnings" <> 0;--> statement-breakpoint
CREATE INDEX `tag_moves_2` ON `tag_moves` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `tag_moves_2_warned` ON `tag_moves` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null and "warnings" <> 0;--> statement-breakpoint
CREATE INDEX `tag_moves_3` ON `tag_moves` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `tag_moves_3_warned` ON `tag_moves` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null and "warnings" <> 0;--> statement-breakpoint
CREATE INDEX `tag_moves_4` ON `tag_moves` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `tag_moves_4_warned` ON `tag_moves` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null and "warnings" <> 0;--> statement-breakpoint
CREATE INDEX `tag_moves_children` ON `tag_moves` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `tag_moves_children_warned` ON `tag_moves` (`parent`,`update_time`,`uid`) WHERE "warnings" <> 0;

--> statement-breakpoint
DROP TRIGGER tag_moves_no_update;
--> statement-breakpoint
-- Describes the records that exist. In these, the tags of a burst are not known.
UPDATE tag_moves SET
	repo = ifnull((SELECT name FROM repos WHERE repos.uid = tag_moves.repo_uid), ''),
	previous_digest = ifnull(known.previous_digest, ''),
	kind = CASE WHEN known.place = 1 THEN 1 WHEN known.place - known.same_digest <= 100 THEN 3 ELSE 2 END,
	warnings = iif(known.place > 1 AND known.place - known.same_digest <= 100, 2, 0)
		| iif(known.place BETWEEN 2 AND 4 AND (iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag) GLOB '[0-9]*' AND ltrim(iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag), '0123456789') GLOB '.[0-9]*' AND ltrim(substr(ltrim(iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag), '0123456789'), 2), '0123456789') GLOB '.[0-9]*'
			AND (ltrim(substr(ltrim(substr(ltrim(iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag), '0123456789'), 2), '0123456789'), 2), '0123456789') = '' OR ltrim(substr(ltrim(substr(ltrim(iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag), '0123456789'), 2), '0123456789'), 2), '0123456789') GLOB '[-+]?*')), 1, 0)
FROM (
	SELECT id, place, previous_digest,
		lag(place) OVER (PARTITION BY repo_uid, tag, digest ORDER BY place) AS same_digest
	FROM (
		SELECT rowid AS id, repo_uid, tag, digest,
			row_number() OVER (PARTITION BY repo_uid, tag ORDER BY update_time) AS place,
			lag(digest) OVER (PARTITION BY repo_uid, tag ORDER BY update_time) AS previous_digest
		FROM tag_moves
	)
) AS known
WHERE tag_moves.rowid = known.id;
--> statement-breakpoint
CREATE TRIGGER tag_moves_no_update BEFORE UPDATE OF repo_uid, tag, update_time, digest, repo, identity, identity_name, method ON tag_moves BEGIN
	SELECT RAISE(ABORT, 'tag_moves is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_moves_describe AFTER INSERT ON tag_moves BEGIN
	UPDATE tag_moves SET previous_digest = ifnull((SELECT e.digest FROM tag_moves AS e
		WHERE e.repo_uid = tag_moves.repo_uid AND e.tag = tag_moves.tag AND e.update_time < tag_moves.update_time
		ORDER BY e.update_time DESC LIMIT 1), '') WHERE repo_uid = NEW.repo_uid AND tag = NEW.tag AND update_time IN (NEW.update_time,
		(SELECT min(m.update_time) FROM tag_moves AS m WHERE m.repo_uid = NEW.repo_uid AND m.tag = NEW.tag AND m.update_time > NEW.update_time));
	UPDATE tag_moves SET kind = CASE
		WHEN digest = '' THEN 4
		WHEN previous_digest = '' THEN 1
		WHEN digest IN (SELECT e.digest FROM tag_moves AS e
		WHERE e.repo_uid = tag_moves.repo_uid AND e.tag = tag_moves.tag AND e.update_time < tag_moves.update_time
		ORDER BY e.update_time DESC LIMIT 100) THEN 3
		ELSE 2 END
	WHERE repo_uid = NEW.repo_uid AND tag = NEW.tag AND update_time IN (NEW.update_time,
		(SELECT min(m.update_time) FROM tag_moves AS m WHERE m.repo_uid = NEW.repo_uid AND m.tag = NEW.tag AND m.update_time > NEW.update_time));
	UPDATE tag_moves SET warnings = (warnings & 4)
		| iif(kind = 3, 2, 0)
		| iif(kind IN (2, 3) AND (iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag) GLOB '[0-9]*' AND ltrim(iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag), '0123456789') GLOB '.[0-9]*' AND ltrim(substr(ltrim(iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag), '0123456789'), 2), '0123456789') GLOB '.[0-9]*'
			AND (ltrim(substr(ltrim(substr(ltrim(iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag), '0123456789'), 2), '0123456789'), 2), '0123456789') = '' OR ltrim(substr(ltrim(substr(ltrim(iif(tag GLOB 'v[0-9]*', substr(tag, 2), tag), '0123456789'), 2), '0123456789'), 2), '0123456789') GLOB '[-+]?*'))
			AND (SELECT count(*) FROM (SELECT e.kind FROM tag_moves AS e
		WHERE e.repo_uid = tag_moves.repo_uid AND e.tag = tag_moves.tag AND e.update_time < tag_moves.update_time
		ORDER BY e.update_time DESC LIMIT 3) WHERE kind IN (2, 3)) < 3, 1, 0)
	WHERE repo_uid = NEW.repo_uid AND tag = NEW.tag AND update_time IN (NEW.update_time,
		(SELECT min(m.update_time) FROM tag_moves AS m WHERE m.repo_uid = NEW.repo_uid AND m.tag = NEW.tag AND m.update_time > NEW.update_time));
	INSERT INTO tag_bursts (repo_uid, start_time, end_time, tags)
	SELECT NEW.repo_uid, NEW.update_time, NEW.update_time, 1 FROM tag_moves WHERE repo_uid = NEW.repo_uid AND tag = NEW.tag AND update_time = NEW.update_time AND kind IN (2, 3)
	ON CONFLICT (repo_uid) DO UPDATE SET
		largest = iif(excluded.start_time > end_time + 600000, max(largest, tags), largest),
		tags = iif(excluded.start_time > end_time + 600000, 1, tags + 1),
		start_time = iif(excluded.start_time > end_time + 600000, excluded.start_time, start_time),
		end_time = excluded.end_time
	WHERE excluded.start_time > end_time + 600000 OR (excluded.start_time >= end_time AND NOT EXISTS (
		SELECT 1 FROM tag_moves AS m WHERE m.repo_uid = NEW.repo_uid AND m.tag = NEW.tag AND m.update_time < NEW.update_time
			AND m.update_time >= tag_bursts.start_time AND m.kind IN (2, 3)));
	UPDATE tag_moves SET warnings = warnings | 4
	WHERE parent = NEW.repo_uid AND kind IN (2, 3) AND update_time BETWEEN
		(SELECT start_time FROM tag_bursts WHERE repo_uid = NEW.repo_uid AND tags = max(10, 2 * largest + 1) AND end_time = NEW.update_time)
		AND NEW.update_time;
	UPDATE tag_moves SET warnings = warnings | 4
	WHERE repo_uid = NEW.repo_uid AND tag = NEW.tag AND update_time = NEW.update_time AND kind IN (2, 3) AND EXISTS (SELECT 1 FROM tag_bursts WHERE repo_uid = NEW.repo_uid
		AND tags > max(10, 2 * largest + 1) AND NEW.update_time BETWEEN start_time AND end_time);
END;
