CREATE TABLE `scim_group_members` (
	`group_uid` text NOT NULL,
	`user_uid` text NOT NULL,
	PRIMARY KEY(`group_uid`, `user_uid`)
);
--> statement-breakpoint
CREATE INDEX `scim_group_members_by_user` ON `scim_group_members` (`user_uid`,`group_uid`);--> statement-breakpoint
CREATE TABLE `scim_groups` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`create_time` integer NOT NULL,
	`update_time` integer NOT NULL,
	`display_name` text NOT NULL,
	`display_name_key` text NOT NULL,
	`external_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scim_groups_by_name` ON `scim_groups` (`parent`,`display_name_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `scim_groups_by_external_id` ON `scim_groups` (`parent`,`external_id`) WHERE "external_id" is not null;--> statement-breakpoint
CREATE INDEX `scim_groups_by_exact_name` ON `scim_groups` (`parent`,`display_name`);--> statement-breakpoint
CREATE INDEX `scim_groups_children_by_created` ON `scim_groups` (`parent`,`create_time`,`uid`);

--> statement-breakpoint
CREATE TRIGGER scim_groups_count_insert AFTER INSERT ON scim_groups BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'scim_groups',
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
CREATE TRIGGER scim_groups_count_delete AFTER DELETE ON scim_groups BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'scim_groups',
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
CREATE TRIGGER scim_groups_require_parent BEFORE INSERT ON scim_groups WHEN NOT EXISTS (SELECT 1 FROM identity_providers WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_group_members_require_group BEFORE INSERT ON scim_group_members WHEN NOT EXISTS (SELECT 1 FROM scim_groups WHERE uid = NEW.group_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the group is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_group_members_require_user BEFORE INSERT ON scim_group_members WHEN NOT EXISTS (SELECT 1 FROM scim_users WHERE uid = NEW.user_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the user is gone');
END;
