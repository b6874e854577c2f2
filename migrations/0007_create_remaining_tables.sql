CREATE TABLE `account_associations` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS ("uid") VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") >= 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") >= 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") >= 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") >= 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") >= 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") >= 125 then substr("uid", 1, 125) end) VIRTUAL,
	`create_time` integer NOT NULL,
	`update_time` integer NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`accounts` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `account_associations_0_by_created` ON `account_associations` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_0_by_updated` ON `account_associations` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_0_by_name` ON `account_associations` (`ancestor0`,`name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_1_by_created` ON `account_associations` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_1_by_updated` ON `account_associations` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_1_by_name` ON `account_associations` (`ancestor1`,`name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_2_by_created` ON `account_associations` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_2_by_updated` ON `account_associations` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_2_by_name` ON `account_associations` (`ancestor2`,`name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_3_by_created` ON `account_associations` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_3_by_updated` ON `account_associations` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_3_by_name` ON `account_associations` (`ancestor3`,`name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_4_by_created` ON `account_associations` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_4_by_updated` ON `account_associations` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_4_by_name` ON `account_associations` (`ancestor4`,`name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_children_by_uid` ON `account_associations` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `account_associations_children_by_created` ON `account_associations` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `account_associations_children_by_updated` ON `account_associations` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `account_associations_children_by_name` ON `account_associations` (`parent`,`name`,`uid`);--> statement-breakpoint
CREATE TABLE `advisory_documents` (
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
	`origin` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `advisory_documents_0_by_created` ON `advisory_documents` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_0_by_updated` ON `advisory_documents` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_0_by_origin` ON `advisory_documents` (`ancestor0`,`origin`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_1_by_created` ON `advisory_documents` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_1_by_updated` ON `advisory_documents` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_1_by_origin` ON `advisory_documents` (`ancestor1`,`origin`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_2_by_created` ON `advisory_documents` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_2_by_updated` ON `advisory_documents` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_2_by_origin` ON `advisory_documents` (`ancestor2`,`origin`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_3_by_created` ON `advisory_documents` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_3_by_updated` ON `advisory_documents` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_3_by_origin` ON `advisory_documents` (`ancestor3`,`origin`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_4_by_created` ON `advisory_documents` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_4_by_updated` ON `advisory_documents` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_4_by_origin` ON `advisory_documents` (`ancestor4`,`origin`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_children_by_uid` ON `advisory_documents` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `advisory_documents_children_by_created` ON `advisory_documents` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `advisory_documents_children_by_updated` ON `advisory_documents` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `advisory_documents_children_by_origin` ON `advisory_documents` (`parent`,`origin`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `advisory_documents_siblings` ON `advisory_documents` (`parent`,`origin`);--> statement-breakpoint
CREATE TABLE `artifact_versions` (
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
	`version` text NOT NULL,
	`sort_key` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`size_bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `artifact_versions_children_by_version` ON `artifact_versions` (`parent`,`sort_key`,`uid`);--> statement-breakpoint
CREATE INDEX `artifact_versions_children_by_created` ON `artifact_versions` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `artifact_versions_children_by_updated` ON `artifact_versions` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `artifact_versions_siblings` ON `artifact_versions` (`parent`,`version`);--> statement-breakpoint
CREATE TABLE `artifacts` (
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
	`artifact_uid` text NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`ecosystem` integer NOT NULL,
	`latest_version` text DEFAULT '' NOT NULL,
	`version_count` integer DEFAULT 0 NOT NULL,
	`remediated` integer DEFAULT false NOT NULL,
	`cuda_versions` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `artifacts_0_by_uid` ON `artifacts` (`ancestor0`,`ecosystem`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_0_by_created` ON `artifacts` (`ancestor0`,`ecosystem`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_0_by_updated` ON `artifacts` (`ancestor0`,`ecosystem`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_0_by_name` ON `artifacts` (`ancestor0`,`ecosystem`,`name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_1_by_uid` ON `artifacts` (`ancestor1`,`ecosystem`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_1_by_created` ON `artifacts` (`ancestor1`,`ecosystem`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_1_by_updated` ON `artifacts` (`ancestor1`,`ecosystem`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_1_by_name` ON `artifacts` (`ancestor1`,`ecosystem`,`name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_2_by_uid` ON `artifacts` (`ancestor2`,`ecosystem`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_2_by_created` ON `artifacts` (`ancestor2`,`ecosystem`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_2_by_updated` ON `artifacts` (`ancestor2`,`ecosystem`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_2_by_name` ON `artifacts` (`ancestor2`,`ecosystem`,`name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_3_by_uid` ON `artifacts` (`ancestor3`,`ecosystem`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_3_by_created` ON `artifacts` (`ancestor3`,`ecosystem`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_3_by_updated` ON `artifacts` (`ancestor3`,`ecosystem`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_3_by_name` ON `artifacts` (`ancestor3`,`ecosystem`,`name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_4_by_uid` ON `artifacts` (`ancestor4`,`ecosystem`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_4_by_created` ON `artifacts` (`ancestor4`,`ecosystem`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_4_by_updated` ON `artifacts` (`ancestor4`,`ecosystem`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_4_by_name` ON `artifacts` (`ancestor4`,`ecosystem`,`name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_children_by_uid` ON `artifacts` (`parent`,`ecosystem`,`uid`);--> statement-breakpoint
CREATE INDEX `artifacts_children_by_created` ON `artifacts` (`parent`,`ecosystem`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `artifacts_children_by_updated` ON `artifacts` (`parent`,`ecosystem`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `artifacts_children_by_name` ON `artifacts` (`parent`,`ecosystem`,`name`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `artifacts_by_artifact_uid` ON `artifacts` (`artifact_uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `artifacts_siblings` ON `artifacts` (`parent`,`ecosystem`,`name`);--> statement-breakpoint
CREATE TABLE `external_group_role_mappings` (
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
	`external_group_id` text NOT NULL,
	`role_uid` text NOT NULL,
	`scope` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_0_by_created` ON `external_group_role_mappings` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_0_by_updated` ON `external_group_role_mappings` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_0_by_group` ON `external_group_role_mappings` (`ancestor0`,`external_group_id`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_0_by_role` ON `external_group_role_mappings` (`ancestor0`,`role_uid`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_1_by_created` ON `external_group_role_mappings` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_1_by_updated` ON `external_group_role_mappings` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_1_by_group` ON `external_group_role_mappings` (`ancestor1`,`external_group_id`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_1_by_role` ON `external_group_role_mappings` (`ancestor1`,`role_uid`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_2_by_created` ON `external_group_role_mappings` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_2_by_updated` ON `external_group_role_mappings` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_2_by_group` ON `external_group_role_mappings` (`ancestor2`,`external_group_id`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_2_by_role` ON `external_group_role_mappings` (`ancestor2`,`role_uid`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_3_by_created` ON `external_group_role_mappings` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_3_by_updated` ON `external_group_role_mappings` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_3_by_group` ON `external_group_role_mappings` (`ancestor3`,`external_group_id`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_3_by_role` ON `external_group_role_mappings` (`ancestor3`,`role_uid`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_4_by_created` ON `external_group_role_mappings` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_4_by_updated` ON `external_group_role_mappings` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_4_by_group` ON `external_group_role_mappings` (`ancestor4`,`external_group_id`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_4_by_role` ON `external_group_role_mappings` (`ancestor4`,`role_uid`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_5_by_created` ON `external_group_role_mappings` (`ancestor5`,`create_time`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_5_by_updated` ON `external_group_role_mappings` (`ancestor5`,`update_time`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_5_by_group` ON `external_group_role_mappings` (`ancestor5`,`external_group_id`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_5_by_role` ON `external_group_role_mappings` (`ancestor5`,`role_uid`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_children_by_uid` ON `external_group_role_mappings` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_children_by_created` ON `external_group_role_mappings` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_children_by_updated` ON `external_group_role_mappings` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_children_by_group` ON `external_group_role_mappings` (`parent`,`external_group_id`,`uid`);--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_children_by_role` ON `external_group_role_mappings` (`parent`,`role_uid`,`uid`);--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_by_role` ON `external_group_role_mappings` (`role_uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `external_group_role_mappings_tuple` ON `external_group_role_mappings` (`parent`,`external_group_id`,`role_uid`,`scope`);--> statement-breakpoint
CREATE TABLE `group_access_requests` (
	`group_uid` text NOT NULL,
	`identity_uid` text NOT NULL,
	`time` integer NOT NULL,
	PRIMARY KEY(`group_uid`, `identity_uid`)
);
--> statement-breakpoint
CREATE TABLE `group_invites` (
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
	`role_uid` text NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`expiration_time` integer NOT NULL,
	`single_use` integer DEFAULT false NOT NULL,
	`key_id` text NOT NULL,
	`code_digest` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `group_invites_0_by_created` ON `group_invites` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_0_by_updated` ON `group_invites` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_0_by_expiration` ON `group_invites` (`ancestor0`,`expiration_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_1_by_created` ON `group_invites` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_1_by_updated` ON `group_invites` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_1_by_expiration` ON `group_invites` (`ancestor1`,`expiration_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_2_by_created` ON `group_invites` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_2_by_updated` ON `group_invites` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_2_by_expiration` ON `group_invites` (`ancestor2`,`expiration_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_3_by_created` ON `group_invites` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_3_by_updated` ON `group_invites` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_3_by_expiration` ON `group_invites` (`ancestor3`,`expiration_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_4_by_created` ON `group_invites` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_4_by_updated` ON `group_invites` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_4_by_expiration` ON `group_invites` (`ancestor4`,`expiration_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_children_by_uid` ON `group_invites` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `group_invites_children_by_created` ON `group_invites` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `group_invites_children_by_updated` ON `group_invites` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `group_invites_children_by_expiration` ON `group_invites` (`parent`,`expiration_time`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `group_invites_by_key` ON `group_invites` (`key_id`);--> statement-breakpoint
CREATE TABLE `headless_sessions` (
	`code` text PRIMARY KEY NOT NULL,
	`ecdh_public_key` text NOT NULL,
	`encrypted_idtoken` text NOT NULL,
	`expire_time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `headless_sessions_by_expiry` ON `headless_sessions` (`expire_time`);--> statement-breakpoint
CREATE TABLE `identity_metadata` (
	`uid` text PRIMARY KEY NOT NULL,
	`metadata` text NOT NULL,
	`update_time` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `identity_providers` (
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
	`default_role` text NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`client_secret` text DEFAULT '' NOT NULL,
	`additional_scopes` text DEFAULT '[]' NOT NULL,
	`groups_claim` text DEFAULT '' NOT NULL,
	`correlation_rule` integer DEFAULT 1 NOT NULL,
	`pkce_enabled` integer DEFAULT false NOT NULL,
	`scim_enabled` integer DEFAULT false NOT NULL,
	`scim_version` integer DEFAULT 0 NOT NULL,
	`scim_token_digest` text DEFAULT '' NOT NULL,
	`scim_token_expire_time` integer,
	`scim_token_revoke_time` integer,
	`scim_previous_token_digest` text DEFAULT '' NOT NULL,
	`scim_previous_token_expire_time` integer
);
--> statement-breakpoint
CREATE INDEX `identity_providers_0_by_created` ON `identity_providers` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_0_by_updated` ON `identity_providers` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_0_by_name` ON `identity_providers` (`ancestor0`,`name`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_1_by_created` ON `identity_providers` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_1_by_updated` ON `identity_providers` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_1_by_name` ON `identity_providers` (`ancestor1`,`name`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_2_by_created` ON `identity_providers` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_2_by_updated` ON `identity_providers` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_2_by_name` ON `identity_providers` (`ancestor2`,`name`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_3_by_created` ON `identity_providers` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_3_by_updated` ON `identity_providers` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_3_by_name` ON `identity_providers` (`ancestor3`,`name`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_4_by_created` ON `identity_providers` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_4_by_updated` ON `identity_providers` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_4_by_name` ON `identity_providers` (`ancestor4`,`name`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_children_by_uid` ON `identity_providers` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `identity_providers_children_by_created` ON `identity_providers` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `identity_providers_children_by_updated` ON `identity_providers` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `identity_providers_children_by_name` ON `identity_providers` (`parent`,`name`,`uid`);--> statement-breakpoint
CREATE INDEX `identity_providers_by_issuer` ON `identity_providers` (`issuer`);--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`digest` text PRIMARY KEY NOT NULL,
	`family` text NOT NULL,
	`identity_uid` text NOT NULL,
	`identity_provider_uid` text NOT NULL,
	`claims` text NOT NULL,
	`create_time` integer NOT NULL,
	`expire_time` integer NOT NULL,
	`use_time` integer,
	`revoke_time` integer
);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_family` ON `refresh_tokens` (`family`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_identity` ON `refresh_tokens` (`identity_uid`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_expiry` ON `refresh_tokens` (`expire_time`);--> statement-breakpoint
CREATE TABLE `scim_users` (
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
	`user_name` text NOT NULL,
	`user_name_key` text NOT NULL,
	`external_id` text,
	`active` integer DEFAULT true NOT NULL,
	`identity_uid` text,
	`attributes` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scim_users_by_name` ON `scim_users` (`parent`,`user_name_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `scim_users_by_external_id` ON `scim_users` (`parent`,`external_id`) WHERE "external_id" is not null;--> statement-breakpoint
CREATE INDEX `scim_users_children_by_created` ON `scim_users` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `scim_users_by_identity` ON `scim_users` (`identity_uid`,`parent`);--> statement-breakpoint
CREATE TABLE `sign_ins` (
	`identity_provider_uid` text NOT NULL,
	`identity_uid` text NOT NULL,
	`create_time` integer NOT NULL,
	`last_time` integer NOT NULL,
	PRIMARY KEY(`identity_provider_uid`, `identity_uid`)
);
--> statement-breakpoint
CREATE TABLE `subscriptions` (
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
	`sink` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `subscriptions_0_by_created` ON `subscriptions` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_0_by_updated` ON `subscriptions` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_1_by_created` ON `subscriptions` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_1_by_updated` ON `subscriptions` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_2_by_created` ON `subscriptions` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_2_by_updated` ON `subscriptions` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_3_by_created` ON `subscriptions` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_3_by_updated` ON `subscriptions` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_4_by_created` ON `subscriptions` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_4_by_updated` ON `subscriptions` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_children_by_uid` ON `subscriptions` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `subscriptions_children_by_created` ON `subscriptions` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `subscriptions_children_by_updated` ON `subscriptions` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE TABLE `terms_acceptances` (
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
	`doc_id` text NOT NULL,
	`accepted_by` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `terms_acceptances_documents` ON `terms_acceptances` (`parent`,`doc_id`);--> statement-breakpoint
CREATE TABLE `vulnerability_metadata` (
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
	`vulnerability_id` text NOT NULL,
	`summary` text DEFAULT '' NOT NULL,
	`details` text DEFAULT '' NOT NULL,
	`refs` text DEFAULT '[]' NOT NULL,
	`severities` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_0_by_created` ON `vulnerability_metadata` (`ancestor0`,`create_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_0_by_updated` ON `vulnerability_metadata` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_0_by_vulnerability` ON `vulnerability_metadata` (`ancestor0`,`vulnerability_id`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_1_by_created` ON `vulnerability_metadata` (`ancestor1`,`create_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_1_by_updated` ON `vulnerability_metadata` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_1_by_vulnerability` ON `vulnerability_metadata` (`ancestor1`,`vulnerability_id`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_2_by_created` ON `vulnerability_metadata` (`ancestor2`,`create_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_2_by_updated` ON `vulnerability_metadata` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_2_by_vulnerability` ON `vulnerability_metadata` (`ancestor2`,`vulnerability_id`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_3_by_created` ON `vulnerability_metadata` (`ancestor3`,`create_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_3_by_updated` ON `vulnerability_metadata` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_3_by_vulnerability` ON `vulnerability_metadata` (`ancestor3`,`vulnerability_id`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_4_by_created` ON `vulnerability_metadata` (`ancestor4`,`create_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_4_by_updated` ON `vulnerability_metadata` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_4_by_vulnerability` ON `vulnerability_metadata` (`ancestor4`,`vulnerability_id`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_children_by_uid` ON `vulnerability_metadata` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_children_by_created` ON `vulnerability_metadata` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_children_by_updated` ON `vulnerability_metadata` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_children_by_vulnerability` ON `vulnerability_metadata` (`parent`,`vulnerability_id`,`uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `vulnerability_metadata_siblings` ON `vulnerability_metadata` (`parent`,`vulnerability_id`);