-- The records of tag_moves must be in tag_records by now. `npm run deploy` and `npm start` copy them.
CREATE TABLE tag_moves_copied (
	missing integer,
	CONSTRAINT "the records of tag_moves have not all been copied; npm run deploy copies them" CHECK (missing <= 0)
);
--> statement-breakpoint
INSERT INTO tag_moves_copied (missing) SELECT last - done FROM tag_moves_copy;
--> statement-breakpoint
DROP TABLE tag_moves_copied;
--> statement-breakpoint
DROP TABLE tag_moves_copy;
--> statement-breakpoint
DROP TABLE `tag_moves`;
--> statement-breakpoint
CREATE VIEW tag_moves AS SELECT
	tag_repos.repo_uid AS repo_uid,
	tag_names.tag AS tag,
	tag_records.update_time AS update_time,
	iif(typeof(tag_records.digest) = 'blob', 'sha256:' || lower(hex(tag_records.digest)), tag_records.digest) AS digest,
	(SELECT repo FROM tag_origins WHERE id = tag_records.origin_id) AS repo,
	(SELECT identity FROM tag_origins WHERE id = tag_records.origin_id) AS identity,
	(SELECT identity_name FROM tag_origins WHERE id = tag_records.origin_id) AS identity_name,
	(SELECT method FROM tag_origins WHERE id = tag_records.origin_id) AS method,
	(tag_records.flags & 7) AS kind,
	iif((tag_records.flags & 7) = 1, '', ifnull((SELECT iif(typeof(earlier.digest) = 'blob', 'sha256:' || lower(hex(earlier.digest)), earlier.digest)
		FROM tag_records AS earlier WHERE earlier.tag_id = tag_records.tag_id AND earlier.update_time < tag_records.update_time
		ORDER BY earlier.update_time DESC LIMIT 1), '')) AS previous_digest,
	(tag_records.flags >> 3) AS warnings,
	tag_repos.repo_uid || '/' || tag_names.tag AS uid,
	tag_repos.repo_uid AS parent,
	iif(length(tag_repos.repo_uid) > 40, substr(tag_repos.repo_uid, 1, 40), NULL) AS ancestor0,
	iif(length(tag_repos.repo_uid) > 57, substr(tag_repos.repo_uid, 1, 57), NULL) AS ancestor1,
	iif(length(tag_repos.repo_uid) > 74, substr(tag_repos.repo_uid, 1, 74), NULL) AS ancestor2,
	iif(length(tag_repos.repo_uid) > 91, substr(tag_repos.repo_uid, 1, 91), NULL) AS ancestor3,
	iif(length(tag_repos.repo_uid) > 108, substr(tag_repos.repo_uid, 1, 108), NULL) AS ancestor4,
	iif(length(tag_repos.repo_uid) > 125, substr(tag_repos.repo_uid, 1, 125), NULL) AS ancestor5
FROM tag_records
JOIN tag_names ON tag_names.id = tag_records.tag_id
JOIN tag_repos ON tag_repos.id = tag_names.repo_id;
--> statement-breakpoint
CREATE TRIGGER tag_repos_no_update BEFORE UPDATE ON tag_repos BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_repos_no_delete BEFORE DELETE ON tag_repos BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_names_no_update BEFORE UPDATE ON tag_names BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_names_no_delete BEFORE DELETE ON tag_names BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_origins_no_update BEFORE UPDATE ON tag_origins BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_origins_no_delete BEFORE DELETE ON tag_origins BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_records_no_update BEFORE UPDATE OF tag_id, update_time, organization_id, repo_id, digest, origin_id ON tag_records BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_records_no_delete BEFORE DELETE ON tag_records WHEN OLD.digest IS NOT (SELECT digest FROM tag_records
  WHERE tag_id = OLD.tag_id AND update_time < OLD.update_time ORDER BY update_time DESC LIMIT 1) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_moves_insert INSTEAD OF INSERT ON tag_moves BEGIN
	INSERT INTO tag_repos (id, repo_uid, organization_id)
	SELECT next.id, NEW.repo_uid, ifnull((SELECT organization_id FROM tag_repos
		WHERE repo_uid > substr(NEW.repo_uid, 1, 40) || '/' AND repo_uid < substr(NEW.repo_uid, 1, 40) || '0' LIMIT 1), next.id)
	FROM (SELECT ifnull((SELECT id FROM tag_repos ORDER BY id DESC LIMIT 1), 0) + 1 AS id) AS next
	WHERE NOT EXISTS (SELECT 1 FROM tag_repos WHERE tag_repos.repo_uid = NEW.repo_uid);
	INSERT INTO tag_names (repo_id, tag) SELECT tag_repos.id, NEW.tag FROM tag_repos
	WHERE tag_repos.repo_uid = NEW.repo_uid AND NOT EXISTS (SELECT 1 FROM tag_names WHERE repo_id = tag_repos.id AND tag = NEW.tag);
	INSERT INTO tag_origins (repo_uid, repo, identity, identity_name, method) SELECT NEW.repo_uid, ifnull(NEW.repo, ''), ifnull(NEW.identity, ''), ifnull(NEW.identity_name, ''), ifnull(NEW.method, 0)
	WHERE NOT EXISTS (SELECT 1 FROM tag_origins WHERE repo_uid = NEW.repo_uid AND repo = ifnull(NEW.repo, '') AND identity = ifnull(NEW.identity, '') AND identity_name = ifnull(NEW.identity_name, '') AND method = ifnull(NEW.method, 0));
	INSERT INTO tag_bursts (repo_uid, start_time, end_time, tags)
	SELECT NEW.repo_uid, NEW.update_time, NEW.update_time, 1
	WHERE NEW.digest <> '' AND (SELECT iif(update_time < NEW.update_time, digest, '') FROM tag_records
		WHERE tag_id = (SELECT tag_names.id FROM tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = NEW.tag WHERE tag_repos.repo_uid = NEW.repo_uid) AND update_time <= NEW.update_time ORDER BY update_time DESC LIMIT 1) <> ''
	ON CONFLICT (repo_uid) DO UPDATE SET
		largest = iif(excluded.start_time > end_time + 600000, max(largest, tags), largest),
		tags = iif(excluded.start_time > end_time + 600000, 1, tags + 1),
		start_time = iif(excluded.start_time > end_time + 600000, excluded.start_time, start_time),
		end_time = excluded.end_time
	WHERE excluded.start_time > end_time + 600000 OR (excluded.start_time >= end_time AND NOT EXISTS (
		SELECT 1 FROM tag_records WHERE tag_id = (SELECT tag_names.id FROM tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = NEW.tag WHERE tag_repos.repo_uid = NEW.repo_uid) AND update_time < NEW.update_time
			AND update_time >= tag_bursts.start_time AND (flags & 7) IN (2, 3)));
	INSERT INTO tag_records (tag_id, update_time, organization_id, repo_id, digest, origin_id, flags)
	SELECT tag_names.id, NEW.update_time, tag_repos.organization_id, tag_repos.id, iif(length(NEW.digest) = 71 AND NEW.digest GLOB 'sha256:*' AND lower(hex(unhex(substr(NEW.digest, 8)))) = substr(NEW.digest, 8),
		unhex(substr(NEW.digest, 8)), NEW.digest),
		(SELECT id FROM tag_origins WHERE repo_uid = NEW.repo_uid AND repo = ifnull(NEW.repo, '') AND identity = ifnull(NEW.identity, '') AND identity_name = ifnull(NEW.identity_name, '') AND method = ifnull(NEW.method, 0)), (SELECT kind | iif(kind IN (2, 3) AND EXISTS (SELECT 1 FROM tag_bursts WHERE repo_uid = NEW.repo_uid AND NEW.update_time BETWEEN start_time AND end_time
		AND (tags > max(10, 2 * largest + 1) OR (tags = max(10, 2 * largest + 1) AND end_time = NEW.update_time))), 32, 0) | ((iif(kind = 3, 2, 0)
		| iif(kind IN (2, 3) AND (iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag) GLOB '[0-9]*' AND ltrim(iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag), '0123456789') GLOB '.[0-9]*' AND ltrim(substr(ltrim(iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag), '0123456789'), 2), '0123456789') GLOB '.[0-9]*'
			AND (ltrim(substr(ltrim(substr(ltrim(iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag), '0123456789'), 2), '0123456789'), 2), '0123456789') = '' OR ltrim(substr(ltrim(substr(ltrim(iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag), '0123456789'), 2), '0123456789'), 2), '0123456789') GLOB '[-+]?*'))
			AND (SELECT count(*) FROM (SELECT earlier.flags FROM tag_records AS earlier
			WHERE earlier.tag_id = tag_names.id AND earlier.update_time < NEW.update_time AND NOT (NEW.digest = '')
			ORDER BY earlier.update_time DESC LIMIT 3) WHERE (flags & 7) IN (2, 3)) < 3, 1, 0)) << 3)
	FROM (SELECT CASE
			WHEN (NEW.digest = '') THEN 4
			WHEN ifnull(previous, '') = '' THEN 1
			WHEN is_known THEN 3
			ELSE 2 END AS kind
		FROM (SELECT max(update_time), digest AS previous, sum(digest = iif(length(NEW.digest) = 71 AND NEW.digest GLOB 'sha256:*' AND lower(hex(unhex(substr(NEW.digest, 8)))) = substr(NEW.digest, 8),
		unhex(substr(NEW.digest, 8)), NEW.digest)) AS is_known FROM (
			SELECT earlier.update_time, earlier.digest FROM tag_records AS earlier
			WHERE earlier.tag_id = tag_names.id AND earlier.update_time < NEW.update_time AND NOT (NEW.digest = '')
			ORDER BY earlier.update_time DESC LIMIT 100))))
	FROM tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = NEW.tag WHERE tag_repos.repo_uid = NEW.repo_uid;
	UPDATE tag_records SET flags = flags | 32
	WHERE repo_id = (SELECT id FROM tag_repos WHERE tag_repos.repo_uid = NEW.repo_uid) AND (flags & 7) IN (2, 3) AND (flags & 32) = 0
		AND update_time BETWEEN (SELECT start_time FROM tag_bursts
			WHERE repo_uid = NEW.repo_uid AND tags = max(10, 2 * largest + 1) AND end_time = NEW.update_time) AND NEW.update_time;
	UPDATE tag_records SET flags = (SELECT kind | (tag_records.flags & 32) | ((iif(kind = 3, 2, 0)
		| iif(kind IN (2, 3) AND (iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag) GLOB '[0-9]*' AND ltrim(iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag), '0123456789') GLOB '.[0-9]*' AND ltrim(substr(ltrim(iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag), '0123456789'), 2), '0123456789') GLOB '.[0-9]*'
			AND (ltrim(substr(ltrim(substr(ltrim(iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag), '0123456789'), 2), '0123456789'), 2), '0123456789') = '' OR ltrim(substr(ltrim(substr(ltrim(iif(NEW.tag GLOB 'v[0-9]*', substr(NEW.tag, 2), NEW.tag), '0123456789'), 2), '0123456789'), 2), '0123456789') GLOB '[-+]?*'))
			AND (SELECT count(*) FROM (SELECT earlier.flags FROM tag_records AS earlier
			WHERE earlier.tag_id = tag_records.tag_id AND earlier.update_time < tag_records.update_time AND NOT (tag_records.digest = '')
			ORDER BY earlier.update_time DESC LIMIT 3) WHERE (flags & 7) IN (2, 3)) < 3, 1, 0)) << 3)
	FROM (SELECT CASE
			WHEN (tag_records.digest = '') THEN 4
			WHEN ifnull(previous, '') = '' THEN 1
			WHEN is_known THEN 3
			ELSE 2 END AS kind
		FROM (SELECT max(update_time), digest AS previous, sum(digest = tag_records.digest) AS is_known FROM (
			SELECT earlier.update_time, earlier.digest FROM tag_records AS earlier
			WHERE earlier.tag_id = tag_records.tag_id AND earlier.update_time < tag_records.update_time AND NOT (tag_records.digest = '')
			ORDER BY earlier.update_time DESC LIMIT 100))))
	WHERE tag_id = (SELECT tag_names.id FROM tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = NEW.tag WHERE tag_repos.repo_uid = NEW.repo_uid) AND update_time = (SELECT min(later.update_time) FROM tag_records AS later
		WHERE later.tag_id = (SELECT tag_names.id FROM tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = NEW.tag WHERE tag_repos.repo_uid = NEW.repo_uid) AND later.update_time > NEW.update_time);
END;
--> statement-breakpoint
CREATE TRIGGER tag_moves_delete INSTEAD OF DELETE ON tag_moves BEGIN
	DELETE FROM tag_records WHERE tag_id = (SELECT tag_names.id FROM tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = OLD.tag WHERE tag_repos.repo_uid = OLD.repo_uid) AND update_time = OLD.update_time;
END;
--> statement-breakpoint
CREATE TRIGGER tag_moves_update INSTEAD OF UPDATE ON tag_moves BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
