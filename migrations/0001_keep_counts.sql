-- Updates counts (schema/tables/counts.ts) in the transaction of the change. A row counts once for each of
-- its ancestors, and as a child of its parent. A root-level row is a child of an empty text.

CREATE TRIGGER groups_count_insert AFTER INSERT ON groups BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(NEW."uid") = 40 THEN '' ELSE substr(NEW."uid", 1, 40 + 17 * step.value) END,
		'groups',
		0,
		iif(length(NEW."uid") = 40 OR length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(NEW."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER groups_count_delete AFTER DELETE ON groups BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'groups',
		0,
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER identities_count_insert AFTER INSERT ON identities BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(NEW."uid") = 40 THEN '' ELSE substr(NEW."uid", 1, 40 + 17 * step.value) END,
		'identities',
		0,
		iif(length(NEW."uid") = 40 OR length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(NEW."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER identities_count_delete AFTER DELETE ON identities BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'identities',
		0,
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER roles_count_insert AFTER INSERT ON roles BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(NEW."uid") = 40 THEN '' ELSE substr(NEW."uid", 1, 40 + 17 * step.value) END,
		'roles',
		0,
		iif(length(NEW."uid") = 40 OR length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(NEW."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER roles_count_delete AFTER DELETE ON roles BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'roles',
		0,
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_count_insert AFTER INSERT ON role_bindings BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(NEW."uid") = 40 THEN '' ELSE substr(NEW."uid", 1, 40 + 17 * step.value) END,
		'role_bindings',
		0,
		iif(length(NEW."uid") = 40 OR length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(NEW."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_count_delete AFTER DELETE ON role_bindings BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'role_bindings',
		0,
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER repos_count_insert AFTER INSERT ON repos BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(NEW."uid") = 40 THEN '' ELSE substr(NEW."uid", 1, 40 + 17 * step.value) END,
		'repos',
		0,
		iif(length(NEW."uid") = 40 OR length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(NEW."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER repos_count_delete AFTER DELETE ON repos BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'repos',
		0,
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
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
CREATE TRIGGER manifests_count_insert AFTER INSERT ON manifests BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(NEW."uid") = 40 THEN '' ELSE substr(NEW."uid", 1, 40 + 17 * step.value) END,
		'manifests',
		0,
		iif(length(NEW."uid") = 40 OR length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(NEW."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_count_delete AFTER DELETE ON manifests BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'manifests',
		0,
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER advisories_count_insert AFTER INSERT ON advisories BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(NEW."uid") = 40 THEN '' ELSE substr(NEW."uid", 1, 40 + 17 * step.value) END,
		'advisories',
		0,
		iif(length(NEW."uid") = 40 OR length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(NEW."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER advisories_count_delete AFTER DELETE ON advisories BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		CASE WHEN length(OLD."uid") = 40 THEN '' ELSE substr(OLD."uid", 1, 40 + 17 * step.value) END,
		'advisories',
		0,
		iif(length(OLD."uid") = 40 OR length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value OR (step.value = 0 AND length(OLD."uid") = 40)
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
