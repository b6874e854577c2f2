-- Counts and parents of sboms.

CREATE TRIGGER sboms_count_insert AFTER INSERT ON sboms BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'sboms',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER sboms_count_delete AFTER DELETE ON sboms BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'sboms',
		0,
		iif(length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER sboms_require_parent BEFORE INSERT ON sboms WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
