CREATE TABLE `advisories` (
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
	`advisory_id` text NOT NULL,
	`legacy_advisory_id` text,
	`delete_time` integer,
	`author` text NOT NULL,
	`artifact_name` text NOT NULL,
	`artifact_type` text NOT NULL,
	`artifact_architecture` text NOT NULL,
	`component_name` text NOT NULL,
	`component_location` text NOT NULL,
	`component_type` text NOT NULL,
	`origin` text NOT NULL,
	`aliases` text NOT NULL,
	`severities` text NOT NULL,
	`source_digest` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `advisories_0_by_created` ON `advisories` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_0_by_updated` ON `advisories` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_0_by_advisory` ON `advisories` (`ancestor0`,`advisory_id`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_0_by_artifact` ON `advisories` (`ancestor0`,`artifact_name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_1_by_created` ON `advisories` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_1_by_updated` ON `advisories` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_1_by_advisory` ON `advisories` (`ancestor1`,`advisory_id`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_1_by_artifact` ON `advisories` (`ancestor1`,`artifact_name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_2_by_created` ON `advisories` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_2_by_updated` ON `advisories` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_2_by_advisory` ON `advisories` (`ancestor2`,`advisory_id`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_2_by_artifact` ON `advisories` (`ancestor2`,`artifact_name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_3_by_created` ON `advisories` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_3_by_updated` ON `advisories` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_3_by_advisory` ON `advisories` (`ancestor3`,`advisory_id`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_3_by_artifact` ON `advisories` (`ancestor3`,`artifact_name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_4_by_created` ON `advisories` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `advisories_4_by_updated` ON `advisories` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `advisories_4_by_advisory` ON `advisories` (`ancestor4`,`advisory_id`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `advisories_4_by_artifact` ON `advisories` (`ancestor4`,`artifact_name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `advisories_children_by_uid` ON `advisories` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_children_by_created` ON `advisories` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_children_by_updated` ON `advisories` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_children_by_advisory` ON `advisories` (`parent`,`advisory_id`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_children_by_artifact` ON `advisories` (`parent`,`artifact_name`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `advisories_siblings` ON `advisories` (`parent`,`advisory_id`);--> statement-breakpoint
CREATE TABLE `advisory_events` (
	`uid` text PRIMARY KEY NOT NULL,
	`advisory_uid` text NOT NULL,
	`create_time` integer NOT NULL,
	`update_time` integer NOT NULL,
	`author` text NOT NULL,
	`reviewer` text DEFAULT '' NOT NULL,
	`review_state` integer NOT NULL,
	`issue` text,
	`type` integer NOT NULL,
	`detail` text NOT NULL,
	`findings` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `advisory_events_of` ON `advisory_events` (`advisory_uid`,`create_time`,`uid`);--> statement-breakpoint
CREATE TABLE `counts` (
	`ancestor` text NOT NULL,
	`kind` text NOT NULL,
	`class` integer NOT NULL,
	`children` integer NOT NULL,
	`descendants` integer NOT NULL,
	PRIMARY KEY(`ancestor`, `kind`, `class`)
);
--> statement-breakpoint
CREATE TABLE `groups` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") >= 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") >= 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") >= 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") >= 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") >= 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") >= 125 then substr("uid", 1, 125) end) VIRTUAL,
	`create_time` integer NOT NULL,
	`update_time` integer NOT NULL,
	`suid` text GENERATED ALWAYS AS (substr("uid", -16)) VIRTUAL NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`verified` integer DEFAULT false NOT NULL,
	`kind` integer DEFAULT 0 NOT NULL,
	`status` integer DEFAULT 2 NOT NULL,
	`resource_limits` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `groups_0_by_created` ON `groups` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `groups_0_by_updated` ON `groups` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `groups_0_by_name` ON `groups` (`ancestor0`,`name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `groups_1_by_created` ON `groups` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `groups_1_by_updated` ON `groups` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `groups_1_by_name` ON `groups` (`ancestor1`,`name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `groups_2_by_created` ON `groups` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `groups_2_by_updated` ON `groups` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `groups_2_by_name` ON `groups` (`ancestor2`,`name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `groups_3_by_created` ON `groups` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `groups_3_by_updated` ON `groups` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `groups_3_by_name` ON `groups` (`ancestor3`,`name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `groups_4_by_created` ON `groups` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `groups_4_by_updated` ON `groups` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `groups_4_by_name` ON `groups` (`ancestor4`,`name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `groups_children_by_uid` ON `groups` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `groups_children_by_created` ON `groups` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `groups_children_by_updated` ON `groups` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `groups_children_by_name` ON `groups` (`parent`,`name`,`uid`);--> statement-breakpoint
CREATE INDEX `groups_by_suid` ON `groups` (`suid`);--> statement-breakpoint
CREATE UNIQUE INDEX `groups_siblings` ON `groups` (`parent`,`name`) WHERE "parent" <> '';--> statement-breakpoint
CREATE UNIQUE INDEX `groups_verified` ON `groups` (`name`) WHERE "verified" = 1;--> statement-breakpoint
CREATE TABLE `identities` (
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
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`email_unverified` text DEFAULT '' NOT NULL,
	`company` text DEFAULT '' NOT NULL,
	`last_seen_time` integer NOT NULL,
	`relationship_type` integer DEFAULT 0 NOT NULL,
	`relationship` text,
	`issuer` text,
	`subject` text
);
--> statement-breakpoint
CREATE INDEX `identities_0_by_created` ON `identities` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identities_0_by_updated` ON `identities` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identities_0_by_name` ON `identities` (`ancestor0`,`name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identities_1_by_created` ON `identities` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identities_1_by_updated` ON `identities` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identities_1_by_name` ON `identities` (`ancestor1`,`name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identities_2_by_created` ON `identities` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identities_2_by_updated` ON `identities` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identities_2_by_name` ON `identities` (`ancestor2`,`name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identities_3_by_created` ON `identities` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identities_3_by_updated` ON `identities` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identities_3_by_name` ON `identities` (`ancestor3`,`name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identities_4_by_created` ON `identities` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `identities_4_by_updated` ON `identities` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `identities_4_by_name` ON `identities` (`ancestor4`,`name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `identities_children_by_uid` ON `identities` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `identities_children_by_created` ON `identities` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `identities_children_by_updated` ON `identities` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `identities_children_by_name` ON `identities` (`parent`,`name`,`uid`);--> statement-breakpoint
CREATE INDEX `identities_by_subject` ON `identities` (`issuer`,`subject`);--> statement-breakpoint
CREATE TABLE `manifests` (
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
	`digest` text NOT NULL,
	`media_type` text NOT NULL,
	`entries` text NOT NULL,
	`size` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `manifests_siblings` ON `manifests` (`parent`,`digest`);--> statement-breakpoint
CREATE INDEX `manifests_by_digest` ON `manifests` (`digest`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`source` text NOT NULL,
	`subject` text NOT NULL,
	`group_uid` text NOT NULL,
	`audience` text NOT NULL,
	`extensions` text NOT NULL,
	`body_type` text NOT NULL,
	`data` text NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `outbox_by_group` ON `outbox` (`group_uid`,`time`);--> statement-breakpoint
CREATE TABLE `repos` (
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
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`catalog_tier` integer DEFAULT 0 NOT NULL,
	`bundles` text DEFAULT '[]' NOT NULL,
	`aliases` text DEFAULT '[]' NOT NULL,
	`active_tags` text DEFAULT '[]' NOT NULL,
	`sync_config` text,
	`custom_overlay` text,
	`readme` text DEFAULT '' NOT NULL,
	`readme_update_time` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `repos_0_by_created` ON `repos` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `repos_0_by_updated` ON `repos` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `repos_0_by_name` ON `repos` (`ancestor0`,`name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `repos_1_by_created` ON `repos` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `repos_1_by_updated` ON `repos` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `repos_1_by_name` ON `repos` (`ancestor1`,`name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `repos_2_by_created` ON `repos` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `repos_2_by_updated` ON `repos` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `repos_2_by_name` ON `repos` (`ancestor2`,`name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `repos_3_by_created` ON `repos` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `repos_3_by_updated` ON `repos` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `repos_3_by_name` ON `repos` (`ancestor3`,`name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `repos_4_by_created` ON `repos` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `repos_4_by_updated` ON `repos` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `repos_4_by_name` ON `repos` (`ancestor4`,`name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `repos_children_by_uid` ON `repos` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `repos_children_by_created` ON `repos` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `repos_children_by_updated` ON `repos` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `repos_children_by_name` ON `repos` (`parent`,`name`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `repos_siblings` ON `repos` (`parent`,`name`);--> statement-breakpoint
CREATE TABLE `role_bindings` (
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
	`identity_uid` text NOT NULL,
	`role_uid` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `role_bindings_0_by_created` ON `role_bindings` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_0_by_updated` ON `role_bindings` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_0_by_identity` ON `role_bindings` (`ancestor0`,`identity_uid`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_0_by_role` ON `role_bindings` (`ancestor0`,`role_uid`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_1_by_created` ON `role_bindings` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_1_by_updated` ON `role_bindings` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_1_by_identity` ON `role_bindings` (`ancestor1`,`identity_uid`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_1_by_role` ON `role_bindings` (`ancestor1`,`role_uid`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_2_by_created` ON `role_bindings` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_2_by_updated` ON `role_bindings` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_2_by_identity` ON `role_bindings` (`ancestor2`,`identity_uid`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_2_by_role` ON `role_bindings` (`ancestor2`,`role_uid`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_3_by_created` ON `role_bindings` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_3_by_updated` ON `role_bindings` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_3_by_identity` ON `role_bindings` (`ancestor3`,`identity_uid`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_3_by_role` ON `role_bindings` (`ancestor3`,`role_uid`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_4_by_created` ON `role_bindings` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_4_by_updated` ON `role_bindings` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_4_by_identity` ON `role_bindings` (`ancestor4`,`identity_uid`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_4_by_role` ON `role_bindings` (`ancestor4`,`role_uid`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_children_by_uid` ON `role_bindings` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `role_bindings_children_by_created` ON `role_bindings` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `role_bindings_children_by_updated` ON `role_bindings` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `role_bindings_children_by_identity` ON `role_bindings` (`parent`,`identity_uid`,`uid`);--> statement-breakpoint
CREATE INDEX `role_bindings_children_by_role` ON `role_bindings` (`parent`,`role_uid`,`uid`);--> statement-breakpoint
CREATE INDEX `role_bindings_by_role` ON `role_bindings` (`role_uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `role_bindings_grant` ON `role_bindings` (`identity_uid`,`parent`,`role_uid`);--> statement-breakpoint
CREATE TABLE `roles` (
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
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`capabilities` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `roles_0_by_created` ON `roles` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `roles_0_by_updated` ON `roles` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `roles_0_by_name` ON `roles` (`ancestor0`,`name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `roles_1_by_created` ON `roles` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `roles_1_by_updated` ON `roles` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `roles_1_by_name` ON `roles` (`ancestor1`,`name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `roles_2_by_created` ON `roles` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `roles_2_by_updated` ON `roles` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `roles_2_by_name` ON `roles` (`ancestor2`,`name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `roles_3_by_created` ON `roles` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `roles_3_by_updated` ON `roles` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `roles_3_by_name` ON `roles` (`ancestor3`,`name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `roles_4_by_created` ON `roles` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `roles_4_by_updated` ON `roles` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `roles_4_by_name` ON `roles` (`ancestor4`,`name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `roles_children_by_uid` ON `roles` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `roles_children_by_created` ON `roles` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `roles_children_by_updated` ON `roles` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `roles_children_by_name` ON `roles` (`parent`,`name`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `roles_siblings` ON `roles` (`parent`,`name`);--> statement-breakpoint
CREATE TABLE `tag_moves` (
	`repo_uid` text NOT NULL,
	`tag` text NOT NULL,
	`update_time` integer NOT NULL,
	`digest` text NOT NULL,
	PRIMARY KEY(`repo_uid`, `tag`, `update_time`)
);
--> statement-breakpoint
CREATE TABLE `tags` (
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
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`deprecated` integer DEFAULT false NOT NULL,
	`bundles` text DEFAULT '[]' NOT NULL,
	`class` integer GENERATED ALWAYS AS (case
  when "name" glob 'sha256-*' then 1
  when "name" glob '*-20[0-9][0-9][0-9][0-9][0-9][0-9]' then 2
  when "name" glob '*[0-9]' and rtrim("name", '0123456789') glob '*-r' then 3
  else 0 end) VIRTUAL NOT NULL
);
--> statement-breakpoint
CREATE INDEX `tags_0_by_uid` ON `tags` (`ancestor0`,`class`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `tags_0_by_created` ON `tags` (`ancestor0`,`class`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `tags_0_by_updated` ON `tags` (`ancestor0`,`class`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `tags_0_by_name` ON `tags` (`ancestor0`,`class`,`name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_uid` ON `tags` (`ancestor1`,`class`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_created` ON `tags` (`ancestor1`,`class`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_updated` ON `tags` (`ancestor1`,`class`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `tags_1_by_name` ON `tags` (`ancestor1`,`class`,`name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_uid` ON `tags` (`ancestor2`,`class`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_created` ON `tags` (`ancestor2`,`class`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_updated` ON `tags` (`ancestor2`,`class`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `tags_2_by_name` ON `tags` (`ancestor2`,`class`,`name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_uid` ON `tags` (`ancestor3`,`class`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_created` ON `tags` (`ancestor3`,`class`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_updated` ON `tags` (`ancestor3`,`class`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `tags_3_by_name` ON `tags` (`ancestor3`,`class`,`name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_uid` ON `tags` (`ancestor4`,`class`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_created` ON `tags` (`ancestor4`,`class`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_updated` ON `tags` (`ancestor4`,`class`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `tags_4_by_name` ON `tags` (`ancestor4`,`class`,`name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_uid` ON `tags` (`ancestor5`,`class`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_created` ON `tags` (`ancestor5`,`class`,`create_time`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_updated` ON `tags` (`ancestor5`,`class`,`update_time`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `tags_5_by_name` ON `tags` (`ancestor5`,`class`,`name`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `tags_children_by_uid` ON `tags` (`parent`,`class`,`uid`);--> statement-breakpoint
CREATE INDEX `tags_children_by_created` ON `tags` (`parent`,`class`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `tags_children_by_updated` ON `tags` (`parent`,`class`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `tags_children_by_name` ON `tags` (`parent`,`class`,`name`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `tags_siblings` ON `tags` (`parent`,`name`);--> statement-breakpoint
CREATE INDEX `tags_by_digest` ON `tags` (`digest`,`uid`);