-- The rows of tags must be in short_tags by now. `npm run deploy` and `npm start` copy them.
CREATE TABLE tags_copied (
	missing integer,
	CONSTRAINT "the rows of tags have not all been copied; npm run deploy copies them" CHECK (missing <= 0)
);
--> statement-breakpoint
INSERT INTO tags_copied (missing) SELECT last - done FROM short_tags_copy;
--> statement-breakpoint
DROP TABLE tags_copied;
--> statement-breakpoint
DROP TABLE short_tags_copy;
--> statement-breakpoint
DROP TABLE `tags`;
--> statement-breakpoint
ALTER TABLE `short_tags` RENAME TO `tags`;
--> statement-breakpoint
CREATE TRIGGER tags_count_insert AFTER INSERT ON tags BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(NEW."uid") = 40 THEN '' ELSE substr(NEW."uid", 1, 40 + 17 * step.value) END,
		'tags',
		NEW."class",
		iif(length(NEW."uid") = 40 OR length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(NEW."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER tags_count_delete AFTER DELETE ON tags BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'tags',
		OLD."class",
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER tags_require_parent BEFORE INSERT ON tags WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER tags_count_rename AFTER UPDATE OF name ON tags WHEN OLD."class" <> NEW."class" BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'tags',
		OLD."class",
		iif(length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'tags',
		NEW."class",
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
