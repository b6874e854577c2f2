CREATE TABLE `counts` (
	`ancestor` text NOT NULL,
	`kind` text NOT NULL,
	`class` integer NOT NULL,
	`children` integer NOT NULL,
	`descendants` integer NOT NULL,
	`warning` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`ancestor`, `kind`, `class`)
);
--> statement-breakpoint
CREATE INDEX `counts_warned` ON `counts` (`ancestor`,`kind`) WHERE "warning" > 0;--> statement-breakpoint
CREATE TABLE `blob_links` (
	`repo_id` integer NOT NULL,
	`kind` integer NOT NULL,
	`blob_id` integer NOT NULL,
	`idle_time` integer,
	PRIMARY KEY(`repo_id`, `kind`, `blob_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `blob_links_idle` ON `blob_links` (`idle_time`) WHERE idle_time is not null;--> statement-breakpoint
CREATE TABLE `blobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`digest` blob NOT NULL,
	`size` integer,
	`content` text,
	`fault` text,
	`fault_time` integer,
	`organizations` integer DEFAULT 0 NOT NULL,
	`idle_time` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blobs_digest_unique` ON `blobs` (`digest`);--> statement-breakpoint
CREATE INDEX `blobs_idle` ON `blobs` (`idle_time`) WHERE idle_time is not null;--> statement-breakpoint
CREATE INDEX `blobs_damaged` ON `blobs` (`fault_time`) WHERE fault is not null;--> statement-breakpoint
CREATE TABLE `manifest_references` (
	`manifest_id` integer NOT NULL,
	`blob_id` integer NOT NULL,
	PRIMARY KEY(`manifest_id`, `blob_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `manifest_references_by_blob` ON `manifest_references` (`blob_id`,`manifest_id`);--> statement-breakpoint
CREATE TABLE `organization_blobs` (
	`organization_id` integer NOT NULL,
	`blob_id` integer NOT NULL,
	`repos` integer NOT NULL,
	`repo_sum` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `blob_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `incomplete_indexes` (
	`repo_id` integer NOT NULL,
	`manifest_id` integer NOT NULL,
	`digests` blob NOT NULL,
	PRIMARY KEY(`repo_id`, `manifest_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `object_sweep` (
	`id` integer PRIMARY KEY NOT NULL,
	`after_key` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `objects` (
	`key` text PRIMARY KEY NOT NULL,
	`organization_id` integer,
	`upload_id` text,
	`blob_id` integer,
	`first_byte` integer DEFAULT 0 NOT NULL,
	`size` integer NOT NULL,
	`multipart` text,
	`etag` text,
	`idle_time` integer
);
--> statement-breakpoint
CREATE INDEX `objects_by_upload` ON `objects` (`upload_id`) WHERE upload_id is not null;--> statement-breakpoint
CREATE INDEX `objects_by_blob` ON `objects` (`blob_id`,`first_byte`) WHERE blob_id is not null;--> statement-breakpoint
CREATE INDEX `objects_idle` ON `objects` (`idle_time`) WHERE idle_time is not null;--> statement-breakpoint
CREATE TABLE `pushed_documents` (
	`repo_id` integer NOT NULL,
	`blob_id` integer NOT NULL,
	`subject` blob,
	`read_time` integer,
	PRIMARY KEY(`repo_id`, `blob_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `pushed_documents_waiting` ON `pushed_documents` (`repo_id`,`subject`) WHERE read_time is null;--> statement-breakpoint
CREATE TABLE `referrers` (
	`repo_id` integer NOT NULL,
	`manifest_id` integer NOT NULL,
	`subject` blob NOT NULL,
	`media_type` text NOT NULL,
	`artifact_type` text NOT NULL,
	`annotations` text,
	PRIMARY KEY(`repo_id`, `manifest_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `referrers_by_subject` ON `referrers` (`repo_id`,`subject`,`manifest_id`);--> statement-breakpoint
CREATE TABLE `organization_storage` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`shared_bytes` integer DEFAULT 0 NOT NULL,
	`reserved_bytes` integer DEFAULT 0 NOT NULL,
	`document_bytes` integer DEFAULT 0 NOT NULL,
	`byte_limit` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_storage_uid_unique` ON `organization_storage` (`uid`);--> statement-breakpoint
CREATE TABLE `repo_storage` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`organization_id` integer NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`shared_bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `repo_storage_uid_unique` ON `repo_storage` (`uid`);--> statement-breakpoint
CREATE INDEX `repo_storage_by_bytes` ON `repo_storage` (`ancestor0`,`bytes`,`uid`);--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`repo_id` integer NOT NULL,
	`organization_id` integer NOT NULL,
	`identity_uid` text NOT NULL,
	`size` integer DEFAULT 0 NOT NULL,
	`chunks` integer DEFAULT 0 NOT NULL,
	`hash` text,
	`direct_key` text,
	`create_time` integer NOT NULL,
	`update_time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_by_repo` ON `uploads` (`repo_id`);--> statement-breakpoint
CREATE INDEX `uploads_by_organization` ON `uploads` (`organization_id`,`update_time`);--> statement-breakpoint
CREATE INDEX `uploads_by_time` ON `uploads` (`update_time`);--> statement-breakpoint
CREATE INDEX `uploads_by_creation` ON `uploads` (`create_time`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`create_time` integer NOT NULL,
	`event_seq` integer NOT NULL,
	`pool` text NOT NULL,
	`partition` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`due_time` integer,
	`lease` text DEFAULT '' NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`attempts` text DEFAULT '[]' NOT NULL,
	`end_time` integer
);
--> statement-breakpoint
CREATE INDEX `deliveries_by_event` ON `deliveries` (`event_seq`);--> statement-breakpoint
CREATE INDEX `deliveries_children_by_created` ON `deliveries` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`parent`,`due_time`) WHERE due_time is not null;--> statement-breakpoint
CREATE INDEX `deliveries_pending` ON `deliveries` (`parent`,`pool`,`partition`,`event_seq`) WHERE end_time is null;--> statement-breakpoint
CREATE TABLE `delivery_cursor` (
	`id` integer PRIMARY KEY NOT NULL,
	`event_seq` integer NOT NULL
);
--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`above4` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 93, 10)) end) VIRTUAL,
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
	`recipient_uid` text DEFAULT '' NOT NULL,
	`pool` text DEFAULT '' NOT NULL,
	`partition` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_by_uid` ON `events` (`uid`);--> statement-breakpoint
CREATE INDEX `events_times` ON `events` (`time`) WHERE "seq" % 16 = 0 and "seq" > 0;--> statement-breakpoint
CREATE INDEX `events_of_parent` ON `events` (`parent_key`);--> statement-breakpoint
CREATE INDEX `events_above0` ON `events` (`above0`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `events_above1` ON `events` (`above1`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `events_above2` ON `events` (`above2`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `events_above3` ON `events` (`above3`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `events_above4` ON `events` (`above4`) WHERE "above4" is not null;--> statement-breakpoint
CREATE TABLE `grouped_events` (
	`subscription_uid` text NOT NULL,
	`type` text NOT NULL,
	`vulnerability` text NOT NULL,
	`event_uid` text NOT NULL,
	`time` integer NOT NULL,
	PRIMARY KEY(`subscription_uid`, `type`, `vulnerability`, `event_uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `grouped_events_by_time` ON `grouped_events` (`time`);--> statement-breakpoint
CREATE TABLE `heartbeats` (
	`id` integer PRIMARY KEY NOT NULL,
	`time` integer NOT NULL
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`sink` text NOT NULL,
	`event_types` text DEFAULT '[]' NOT NULL,
	`repo_uids` text DEFAULT '[]' NOT NULL,
	`tag_pattern` text DEFAULT '' NOT NULL,
	`grouping` integer DEFAULT 0 NOT NULL,
	`minimum_severity` integer DEFAULT 0 NOT NULL,
	`wants_pulls` integer DEFAULT false NOT NULL,
	`secret` text DEFAULT '' NOT NULL,
	`previous_secret` text DEFAULT '' NOT NULL,
	`previous_secret_expire_time` integer DEFAULT 0 NOT NULL,
	`disable_time` integer,
	`disable_reason` text DEFAULT '' NOT NULL,
	`failing_since` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`pause_end_time` integer DEFAULT 0 NOT NULL,
	`slow_end_time` integer,
	`host` text DEFAULT '' NOT NULL,
	`confirm_time` integer,
	`confirm_due_time` integer,
	`confirm_failures` integer DEFAULT 0 NOT NULL,
	`redelivery_time` integer
);
--> statement-breakpoint
CREATE INDEX `subscriptions_children_by_uid` ON `subscriptions` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `subscriptions_of_parent_by_created` ON `subscriptions` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `subscriptions_of_parent_by_updated` ON `subscriptions` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `subscriptions_above0_by_created` ON `subscriptions` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_above0_by_updated` ON `subscriptions` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_above1_by_created` ON `subscriptions` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_above1_by_updated` ON `subscriptions` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_above2_by_created` ON `subscriptions` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_above2_by_updated` ON `subscriptions` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_above3_by_created` ON `subscriptions` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_above3_by_updated` ON `subscriptions` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_siblings` ON `subscriptions` (`parent`,`sink`);--> statement-breakpoint
CREATE INDEX `subscriptions_hearing_pulls` ON `subscriptions` (`ancestor0`) WHERE "wants_pulls" and "disable_time" is null;--> statement-breakpoint
CREATE INDEX `subscriptions_unconfirmed` ON `subscriptions` (`confirm_due_time`) WHERE confirm_due_time is not null;--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 40 then unhex(substr(("uid" || '/0000000000000000'), -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 57 then unhex(substr(("uid" || '/0000000000000000'), 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 74 then unhex(substr(("uid" || '/0000000000000000'), 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 91 then unhex(substr(("uid" || '/0000000000000000'), 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 108 then unhex(substr(("uid" || '/0000000000000000'), 76, 10)) end) VIRTUAL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`accounts` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `account_associations_children_by_uid` ON `account_associations` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `account_associations_of_parent_by_created` ON `account_associations` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `account_associations_of_parent_by_updated` ON `account_associations` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `account_associations_of_parent_by_name` ON `account_associations` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX `account_associations_above0_by_created` ON `account_associations` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above0_by_updated` ON `account_associations` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above0_by_name` ON `account_associations` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above1_by_created` ON `account_associations` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above1_by_updated` ON `account_associations` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above1_by_name` ON `account_associations` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above2_by_created` ON `account_associations` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above2_by_updated` ON `account_associations` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above2_by_name` ON `account_associations` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above3_by_created` ON `account_associations` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above3_by_updated` ON `account_associations` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `account_associations_above3_by_name` ON `account_associations` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL,
	`key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL,
	`external_group_id` text NOT NULL,
	`role_uid` text NOT NULL,
	`scope` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key0_by_created` ON `external_group_role_mappings` (`key0`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key0_by_updated` ON `external_group_role_mappings` (`key0`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key0_by_group` ON `external_group_role_mappings` (`key0`,`external_group_id`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key0_by_role` ON `external_group_role_mappings` (`key0`,`role_uid`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key1_by_created` ON `external_group_role_mappings` (`key1`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key1_by_updated` ON `external_group_role_mappings` (`key1`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key1_by_group` ON `external_group_role_mappings` (`key1`,`external_group_id`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key1_by_role` ON `external_group_role_mappings` (`key1`,`role_uid`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key2_by_created` ON `external_group_role_mappings` (`key2`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key2_by_updated` ON `external_group_role_mappings` (`key2`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key2_by_group` ON `external_group_role_mappings` (`key2`,`external_group_id`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key2_by_role` ON `external_group_role_mappings` (`key2`,`role_uid`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key3_by_created` ON `external_group_role_mappings` (`key3`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key3_by_updated` ON `external_group_role_mappings` (`key3`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key3_by_group` ON `external_group_role_mappings` (`key3`,`external_group_id`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key3_by_role` ON `external_group_role_mappings` (`key3`,`role_uid`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key4_by_created` ON `external_group_role_mappings` (`key4`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key4_by_updated` ON `external_group_role_mappings` (`key4`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key4_by_group` ON `external_group_role_mappings` (`key4`,`external_group_id`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key4_by_role` ON `external_group_role_mappings` (`key4`,`role_uid`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key5_by_created` ON `external_group_role_mappings` (`key5`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key5_by_updated` ON `external_group_role_mappings` (`key5`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key5_by_group` ON `external_group_role_mappings` (`key5`,`external_group_id`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `external_group_role_mappings_key5_by_role` ON `external_group_role_mappings` (`key5`,`role_uid`,`step`) WHERE "key5" is not null;--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`role_uid` text NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`expiration_time` integer NOT NULL,
	`single_use` integer DEFAULT false NOT NULL,
	`key_id` text NOT NULL,
	`code_digest` text NOT NULL,
	`inviter_uid` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `group_invites_children_by_uid` ON `group_invites` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `group_invites_of_parent_by_created` ON `group_invites` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `group_invites_of_parent_by_updated` ON `group_invites` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `group_invites_of_parent_by_expiration` ON `group_invites` (`parent_key`,`expiration_time`,`step`);--> statement-breakpoint
CREATE INDEX `group_invites_above0_by_created` ON `group_invites` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above0_by_updated` ON `group_invites` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above0_by_expiration` ON `group_invites` (`above0`,`expiration_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above1_by_created` ON `group_invites` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above1_by_updated` ON `group_invites` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above1_by_expiration` ON `group_invites` (`above1`,`expiration_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above2_by_created` ON `group_invites` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above2_by_updated` ON `group_invites` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above2_by_expiration` ON `group_invites` (`above2`,`expiration_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above3_by_created` ON `group_invites` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above3_by_updated` ON `group_invites` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `group_invites_above3_by_expiration` ON `group_invites` (`above3`,`expiration_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `group_invites_by_key` ON `group_invites` (`key_id`);--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`suid` text GENERATED ALWAYS AS (substr("uid", -16)) VIRTUAL NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`verified` integer DEFAULT false NOT NULL,
	`kind` integer DEFAULT 0 NOT NULL,
	`status` integer DEFAULT 2 NOT NULL,
	`resource_limits` text DEFAULT '{}' NOT NULL,
	`keys_disabled` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX `groups_children_by_uid` ON `groups` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `groups_of_parent_by_created` ON `groups` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `groups_of_parent_by_updated` ON `groups` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `groups_of_parent_by_name` ON `groups` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX `groups_above0_by_created` ON `groups` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `groups_above0_by_updated` ON `groups` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `groups_above0_by_name` ON `groups` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `groups_above1_by_created` ON `groups` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `groups_above1_by_updated` ON `groups` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `groups_above1_by_name` ON `groups` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `groups_above2_by_created` ON `groups` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `groups_above2_by_updated` ON `groups` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `groups_above2_by_name` ON `groups` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `groups_above3_by_created` ON `groups` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `groups_above3_by_updated` ON `groups` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `groups_above3_by_name` ON `groups` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`email_unverified` text DEFAULT '' NOT NULL,
	`company` text DEFAULT '' NOT NULL,
	`last_seen_time` integer NOT NULL,
	`relationship_type` integer DEFAULT 0 NOT NULL,
	`relationship` text,
	`issuer` text,
	`subject` text,
	`relationship_time` integer DEFAULT 0 NOT NULL,
	`first_used_time` integer DEFAULT 9007199254740991 NOT NULL,
	`last_used_time` integer DEFAULT 0 NOT NULL,
	`idle_since_time` integer GENERATED ALWAYS AS (case when "last_used_time" = 0 then "create_time" else ("last_used_time" / 86400000 + 1) * 86400000 end) VIRTUAL NOT NULL,
	`key_expire_time` integer,
	`key_notice_time` integer,
	`matcher_key` text GENERATED ALWAYS AS (substr(coalesce(rtrim(replace(replace(lower("relationship" ->> '$.value.issuer'), 'https://', ''), 'http://', ''), '/'), case when "relationship" ->> '$.value.issuerPattern' is not null then '~' end) || ' ' || coalesce('=' || lower("relationship" ->> '$.value.subject'), '*' || lower("relationship" ->> '$.value.subjectPattern')), 1, 512)) VIRTUAL
);
--> statement-breakpoint
CREATE INDEX `identities_children_by_uid` ON `identities` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `identities_of_parent_by_created` ON `identities` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `identities_of_parent_by_updated` ON `identities` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `identities_of_parent_by_name` ON `identities` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX `identities_of_parent_by_idle` ON `identities` (`parent_key`,`idle_since_time`,`step`);--> statement-breakpoint
CREATE INDEX `identities_of_parent_by_expiry` ON `identities` (`parent_key`,`key_expire_time`,`step`) WHERE "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_above0_by_created` ON `identities` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `identities_above0_by_updated` ON `identities` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `identities_above0_by_name` ON `identities` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `identities_above0_by_idle` ON `identities` (`above0`,`idle_since_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `identities_above0_by_expiry` ON `identities` (`above0`,`key_expire_time`,`step`) WHERE "above0" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_above1_by_created` ON `identities` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `identities_above1_by_updated` ON `identities` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `identities_above1_by_name` ON `identities` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `identities_above1_by_idle` ON `identities` (`above1`,`idle_since_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `identities_above1_by_expiry` ON `identities` (`above1`,`key_expire_time`,`step`) WHERE "above1" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_above2_by_created` ON `identities` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `identities_above2_by_updated` ON `identities` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `identities_above2_by_name` ON `identities` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `identities_above2_by_idle` ON `identities` (`above2`,`idle_since_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `identities_above2_by_expiry` ON `identities` (`above2`,`key_expire_time`,`step`) WHERE "above2" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_above3_by_created` ON `identities` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `identities_above3_by_updated` ON `identities` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `identities_above3_by_name` ON `identities` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `identities_above3_by_idle` ON `identities` (`above3`,`idle_since_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `identities_above3_by_expiry` ON `identities` (`above3`,`key_expire_time`,`step`) WHERE "above3" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_by_kind` ON `identities` (`relationship_type`,`uid`) WHERE "relationship_type" <> 0;--> statement-breakpoint
CREATE INDEX `identities_by_notice` ON `identities` (`key_notice_time`) WHERE "key_notice_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_by_subject` ON `identities` (`issuer`,`subject`,`parent`);--> statement-breakpoint
CREATE INDEX `identities_by_first_use` ON `identities` (`issuer`,`subject`,`first_used_time`);--> statement-breakpoint
CREATE INDEX `identities_by_claims` ON `identities` (("relationship" ->> '$.value.subject'),("relationship" ->> '$.value.issuer'));--> statement-breakpoint
CREATE INDEX `identities_0_by_matcher` ON `identities` (`ancestor0`,`matcher_key`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identities_1_by_matcher` ON `identities` (`ancestor1`,`matcher_key`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identities_2_by_matcher` ON `identities` (`ancestor2`,`matcher_key`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identities_3_by_matcher` ON `identities` (`ancestor3`,`matcher_key`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identities_4_by_matcher` ON `identities` (`ancestor4`,`matcher_key`) WHERE "ancestor4" is not null;--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
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
	`scim_token_notice_time` integer,
	`scim_previous_token_digest` text DEFAULT '' NOT NULL,
	`scim_previous_token_expire_time` integer
);
--> statement-breakpoint
CREATE INDEX `identity_providers_children_by_uid` ON `identity_providers` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `identity_providers_of_parent_by_created` ON `identity_providers` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `identity_providers_of_parent_by_updated` ON `identity_providers` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `identity_providers_of_parent_by_name` ON `identity_providers` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX `identity_providers_above0_by_created` ON `identity_providers` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above0_by_updated` ON `identity_providers` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above0_by_name` ON `identity_providers` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above1_by_created` ON `identity_providers` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above1_by_updated` ON `identity_providers` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above1_by_name` ON `identity_providers` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above2_by_created` ON `identity_providers` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above2_by_updated` ON `identity_providers` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above2_by_name` ON `identity_providers` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above3_by_created` ON `identity_providers` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above3_by_updated` ON `identity_providers` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_above3_by_name` ON `identity_providers` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `identity_providers_by_issuer` ON `identity_providers` (`issuer`);--> statement-breakpoint
CREATE INDEX `identity_providers_by_default_role` ON `identity_providers` (`default_role`);--> statement-breakpoint
CREATE INDEX `identity_providers_by_notice` ON `identity_providers` (`scim_token_notice_time`) WHERE "scim_token_notice_time" is not null;--> statement-breakpoint
CREATE TABLE `keys` (
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
	`scopes` text NOT NULL,
	`actions` text NOT NULL,
	`networks` text NOT NULL,
	`expire_time` integer NOT NULL,
	`notice_time` integer,
	`last_used_time` integer DEFAULT 0 NOT NULL,
	`creator_uid` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `keys_key0_by_created` ON `keys` (`key0`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `keys_key0_by_name` ON `keys` (`key0`,`name`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `keys_key0_by_expiry` ON `keys` (`key0`,`expire_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `keys_key1_by_created` ON `keys` (`key1`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `keys_key1_by_name` ON `keys` (`key1`,`name`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `keys_key1_by_expiry` ON `keys` (`key1`,`expire_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `keys_key2_by_created` ON `keys` (`key2`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `keys_key2_by_name` ON `keys` (`key2`,`name`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `keys_key2_by_expiry` ON `keys` (`key2`,`expire_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `keys_key3_by_created` ON `keys` (`key3`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `keys_key3_by_name` ON `keys` (`key3`,`name`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `keys_key3_by_expiry` ON `keys` (`key3`,`expire_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `keys_key4_by_created` ON `keys` (`key4`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `keys_key4_by_name` ON `keys` (`key4`,`name`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `keys_key4_by_expiry` ON `keys` (`key4`,`expire_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `keys_key5_by_created` ON `keys` (`key5`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `keys_key5_by_name` ON `keys` (`key5`,`name`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `keys_key5_by_expiry` ON `keys` (`key5`,`expire_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `keys_by_digest` ON `keys` (`digest`);--> statement-breakpoint
CREATE INDEX `keys_by_notice` ON `keys` (`notice_time`) WHERE "notice_time" is not null;--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`above4` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 93, 10)) end) VIRTUAL,
	`identity_uid` text NOT NULL,
	`role_uid` text NOT NULL,
	`accepted` integer DEFAULT true NOT NULL,
	`use_unknown_until` integer DEFAULT 0 NOT NULL,
	`last_used_time` integer DEFAULT 0 NOT NULL,
	`idle_since_time` integer GENERATED ALWAYS AS (case when "last_used_time" = 0 then max("update_time", "use_unknown_until") else ("last_used_time" / 86400000 + 1) * 86400000 end) VIRTUAL NOT NULL
);
--> statement-breakpoint
CREATE INDEX `role_bindings_children_by_uid` ON `role_bindings` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `role_bindings_of_parent_by_created` ON `role_bindings` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `role_bindings_of_parent_by_updated` ON `role_bindings` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `role_bindings_of_parent_by_identity` ON `role_bindings` (`parent_key`,`identity_uid`,`step`);--> statement-breakpoint
CREATE INDEX `role_bindings_of_parent_by_role` ON `role_bindings` (`parent_key`,`role_uid`,`step`);--> statement-breakpoint
CREATE INDEX `role_bindings_of_parent_by_idle` ON `role_bindings` (`parent_key`,`idle_since_time`,`step`);--> statement-breakpoint
CREATE INDEX `role_bindings_above0_by_created` ON `role_bindings` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above0_by_updated` ON `role_bindings` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above0_by_identity` ON `role_bindings` (`above0`,`identity_uid`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above0_by_role` ON `role_bindings` (`above0`,`role_uid`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above0_by_idle` ON `role_bindings` (`above0`,`idle_since_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above1_by_created` ON `role_bindings` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above1_by_updated` ON `role_bindings` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above1_by_identity` ON `role_bindings` (`above1`,`identity_uid`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above1_by_role` ON `role_bindings` (`above1`,`role_uid`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above1_by_idle` ON `role_bindings` (`above1`,`idle_since_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above2_by_created` ON `role_bindings` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above2_by_updated` ON `role_bindings` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above2_by_identity` ON `role_bindings` (`above2`,`identity_uid`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above2_by_role` ON `role_bindings` (`above2`,`role_uid`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above2_by_idle` ON `role_bindings` (`above2`,`idle_since_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above3_by_created` ON `role_bindings` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above3_by_updated` ON `role_bindings` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above3_by_identity` ON `role_bindings` (`above3`,`identity_uid`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above3_by_role` ON `role_bindings` (`above3`,`role_uid`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above3_by_idle` ON `role_bindings` (`above3`,`idle_since_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above4_by_created` ON `role_bindings` (`above4`,`create_time`,`step`) WHERE "above4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above4_by_updated` ON `role_bindings` (`above4`,`update_time`,`step`) WHERE "above4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above4_by_identity` ON `role_bindings` (`above4`,`identity_uid`,`step`) WHERE "above4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above4_by_role` ON `role_bindings` (`above4`,`role_uid`,`step`) WHERE "above4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_above4_by_idle` ON `role_bindings` (`above4`,`idle_since_time`,`step`) WHERE "above4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_by_identity` ON `role_bindings` (`identity_uid`,`accepted`,`parent`);--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`capabilities` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `roles_children_by_uid` ON `roles` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `roles_of_parent_by_created` ON `roles` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `roles_of_parent_by_updated` ON `roles` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `roles_above0_by_created` ON `roles` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `roles_above0_by_updated` ON `roles` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `roles_above0_by_name` ON `roles` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `roles_above1_by_created` ON `roles` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `roles_above1_by_updated` ON `roles` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `roles_above1_by_name` ON `roles` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `roles_above2_by_created` ON `roles` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `roles_above2_by_updated` ON `roles` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `roles_above2_by_name` ON `roles` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `roles_above3_by_created` ON `roles` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `roles_above3_by_updated` ON `roles` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `roles_above3_by_name` ON `roles` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `roles_siblings` ON `roles` (`parent`,`name`);--> statement-breakpoint
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
CREATE INDEX `scim_groups_children_by_created` ON `scim_groups` (`parent`,`create_time`,`uid`);--> statement-breakpoint
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
CREATE TABLE `device_codes` (
	`slot` text PRIMARY KEY NOT NULL,
	`user_code` text NOT NULL,
	`device` text NOT NULL,
	`client_name` text NOT NULL,
	`scope` text NOT NULL,
	`idp` text NOT NULL,
	`place` text NOT NULL,
	`state` text NOT NULL,
	`login_grant` text NOT NULL,
	`entries` integer NOT NULL,
	`poll_interval` integer NOT NULL,
	`poll_time` integer NOT NULL,
	`expire_time` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `device_networks` (
	`network` text PRIMARY KEY NOT NULL,
	`starts` integer NOT NULL,
	`guesses` integer NOT NULL,
	`expire_time` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `device_networks_by_expiry` ON `device_networks` (`expire_time`);--> statement-breakpoint
CREATE TABLE `headless_sessions` (
	`code` text PRIMARY KEY NOT NULL,
	`ecdh_public_key` text NOT NULL,
	`encrypted_idtoken` text NOT NULL,
	`expire_time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `headless_sessions_by_expiry` ON `headless_sessions` (`expire_time`);--> statement-breakpoint
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
CREATE TABLE `sessions` (
	`uid` text PRIMARY KEY NOT NULL,
	`identity_uid` text NOT NULL,
	`kind` integer NOT NULL,
	`client` text NOT NULL,
	`user_agent` text NOT NULL,
	`create_time` integer NOT NULL,
	`last_used_time` integer NOT NULL,
	`expire_time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_by_identity` ON `sessions` (`identity_uid`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expire_time`);--> statement-breakpoint
CREATE TABLE `sign_ins` (
	`identity_provider_uid` text NOT NULL,
	`identity_uid` text NOT NULL,
	`create_time` integer NOT NULL,
	`last_time` integer NOT NULL,
	PRIMARY KEY(`identity_provider_uid`, `identity_uid`)
);
--> statement-breakpoint
CREATE INDEX `sign_ins_by_identity` ON `sign_ins` (`identity_uid`,`identity_provider_uid`);--> statement-breakpoint
CREATE TABLE `deletions` (
	`uid` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text DEFAULT 'repos' NOT NULL,
	`storage_id` integer,
	`organization_id` integer,
	`time` integer NOT NULL,
	`identity_uid` text NOT NULL,
	`identity_name` text NOT NULL,
	`is_removing` integer DEFAULT false NOT NULL,
	`turn` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deletions_by_turn` ON `deletions` (`turn`);--> statement-breakpoint
CREATE UNIQUE INDEX `deletions_storage` ON `deletions` (`storage_id`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`organization_uid` text NOT NULL,
	`caller_uid` text NOT NULL,
	`key_digest` text NOT NULL,
	`method` text NOT NULL,
	`request_digest` text NOT NULL,
	`form` text NOT NULL,
	`answer` text,
	`create_time` integer NOT NULL,
	PRIMARY KEY(`organization_uid`, `caller_uid`, `key_digest`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_time` ON `idempotency_keys` (`create_time`);--> statement-breakpoint
CREATE TABLE `organization_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`table_name` text NOT NULL,
	`row_key` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `organization_changes_of` ON `organization_changes` (`uid`,`table_name`,`row_key`);--> statement-breakpoint
CREATE TABLE `organization_databases` (
	`uid` text PRIMARY KEY NOT NULL,
	`database` text NOT NULL,
	`verified_name` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_databases_verified` ON `organization_databases` (`verified_name`) WHERE "verified_name" is not null;--> statement-breakpoint
CREATE TABLE `organization_moves` (
	`uid` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`database` text NOT NULL,
	`time` integer NOT NULL,
	`progress` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `quotas` (
	`organization` text NOT NULL,
	`kind` text NOT NULL,
	`quota_limit` integer NOT NULL,
	`update_time` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization`, `kind`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `quotas_of_zero` ON `quotas` (`kind`,`organization`) WHERE quota_limit = 0;--> statement-breakpoint
CREATE INDEX `quotas_of_rates` ON `quotas` (`organization`) WHERE kind = 'rate_percent';--> statement-breakpoint
CREATE TABLE `announced_vulnerabilities` (
	`image_uid` text NOT NULL,
	`vulnerability` text NOT NULL,
	`severity` integer NOT NULL,
	`ids` text NOT NULL,
	PRIMARY KEY(`image_uid`, `vulnerability`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `expiry_items` (
	`plan_uid` text NOT NULL,
	`number` integer NOT NULL,
	`tag` text NOT NULL,
	`digest` text NOT NULL,
	`rule` integer NOT NULL,
	`reason` text NOT NULL,
	`pull_time` integer,
	`bytes` integer NOT NULL,
	`outcome` integer NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`snapshot` text,
	PRIMARY KEY(`plan_uid`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `expiry_plans` (
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL,
	`key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL,
	`state` integer NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`daily` integer DEFAULT false NOT NULL,
	`needs_approval` integer DEFAULT false NOT NULL,
	`truncated` integer DEFAULT false NOT NULL,
	`rules` text DEFAULT '[]' NOT NULL,
	`creator_uid` text DEFAULT '' NOT NULL,
	`creator` text DEFAULT '' NOT NULL,
	`approver_uid` text DEFAULT '' NOT NULL,
	`approver` text DEFAULT '' NOT NULL,
	`approve_time` integer,
	`end_time` integer,
	`pulls_known_time` integer,
	`undo_expire_time` integer,
	`tag_count` integer DEFAULT 0 NOT NULL,
	`manifest_count` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`held_bytes` integer DEFAULT 0 NOT NULL,
	`deleted_count` integer DEFAULT 0 NOT NULL,
	`left_count` integer DEFAULT 0 NOT NULL,
	`restored_count` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `expiry_plans_key0_by_created` ON `expiry_plans` (`key0`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `expiry_plans_key1_by_created` ON `expiry_plans` (`key1`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `expiry_plans_key2_by_created` ON `expiry_plans` (`key2`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `expiry_plans_key3_by_created` ON `expiry_plans` (`key3`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `expiry_plans_key4_by_created` ON `expiry_plans` (`key4`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `expiry_plans_key5_by_created` ON `expiry_plans` (`key5`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `expiry_plans_of_repo` ON `expiry_plans` (`parent`,`create_time`);--> statement-breakpoint
CREATE UNIQUE INDEX `expiry_plans_open` ON `expiry_plans` (`parent`) WHERE "state" < 4;--> statement-breakpoint
CREATE INDEX `expiry_plans_by_update` ON `expiry_plans` (`update_time`);--> statement-breakpoint
CREATE INDEX `expiry_plans_awaiting_pulls` ON `expiry_plans` (`create_time`) WHERE "state" < 4 and "pulls_known_time" is null;--> statement-breakpoint
CREATE INDEX `expiry_plans_due` ON `expiry_plans` (`state`,`update_time`) WHERE "state" in (2, 3, 6);--> statement-breakpoint
CREATE INDEX `expiry_plans_by_undo` ON `expiry_plans` (`undo_expire_time`) WHERE undo_expire_time is not null;--> statement-breakpoint
CREATE INDEX `expiry_plans_undoable` ON `expiry_plans` (`ancestor0`,`undo_expire_time`) WHERE undo_expire_time is not null;--> statement-breakpoint
CREATE TABLE `examined_images` (
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
	`report_uid` text,
	`scan_time` integer,
	`sbom_uid` text,
	`findings_version` integer DEFAULT 0 NOT NULL,
	`finding_count` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `examined_images_siblings` ON `examined_images` (`parent`,`digest`);--> statement-breakpoint
CREATE INDEX `examined_images_by_report` ON `examined_images` (`report_uid`);--> statement-breakpoint
CREATE INDEX `examined_images_by_sbom` ON `examined_images` (`sbom_uid`);--> statement-breakpoint
CREATE INDEX `examined_images_by_version` ON `examined_images` (`findings_version`,`uid`);--> statement-breakpoint
CREATE TABLE `finding_ids` (
	`id` text NOT NULL,
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	PRIMARY KEY(`id`, `uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `findings` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`image_uid` text NOT NULL,
	`create_time` integer DEFAULT 0 NOT NULL,
	`vulnerability_id` text NOT NULL,
	`aliases` text NOT NULL,
	`severity` integer NOT NULL,
	`fix_state` integer NOT NULL,
	`fix_versions` text NOT NULL,
	`has_fix` integer NOT NULL,
	`package_name` text NOT NULL,
	`package_version` text NOT NULL,
	`purl` text NOT NULL,
	`package_key` text NOT NULL,
	`product_name` text NOT NULL,
	`found_by` integer DEFAULT 2 NOT NULL,
	`unknown` text DEFAULT '' NOT NULL,
	`facts` text DEFAULT '[]' NOT NULL,
	`fix_class` integer GENERATED ALWAYS AS (max("severity", 2) * 2 + "has_fix") VIRTUAL NOT NULL
);
--> statement-breakpoint
CREATE INDEX `findings_children` ON `findings` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `findings_by_severity` ON `findings` (`severity`,`uid`);--> statement-breakpoint
CREATE INDEX `findings_by_fix` ON `findings` (`fix_class`,`uid`);--> statement-breakpoint
CREATE INDEX `findings_by_package` ON `findings` (`package_key`,`uid`);--> statement-breakpoint
CREATE INDEX `findings_by_image` ON `findings` (`image_uid`,`uid`);--> statement-breakpoint
CREATE TABLE `image_holds` (
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
	`digests` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `image_holds_key0_by_created` ON `image_holds` (`key0`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key0_by_updated` ON `image_holds` (`key0`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key0_by_name` ON `image_holds` (`key0`,`name`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key1_by_created` ON `image_holds` (`key1`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key1_by_updated` ON `image_holds` (`key1`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key1_by_name` ON `image_holds` (`key1`,`name`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key2_by_created` ON `image_holds` (`key2`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key2_by_updated` ON `image_holds` (`key2`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key2_by_name` ON `image_holds` (`key2`,`name`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key3_by_created` ON `image_holds` (`key3`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key3_by_updated` ON `image_holds` (`key3`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key3_by_name` ON `image_holds` (`key3`,`name`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key4_by_created` ON `image_holds` (`key4`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key4_by_updated` ON `image_holds` (`key4`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key4_by_name` ON `image_holds` (`key4`,`name`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key5_by_created` ON `image_holds` (`key5`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key5_by_updated` ON `image_holds` (`key5`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `image_holds_key5_by_name` ON `image_holds` (`key5`,`name`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `image_holds_siblings` ON `image_holds` (`parent`,`name`);--> statement-breakpoint
CREATE TABLE `image_signatures` (
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`digest` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`create_time` integer NOT NULL,
	PRIMARY KEY(`uid`, `digest`, `issuer`, `subject`)
);
--> statement-breakpoint
CREATE INDEX `image_signatures_of_image` ON `image_signatures` (`parent`,`digest`);--> statement-breakpoint
CREATE TABLE `index_entries` (
	`repo_uid` text NOT NULL,
	`digest` text NOT NULL,
	`index_uid` text NOT NULL,
	`index_digest` text NOT NULL,
	PRIMARY KEY(`repo_uid`, `digest`, `index_uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `index_entries_of` ON `index_entries` (`index_uid`);--> statement-breakpoint
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
	`size` integer NOT NULL,
	`architecture` text DEFAULT '' NOT NULL,
	`signatures` integer DEFAULT 0 NOT NULL,
	`os` text DEFAULT '' NOT NULL,
	`image_time` integer,
	`config` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `manifests_siblings` ON `manifests` (`parent`,`digest`);--> statement-breakpoint
CREATE INDEX `manifests_children_by_created` ON `manifests` (`parent`,`create_time`,`uid`);--> statement-breakpoint
CREATE INDEX `manifests_by_digest` ON `manifests` (`digest`,`uid`);--> statement-breakpoint
CREATE TABLE `match_marks` (
	`root` text NOT NULL,
	`kind` integer NOT NULL,
	`uid` text NOT NULL,
	`revision` integer NOT NULL,
	`cursor` text NOT NULL,
	PRIMARY KEY(`root`, `kind`, `uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `mirror_fetches` (
	`repo_uid` text NOT NULL,
	`reference` text NOT NULL,
	`holder` text NOT NULL,
	`expire_time` integer NOT NULL,
	PRIMARY KEY(`repo_uid`, `reference`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `mirror_fetches_by_time` ON `mirror_fetches` (`expire_time`);--> statement-breakpoint
CREATE TABLE `mirrored_tags` (
	`repo_uid` text NOT NULL,
	`tag` text NOT NULL,
	`check_time` integer NOT NULL,
	`problem` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`repo_uid`, `tag`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `repo_syncs` (
	`repo_uid` text PRIMARY KEY NOT NULL,
	`time` integer NOT NULL,
	`is_partial` integer DEFAULT false NOT NULL,
	`problem` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `upstream_states` (
	`repo_uid` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`check_time` integer DEFAULT 0 NOT NULL,
	`error` text DEFAULT '' NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`error_time` integer,
	`retry_time` integer DEFAULT 0 NOT NULL,
	`outage_time` integer,
	`pull_limit` integer,
	`pulls_remaining` integer
);
--> statement-breakpoint
CREATE INDEX `upstream_states_by_account` ON `upstream_states` (`account`);--> statement-breakpoint
CREATE TABLE `public_digests` (
	`repo_id` integer NOT NULL,
	`digest` blob NOT NULL,
	PRIMARY KEY(`repo_id`, `digest`)
) WITHOUT ROWID;
--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`catalog_tier` integer DEFAULT 0 NOT NULL,
	`bundles` text DEFAULT '[]' NOT NULL,
	`aliases` text DEFAULT '[]' NOT NULL,
	`active_tags` text DEFAULT '[]' NOT NULL,
	`sync_config` text,
	`sync_identity` text DEFAULT '' NOT NULL,
	`custom_overlay` text,
	`upstream` text,
	`upstream_password` text DEFAULT '' NOT NULL,
	`upstream_schedule` text,
	`readme` text DEFAULT '' NOT NULL,
	`readme_update_time` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `repos_children_by_uid` ON `repos` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `repos_of_parent_by_created` ON `repos` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `repos_of_parent_by_updated` ON `repos` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `repos_above0_by_created` ON `repos` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `repos_above0_by_updated` ON `repos` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `repos_above0_by_name` ON `repos` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `repos_above1_by_created` ON `repos` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `repos_above1_by_updated` ON `repos` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `repos_above1_by_name` ON `repos` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `repos_above2_by_created` ON `repos` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `repos_above2_by_updated` ON `repos` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `repos_above2_by_name` ON `repos` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `repos_above3_by_created` ON `repos` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `repos_above3_by_updated` ON `repos` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `repos_above3_by_name` ON `repos` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `repos_siblings` ON `repos` (`parent`,`name`);--> statement-breakpoint
CREATE INDEX `repos_by_upstream` ON `repos` ("upstream" ->> '$.sourceUid') WHERE "upstream" is not null;--> statement-breakpoint
CREATE INDEX `repos_with_schedule` ON `repos` (`uid`) WHERE "upstream_schedule" is not null;--> statement-breakpoint
CREATE INDEX `repos_by_source` ON `repos` ("sync_config" ->> '$.source') WHERE "sync_config" is not null;--> statement-breakpoint
CREATE TABLE `indexed_sboms` (
	`uid` text PRIMARY KEY NOT NULL,
	`packages_version` integer DEFAULT 0 NOT NULL,
	`package_count` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `indexed_sboms_by_version` ON `indexed_sboms` (`packages_version`,`uid`);--> statement-breakpoint
CREATE TABLE `sbom_packages` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`sbom_uid` text NOT NULL,
	`name` text NOT NULL,
	`namespace` text NOT NULL,
	`version` text NOT NULL,
	`type` text NOT NULL,
	`purl` text NOT NULL,
	`package_key` text NOT NULL,
	`version_order` text NOT NULL,
	`sort_key` text NOT NULL,
	`license` text NOT NULL,
	`match_key` text DEFAULT '' NOT NULL,
	`release` text DEFAULT '' NOT NULL,
	`match_order` text DEFAULT '' NOT NULL,
	`match_sort_key` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sbom_packages_children` ON `sbom_packages` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `sbom_packages_by_name` ON `sbom_packages` (`name`,`uid`);--> statement-breakpoint
CREATE INDEX `sbom_packages_by_package` ON `sbom_packages` (`package_key`,`uid`);--> statement-breakpoint
CREATE INDEX `sbom_packages_by_sbom` ON `sbom_packages` (`sbom_uid`,`uid`);--> statement-breakpoint
CREATE INDEX `sbom_packages_by_match` ON `sbom_packages` (`match_key`,`ancestor0`,`release`,`match_order`,`match_sort_key`,`uid`);--> statement-breakpoint
CREATE TABLE `sboms` (
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL,
	`key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL,
	`digest` text NOT NULL,
	`format` integer NOT NULL,
	`spec_version` text NOT NULL,
	`name` text NOT NULL,
	`package_count` integer NOT NULL,
	`size` integer NOT NULL,
	`content_digest` text NOT NULL,
	`packages_length` integer NOT NULL,
	`packages` text NOT NULL,
	`content` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sboms_key0_by_updated` ON `sboms` (`key0`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key1_by_updated` ON `sboms` (`key1`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key2_by_updated` ON `sboms` (`key2`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key3_by_updated` ON `sboms` (`key3`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key4_by_updated` ON `sboms` (`key4`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key5_by_updated` ON `sboms` (`key5`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `sboms_siblings` ON `sboms` (`parent`,`digest`);--> statement-breakpoint
CREATE INDEX `sboms_by_digest` ON `sboms` (`digest`,`uid`);--> statement-breakpoint
CREATE TABLE `signed_verdicts` (
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`policy_uid` text NOT NULL,
	`digest` text NOT NULL,
	`manifest` text DEFAULT '' NOT NULL,
	`key_id` text DEFAULT '' NOT NULL,
	`due_time` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`uid`, `policy_uid`)
);
--> statement-breakpoint
CREATE INDEX `signed_verdicts_due` ON `signed_verdicts` (`due_time`);--> statement-breakpoint
CREATE INDEX `signed_verdicts_of_repo` ON `signed_verdicts` (`parent`);--> statement-breakpoint
CREATE TABLE `pull_hours` (
	`repo_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`pulls` integer NOT NULL,
	PRIMARY KEY(`repo_id`, `hour`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `pull_hours_by_hour` ON `pull_hours` (`hour`);--> statement-breakpoint
CREATE TABLE `tag_pulls` (
	`repo_id` integer NOT NULL,
	`reference` text NOT NULL,
	`identity` text NOT NULL,
	`identity_name` text NOT NULL,
	`time` integer NOT NULL,
	`days` integer NOT NULL,
	`pulls` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`repo_id`, `reference`, `identity`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tag_pulls_latest` ON `tag_pulls` (`repo_id`,`reference`,`time`);--> statement-breakpoint
CREATE INDEX `tag_pulls_by_time` ON `tag_pulls` (`time`);--> statement-breakpoint
CREATE TABLE `tag_bursts` (
	`repo_uid` text PRIMARY KEY NOT NULL,
	`start_time` integer NOT NULL,
	`end_time` integer NOT NULL,
	`tags` integer NOT NULL,
	`largest` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tag_names` (
	`id` integer PRIMARY KEY NOT NULL,
	`repo_id` integer NOT NULL,
	`tag` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_names_of_repo` ON `tag_names` (`repo_id`,`tag`);--> statement-breakpoint
CREATE TABLE `tag_origins` (
	`id` integer PRIMARY KEY NOT NULL,
	`repo_uid` text NOT NULL,
	`repo` text NOT NULL,
	`identity` text NOT NULL,
	`identity_name` text NOT NULL,
	`method` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_origins_once` ON `tag_origins` (`repo_uid`,`repo`,`identity`,`identity_name`,`method`);--> statement-breakpoint
CREATE TABLE `tag_records` (
	`tag_id` integer NOT NULL,
	`update_time` integer NOT NULL,
	`organization_id` integer NOT NULL,
	`repo_id` integer NOT NULL,
	`digest` blob NOT NULL,
	`digest_key` blob GENERATED ALWAYS AS (substr("digest", 1, 8)) VIRTUAL,
	`origin_id` integer NOT NULL,
	`flags` integer NOT NULL,
	PRIMARY KEY(`tag_id`, `update_time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tag_records_of_organization` ON `tag_records` (`organization_id`,`update_time`,`tag_id`);--> statement-breakpoint
CREATE INDEX `tag_records_of_repo` ON `tag_records` (`repo_id`,`update_time`,`tag_id`);--> statement-breakpoint
CREATE INDEX `tag_records_of_digest` ON `tag_records` (`repo_id`,`digest_key`);--> statement-breakpoint
CREATE INDEX `tag_records_warned_of_organization` ON `tag_records` (`organization_id`,`update_time`,`tag_id`) WHERE "flags" > 7;--> statement-breakpoint
CREATE INDEX `tag_records_warned_of_repo` ON `tag_records` (`repo_id`,`update_time`,`tag_id`) WHERE "flags" > 7;--> statement-breakpoint
CREATE TABLE `tag_repos` (
	`id` integer PRIMARY KEY NOT NULL,
	`repo_uid` text NOT NULL,
	`organization_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_repos_repo_uid_unique` ON `tag_repos` (`repo_uid`);--> statement-breakpoint
CREATE TABLE `tag_overrides` (
	`repo_uid` text NOT NULL,
	`tag` text NOT NULL,
	`update_time` integer NOT NULL,
	`rule` text NOT NULL,
	`reason` text NOT NULL,
	PRIMARY KEY(`repo_uid`, `tag`, `update_time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tag_rules` (
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
	`description` text DEFAULT '' NOT NULL,
	`include_repos` text DEFAULT '[]' NOT NULL,
	`exclude_repos` text DEFAULT '[]' NOT NULL,
	`include_tags` text DEFAULT '[]' NOT NULL,
	`exclude_tags` text DEFAULT '[]' NOT NULL,
	`keep` text,
	`serve` text,
	`expire` text
);
--> statement-breakpoint
CREATE INDEX `tag_rules_of_parent_by_created` ON `tag_rules` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `tag_rules_of_parent_by_updated` ON `tag_rules` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `tag_rules_of_parent_by_name` ON `tag_rules` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX `tag_rules_key0_by_created` ON `tag_rules` (`key0`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key0_by_updated` ON `tag_rules` (`key0`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key0_by_name` ON `tag_rules` (`key0`,`name`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key1_by_created` ON `tag_rules` (`key1`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key1_by_updated` ON `tag_rules` (`key1`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key1_by_name` ON `tag_rules` (`key1`,`name`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key2_by_created` ON `tag_rules` (`key2`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key2_by_updated` ON `tag_rules` (`key2`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key2_by_name` ON `tag_rules` (`key2`,`name`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key3_by_created` ON `tag_rules` (`key3`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key3_by_updated` ON `tag_rules` (`key3`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key3_by_name` ON `tag_rules` (`key3`,`name`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key4_by_created` ON `tag_rules` (`key4`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key4_by_updated` ON `tag_rules` (`key4`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key4_by_name` ON `tag_rules` (`key4`,`name`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key5_by_created` ON `tag_rules` (`key5`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key5_by_updated` ON `tag_rules` (`key5`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tag_rules_key5_by_name` ON `tag_rules` (`key5`,`name`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `tag_rules_siblings` ON `tag_rules` (`parent`,`name`);--> statement-breakpoint
CREATE INDEX `tag_rules_daily` ON `tag_rules` (`parent`) WHERE "expire" ->> '$.daily';--> statement-breakpoint
CREATE TABLE `tags` (
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
	`line` text DEFAULT '' NOT NULL,
	`line_key` text DEFAULT '' NOT NULL,
	`class` integer GENERATED ALWAYS AS (case
  when "name" glob 'sha256-*' then 1
  when "name" glob '*-20[0-9][0-9][0-9][0-9][0-9][0-9]' then 2
  when "name" glob '*[0-9]' and rtrim("name", '0123456789') glob '*-r' then 3
  else 0 end) VIRTUAL NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_by_path` ON `tags` (`class`,`path`);--> statement-breakpoint
CREATE INDEX `tag_key0_by_created` ON `tags` (`key0`,`class`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tag_key0_by_updated` ON `tags` (`key0`,`class`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tag_key0_by_name` ON `tags` (`key0`,`class`,"name" collate nocase,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tag_key1_by_created` ON `tags` (`key1`,`class`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tag_key1_by_updated` ON `tags` (`key1`,`class`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tag_key1_by_name` ON `tags` (`key1`,`class`,"name" collate nocase,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tag_key2_by_created` ON `tags` (`key2`,`class`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tag_key2_by_updated` ON `tags` (`key2`,`class`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tag_key2_by_name` ON `tags` (`key2`,`class`,"name" collate nocase,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tag_key3_by_created` ON `tags` (`key3`,`class`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tag_key3_by_updated` ON `tags` (`key3`,`class`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tag_key3_by_name` ON `tags` (`key3`,`class`,"name" collate nocase,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tag_key4_by_created` ON `tags` (`key4`,`class`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tag_key4_by_updated` ON `tags` (`key4`,`class`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tag_key4_by_name` ON `tags` (`key4`,`class`,"name" collate nocase,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tag_key5_by_created` ON `tags` (`key5`,`class`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tag_key5_by_updated` ON `tags` (`key5`,`class`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tag_key5_by_name` ON `tags` (`key5`,`class`,"name" collate nocase,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `tag_named` ON `tags` (`parent_key`,`name`);--> statement-breakpoint
CREATE INDEX `tag_with_digest` ON `tags` (`digest_key`,`key0`);--> statement-breakpoint
CREATE INDEX `deprecated_tag_by_path` ON `tags` (`class`,`path`) WHERE "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `deprecated_tag_key0_by_time` ON `tags` (`key0`,`class`,`deprecated_time`,`step`) WHERE "key0" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `deprecated_tag_key1_by_time` ON `tags` (`key1`,`class`,`deprecated_time`,`step`) WHERE "key1" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `deprecated_tag_key2_by_time` ON `tags` (`key2`,`class`,`deprecated_time`,`step`) WHERE "key2" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `deprecated_tag_key3_by_time` ON `tags` (`key3`,`class`,`deprecated_time`,`step`) WHERE "key3" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `deprecated_tag_key4_by_time` ON `tags` (`key4`,`class`,`deprecated_time`,`step`) WHERE "key4" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `deprecated_tag_key5_by_time` ON `tags` (`key5`,`class`,`deprecated_time`,`step`) WHERE "key5" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tag_in_line` ON `tags` (`parent_key`,`line`,`line_key`) WHERE "deprecated" = 0 and "line" <> '';--> statement-breakpoint
CREATE TABLE `trust_changes` (
	`uid` text PRIMARY KEY NOT NULL,
	`change_time` integer NOT NULL,
	`cursor` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `trust_policies` (
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
	`description` text DEFAULT '' NOT NULL,
	`public_keys` text DEFAULT '[]' NOT NULL,
	`identities` text DEFAULT '[]' NOT NULL,
	`fulcio_certificates` text DEFAULT '' NOT NULL,
	`rekor_keys` text DEFAULT '' NOT NULL,
	`notation_certificates` text DEFAULT '' NOT NULL,
	`notation_subjects` text DEFAULT '[]' NOT NULL,
	`sign_verdicts` integer DEFAULT false NOT NULL,
	`trust_time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trust_policies_of_parent_by_created` ON `trust_policies` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `trust_policies_of_parent_by_updated` ON `trust_policies` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `trust_policies_of_parent_by_name` ON `trust_policies` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX `trust_policies_key0_by_created` ON `trust_policies` (`key0`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key0_by_updated` ON `trust_policies` (`key0`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key0_by_name` ON `trust_policies` (`key0`,`name`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key1_by_created` ON `trust_policies` (`key1`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key1_by_updated` ON `trust_policies` (`key1`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key1_by_name` ON `trust_policies` (`key1`,`name`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key2_by_created` ON `trust_policies` (`key2`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key2_by_updated` ON `trust_policies` (`key2`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key2_by_name` ON `trust_policies` (`key2`,`name`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key3_by_created` ON `trust_policies` (`key3`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key3_by_updated` ON `trust_policies` (`key3`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key3_by_name` ON `trust_policies` (`key3`,`name`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key4_by_created` ON `trust_policies` (`key4`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key4_by_updated` ON `trust_policies` (`key4`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key4_by_name` ON `trust_policies` (`key4`,`name`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key5_by_created` ON `trust_policies` (`key5`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key5_by_updated` ON `trust_policies` (`key5`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `trust_policies_key5_by_name` ON `trust_policies` (`key5`,`name`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `trust_policies_siblings` ON `trust_policies` (`parent`,`name`);--> statement-breakpoint
CREATE TABLE `pushed_signatures` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`digest` text NOT NULL,
	`create_time` integer NOT NULL,
	`check_time` integer NOT NULL,
	`fault` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pushed_signatures_of_image` ON `pushed_signatures` (`parent`,`digest`,`check_time`);--> statement-breakpoint
CREATE TABLE `verified_signatures` (
	`uid` text NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`layer` text NOT NULL,
	`policy_uid` text NOT NULL,
	`trust_time` integer NOT NULL,
	`digest` text NOT NULL,
	`predicate_type` text NOT NULL,
	`key_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`log_time` integer,
	`log_id` text NOT NULL,
	`log_index` integer,
	`expire_time` integer,
	`create_time` integer NOT NULL,
	PRIMARY KEY(`uid`, `layer`, `policy_uid`, `key_id`, `issuer`, `subject`)
);
--> statement-breakpoint
CREATE INDEX `verified_signatures_of_image` ON `verified_signatures` (`parent`,`digest`,`create_time`);--> statement-breakpoint
CREATE TABLE `vuln_report_contents` (
	`uid` text PRIMARY KEY NOT NULL,
	`content` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `vuln_reports` (
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL,
	`key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL,
	`digest` text NOT NULL,
	`scan_time` integer NOT NULL,
	`scanner` integer NOT NULL,
	`scanner_version` text NOT NULL,
	`db_build_time` integer,
	`image_size` integer NOT NULL,
	`id_count` integer NOT NULL,
	`finding_bytes` integer NOT NULL,
	`counts` text NOT NULL,
	`ids` text NOT NULL,
	`findings` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `vuln_reports_key0_by_scan` ON `vuln_reports` (`key0`,`scan_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key1_by_scan` ON `vuln_reports` (`key1`,`scan_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key2_by_scan` ON `vuln_reports` (`key2`,`scan_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key3_by_scan` ON `vuln_reports` (`key3`,`scan_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key4_by_scan` ON `vuln_reports` (`key4`,`scan_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key5_by_scan` ON `vuln_reports` (`key5`,`scan_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_by_digest` ON `vuln_reports` (`digest`,`uid`);--> statement-breakpoint
CREATE INDEX `vuln_reports_by_image` ON `vuln_reports` (`parent`,`digest`,`scan_time`);--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
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
	`source` text DEFAULT '' NOT NULL,
	`source_digest` text DEFAULT '' NOT NULL,
	`source_time` integer,
	`edit_time` integer,
	`remove_time` integer,
	`shown_events` text,
	`alias_order` text GENERATED ALWAYS AS (substr(rtrim(substr("aliases", 3), '"]'), 1, 255)) VIRTUAL,
	`delete_order` integer GENERATED ALWAYS AS (coalesce("delete_time", 0)) VIRTUAL
);
--> statement-breakpoint
CREATE INDEX `advisories_children_by_uid` ON `advisories` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_created` ON `advisories` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_updated` ON `advisories` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_advisory` ON `advisories` (`parent_key`,`advisory_id`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_artifact` ON `advisories` (`parent_key`,`artifact_name`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_aliases` ON `advisories` (`parent_key`,`alias_order`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_deleted` ON `advisories` (`parent_key`,`delete_order`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_above0_by_created` ON `advisories` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_updated` ON `advisories` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_advisory` ON `advisories` (`above0`,`advisory_id`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_artifact` ON `advisories` (`above0`,`artifact_name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_aliases` ON `advisories` (`above0`,`alias_order`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_deleted` ON `advisories` (`above0`,`delete_order`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_created` ON `advisories` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_updated` ON `advisories` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_advisory` ON `advisories` (`above1`,`advisory_id`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_artifact` ON `advisories` (`above1`,`artifact_name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_aliases` ON `advisories` (`above1`,`alias_order`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_deleted` ON `advisories` (`above1`,`delete_order`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_created` ON `advisories` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_updated` ON `advisories` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_advisory` ON `advisories` (`above2`,`advisory_id`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_artifact` ON `advisories` (`above2`,`artifact_name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_aliases` ON `advisories` (`above2`,`alias_order`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_deleted` ON `advisories` (`above2`,`delete_order`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_created` ON `advisories` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_updated` ON `advisories` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_advisory` ON `advisories` (`above3`,`advisory_id`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_artifact` ON `advisories` (`above3`,`artifact_name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_aliases` ON `advisories` (`above3`,`alias_order`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_deleted` ON `advisories` (`above3`,`delete_order`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `advisories_siblings` ON `advisories` (`parent`,`advisory_id`);--> statement-breakpoint
CREATE INDEX `advisories_by_source` ON `advisories` (`parent`,`source`,`uid`) WHERE "source" <> '';--> statement-breakpoint
CREATE INDEX `advisories_by_advisory` ON `advisories` (`advisory_id`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_by_artifact` ON `advisories` (`artifact_name`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_by_component` ON `advisories` (`component_name`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_by_origin` ON `advisories` (`origin`,`uid`);--> statement-breakpoint
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
	`findings` text DEFAULT '' NOT NULL,
	`by_hand` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX `advisory_events_of` ON `advisory_events` (`advisory_uid`,`create_time`,`uid`);--> statement-breakpoint
CREATE TABLE `advisory_aliases` (
	`alias` text NOT NULL,
	`advisory_uid` text NOT NULL,
	PRIMARY KEY(`alias`, `advisory_uid`)
);
--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`origin` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `advisory_documents_children_by_uid` ON `advisory_documents` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `advisory_documents_of_parent_by_created` ON `advisory_documents` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `advisory_documents_of_parent_by_updated` ON `advisory_documents` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `advisory_documents_of_parent_by_origin` ON `advisory_documents` (`parent_key`,`origin`,`step`);--> statement-breakpoint
CREATE INDEX `advisory_documents_above0_by_created` ON `advisory_documents` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above0_by_updated` ON `advisory_documents` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above0_by_origin` ON `advisory_documents` (`above0`,`origin`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above1_by_created` ON `advisory_documents` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above1_by_updated` ON `advisory_documents` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above1_by_origin` ON `advisory_documents` (`above1`,`origin`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above2_by_created` ON `advisory_documents` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above2_by_updated` ON `advisory_documents` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above2_by_origin` ON `advisory_documents` (`above2`,`origin`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above3_by_created` ON `advisory_documents` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above3_by_updated` ON `advisory_documents` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisory_documents_above3_by_origin` ON `advisory_documents` (`above3`,`origin`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `advisory_documents_siblings` ON `advisory_documents` (`parent`,`origin`);--> statement-breakpoint
CREATE TABLE `advisory_products` (
	`alias` text NOT NULL,
	`product` text NOT NULL,
	`group_uid` text NOT NULL,
	`advisory_uid` text NOT NULL,
	PRIMARY KEY(`alias`, `product`, `group_uid`, `advisory_uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `advisory_products_of` ON `advisory_products` (`advisory_uid`);--> statement-breakpoint
CREATE TABLE `affected_packages` (
	`advisory_uid` text NOT NULL,
	`number` integer NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("advisory_uid") > 40 then substr("advisory_uid", 1, 40) end) VIRTUAL,
	`package_key` text NOT NULL,
	`release` text NOT NULL,
	`version_order` text NOT NULL,
	`from_key` text NOT NULL,
	`below_key` text NOT NULL,
	`fixed` text NOT NULL,
	`severity` integer NOT NULL,
	PRIMARY KEY(`advisory_uid`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `affected_packages_by_package` ON `affected_packages` (`ancestor0`,`package_key`,`release`,`version_order`,`from_key`);--> statement-breakpoint
CREATE TABLE `artifact_versions` (
	`uid` text PRIMARY KEY NOT NULL,
	`parent` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end) VIRTUAL NOT NULL,
	`ancestor0` text GENERATED ALWAYS AS (case when length("uid") > 40 then substr("uid", 1, 40) end) VIRTUAL,
	`ancestor1` text GENERATED ALWAYS AS (case when length("uid") > 57 then substr("uid", 1, 57) end) VIRTUAL,
	`ancestor2` text GENERATED ALWAYS AS (case when length("uid") > 74 then substr("uid", 1, 74) end) VIRTUAL,
	`ancestor3` text GENERATED ALWAYS AS (case when length("uid") > 91 then substr("uid", 1, 91) end) VIRTUAL,
	`ancestor4` text GENERATED ALWAYS AS (case when length("uid") > 108 then substr("uid", 1, 108) end) VIRTUAL,
	`ancestor5` text GENERATED ALWAYS AS (case when length("uid") > 125 then substr("uid", 1, 125) end) VIRTUAL,
	`versions` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `artifact_versions_of` ON `artifact_versions` (`parent`);--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL,
	`key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL,
	`artifact_uid` text NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`ecosystem` integer NOT NULL,
	`latest_version` text DEFAULT '' NOT NULL,
	`latest_key` text DEFAULT '' NOT NULL,
	`version_count` integer DEFAULT 0 NOT NULL,
	`remediated` integer DEFAULT false NOT NULL,
	`cuda_versions` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `artifacts_of_parent_by_created` ON `artifacts` (`parent_key`,`ecosystem`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `artifacts_of_parent_by_updated` ON `artifacts` (`parent_key`,`ecosystem`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `artifacts_of_parent_by_name` ON `artifacts` (`parent_key`,`ecosystem`,`name`,`step`);--> statement-breakpoint
CREATE INDEX `artifacts_of_parent_by_artifact_uid` ON `artifacts` (`parent_key`,`ecosystem`,`artifact_uid`,`step`);--> statement-breakpoint
CREATE INDEX `artifacts_key0_by_created` ON `artifacts` (`key0`,`ecosystem`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key0_by_updated` ON `artifacts` (`key0`,`ecosystem`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key0_by_name` ON `artifacts` (`key0`,`ecosystem`,`name`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key0_by_artifact_uid` ON `artifacts` (`key0`,`ecosystem`,`artifact_uid`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key1_by_created` ON `artifacts` (`key1`,`ecosystem`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key1_by_updated` ON `artifacts` (`key1`,`ecosystem`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key1_by_name` ON `artifacts` (`key1`,`ecosystem`,`name`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key1_by_artifact_uid` ON `artifacts` (`key1`,`ecosystem`,`artifact_uid`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key2_by_created` ON `artifacts` (`key2`,`ecosystem`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key2_by_updated` ON `artifacts` (`key2`,`ecosystem`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key2_by_name` ON `artifacts` (`key2`,`ecosystem`,`name`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key2_by_artifact_uid` ON `artifacts` (`key2`,`ecosystem`,`artifact_uid`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key3_by_created` ON `artifacts` (`key3`,`ecosystem`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key3_by_updated` ON `artifacts` (`key3`,`ecosystem`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key3_by_name` ON `artifacts` (`key3`,`ecosystem`,`name`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key3_by_artifact_uid` ON `artifacts` (`key3`,`ecosystem`,`artifact_uid`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key4_by_created` ON `artifacts` (`key4`,`ecosystem`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key4_by_updated` ON `artifacts` (`key4`,`ecosystem`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key4_by_name` ON `artifacts` (`key4`,`ecosystem`,`name`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key4_by_artifact_uid` ON `artifacts` (`key4`,`ecosystem`,`artifact_uid`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key5_by_created` ON `artifacts` (`key5`,`ecosystem`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key5_by_updated` ON `artifacts` (`key5`,`ecosystem`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key5_by_name` ON `artifacts` (`key5`,`ecosystem`,`name`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key5_by_artifact_uid` ON `artifacts` (`key5`,`ecosystem`,`artifact_uid`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_of_parent_by_name` ON `artifacts` (`parent_key`,`ecosystem`,`name`,`step`) WHERE "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key0_by_name` ON `artifacts` (`key0`,`ecosystem`,`name`,`step`) WHERE "key0" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key1_by_name` ON `artifacts` (`key1`,`ecosystem`,`name`,`step`) WHERE "key1" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key2_by_name` ON `artifacts` (`key2`,`ecosystem`,`name`,`step`) WHERE "key2" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key3_by_name` ON `artifacts` (`key3`,`ecosystem`,`name`,`step`) WHERE "key3" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key4_by_name` ON `artifacts` (`key4`,`ecosystem`,`name`,`step`) WHERE "key4" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key5_by_name` ON `artifacts` (`key5`,`ecosystem`,`name`,`step`) WHERE "key5" is not null and "remediated" = 1;--> statement-breakpoint
CREATE UNIQUE INDEX `artifacts_by_artifact_uid` ON `artifacts` (`artifact_uid`);--> statement-breakpoint
CREATE UNIQUE INDEX `artifacts_siblings` ON `artifacts` (`parent`,`ecosystem`,`name`);--> statement-breakpoint
CREATE TABLE `osv_records` (
	`uid` text PRIMARY KEY NOT NULL,
	`record` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `vex_subjects` (
	`uid` text PRIMARY KEY NOT NULL,
	`identity` text NOT NULL,
	`vulnerability` text NOT NULL,
	`product` text NOT NULL,
	`subcomponent` text,
	`csaf` text,
	`published` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
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
	`step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL,
	`parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL,
	`above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL,
	`above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL,
	`above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL,
	`above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL,
	`vulnerability_id` text NOT NULL,
	`summary` text DEFAULT '' NOT NULL,
	`details` text DEFAULT '' NOT NULL,
	`refs` text DEFAULT '[]' NOT NULL,
	`severities` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_children_by_uid` ON `vulnerability_metadata` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_of_parent_by_created` ON `vulnerability_metadata` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_of_parent_by_updated` ON `vulnerability_metadata` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_of_parent_by_vulnerability` ON `vulnerability_metadata` (`parent_key`,`vulnerability_id`,`step`);--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above0_by_created` ON `vulnerability_metadata` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above0_by_updated` ON `vulnerability_metadata` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above0_by_vulnerability` ON `vulnerability_metadata` (`above0`,`vulnerability_id`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above1_by_created` ON `vulnerability_metadata` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above1_by_updated` ON `vulnerability_metadata` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above1_by_vulnerability` ON `vulnerability_metadata` (`above1`,`vulnerability_id`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above2_by_created` ON `vulnerability_metadata` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above2_by_updated` ON `vulnerability_metadata` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above2_by_vulnerability` ON `vulnerability_metadata` (`above2`,`vulnerability_id`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above3_by_created` ON `vulnerability_metadata` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above3_by_updated` ON `vulnerability_metadata` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `vulnerability_metadata_above3_by_vulnerability` ON `vulnerability_metadata` (`above3`,`vulnerability_id`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `vulnerability_metadata_siblings` ON `vulnerability_metadata` (`parent`,`vulnerability_id`);--> statement-breakpoint
CREATE TABLE `write_guards` (
	`reason` text NOT NULL
);

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
CREATE TRIGGER blob_links_count_insert AFTER INSERT ON blob_links WHEN NOT EXISTS (SELECT 1 FROM blob_links
		WHERE repo_id = NEW.repo_id AND kind = 1 - NEW.kind AND blob_id = NEW.blob_id) BEGIN
	UPDATE repo_storage SET bytes = bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0) WHERE id = NEW.repo_id;
	INSERT INTO organization_blobs (organization_id, blob_id, repos, repo_sum)
		VALUES ((SELECT organization_id FROM repo_storage WHERE id = NEW.repo_id), NEW.blob_id, 1, NEW.repo_id)
		ON CONFLICT DO UPDATE SET repos = repos + 1, repo_sum = repo_sum + NEW.repo_id;
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_count_delete AFTER DELETE ON blob_links WHEN NOT EXISTS (SELECT 1 FROM blob_links
		WHERE repo_id = OLD.repo_id AND kind = 1 - OLD.kind AND blob_id = OLD.blob_id) BEGIN
	UPDATE repo_storage SET bytes = bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0) WHERE id = OLD.repo_id;
	DELETE FROM organization_blobs WHERE organization_id = ifnull((SELECT organization_id FROM repo_storage WHERE id = OLD.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = OLD.repo_id)) AND blob_id = OLD.blob_id AND repos = 1;
	UPDATE organization_blobs SET repos = repos - 1, repo_sum = repo_sum - OLD.repo_id
		WHERE organization_id = ifnull((SELECT organization_id FROM repo_storage WHERE id = OLD.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = OLD.repo_id)) AND blob_id = OLD.blob_id;
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_use_insert AFTER INSERT ON blob_links WHEN NEW.kind = 1 BEGIN
	UPDATE blob_links SET idle_time = NULL WHERE idle_time <= cast(unixepoch('subsec') * 1000 as integer) AND repo_id = NEW.repo_id AND kind = 0 AND blob_id IN
		(SELECT blob_id FROM manifest_references WHERE manifest_id = NEW.blob_id);
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_use_delete AFTER DELETE ON blob_links WHEN OLD.kind = 1 BEGIN
	UPDATE blob_links SET idle_time = max(ifnull(idle_time, 0), cast(unixepoch('subsec') * 1000 as integer)) WHERE repo_id = OLD.repo_id AND kind = 0 AND blob_id IN
		(SELECT blob_id FROM manifest_references WHERE manifest_id = OLD.blob_id);
	DELETE FROM referrers WHERE repo_id = OLD.repo_id AND manifest_id = OLD.blob_id;
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_hold_delete AFTER DELETE ON blob_links WHEN OLD.kind = 0
		AND EXISTS (SELECT 1 FROM manifest_references WHERE manifest_id = OLD.blob_id) BEGIN
	UPDATE blob_links SET idle_time = max(ifnull(idle_time, 0), cast(unixepoch('subsec') * 1000 as integer)) WHERE repo_id = OLD.repo_id AND kind = 0 AND blob_id IN
		(SELECT blob_id FROM manifest_references WHERE manifest_id = OLD.blob_id);
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_insert AFTER INSERT ON organization_blobs BEGIN
	UPDATE blobs SET organizations = organizations + 1, idle_time = NULL WHERE id = NEW.blob_id;
	UPDATE organization_storage SET bytes = bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0) WHERE id = NEW.organization_id;
	UPDATE objects SET organization_id = NULL WHERE blob_id = NEW.blob_id AND organization_id IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_delete AFTER DELETE ON organization_blobs BEGIN
	UPDATE organization_storage SET bytes = bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0) WHERE id = OLD.organization_id;
	UPDATE blobs SET organizations = organizations - 1,
		idle_time = iif(organizations = 1, cast(unixepoch('subsec') * 1000 as integer), NULL) WHERE id = OLD.blob_id;
	UPDATE objects SET organization_id = OLD.organization_id WHERE blob_id = OLD.blob_id
		AND EXISTS (SELECT 1 FROM blobs WHERE id = OLD.blob_id AND organizations = 0);
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_share AFTER UPDATE ON organization_blobs WHEN NEW.repos > OLD.repos BEGIN
	UPDATE repo_storage SET shared_bytes = shared_bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0)
		WHERE id IN (NEW.repo_sum - OLD.repo_sum, iif(OLD.repos = 1, OLD.repo_sum, NULL));
	UPDATE organization_storage SET shared_bytes = shared_bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0)
		WHERE id = NEW.organization_id AND OLD.repos = 1;
END;
--> statement-breakpoint
CREATE TRIGGER organization_blobs_count_unshare AFTER UPDATE ON organization_blobs WHEN NEW.repos < OLD.repos BEGIN
	UPDATE repo_storage SET shared_bytes = shared_bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0)
		WHERE id IN (OLD.repo_sum - NEW.repo_sum, iif(NEW.repos = 1, NEW.repo_sum, NULL));
	UPDATE organization_storage SET shared_bytes = shared_bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0)
		WHERE id = OLD.organization_id AND NEW.repos = 1;
END;
--> statement-breakpoint
CREATE TRIGGER blobs_delete_references AFTER DELETE ON blobs BEGIN
	DELETE FROM manifest_references WHERE manifest_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER manifest_references_delete_unpushed AFTER DELETE ON manifest_references BEGIN
	DELETE FROM blobs WHERE id = OLD.blob_id AND size IS NULL
		AND NOT EXISTS (SELECT 1 FROM manifest_references WHERE blob_id = OLD.blob_id);
END;
--> statement-breakpoint
CREATE TRIGGER manifests_delete_link AFTER DELETE ON manifests BEGIN
	DELETE FROM blob_links WHERE kind = 1
		AND repo_id = (SELECT id FROM repo_storage WHERE uid = OLD.parent)
		AND blob_id = (SELECT id FROM blobs WHERE digest = unhex(substr(OLD.digest, 8)));
END;
--> statement-breakpoint
CREATE TRIGGER repo_storage_delete_links BEFORE DELETE ON repo_storage WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.uid) BEGIN
	DELETE FROM blob_links WHERE repo_id = OLD.id;
	DELETE FROM referrers WHERE repo_id = OLD.id;
	DELETE FROM uploads WHERE repo_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_delete_incomplete AFTER DELETE ON blob_links WHEN OLD.kind = 1 BEGIN
	DELETE FROM incomplete_indexes WHERE repo_id = OLD.repo_id AND manifest_id = OLD.blob_id;
END;
--> statement-breakpoint
CREATE TRIGGER objects_count_insert AFTER INSERT ON objects WHEN NEW.organization_id IS NOT NULL BEGIN
	UPDATE organization_storage SET reserved_bytes = reserved_bytes + NEW.size WHERE id = NEW.organization_id;
END;
--> statement-breakpoint
CREATE TRIGGER objects_count_update AFTER UPDATE OF organization_id, size ON objects WHEN OLD.organization_id IS NOT NEW.organization_id OR OLD.size <> NEW.size BEGIN
	UPDATE organization_storage SET reserved_bytes = reserved_bytes - OLD.size WHERE id = OLD.organization_id;
	UPDATE organization_storage SET reserved_bytes = reserved_bytes + NEW.size WHERE id = NEW.organization_id;
END;
--> statement-breakpoint
CREATE TRIGGER objects_count_delete AFTER DELETE ON objects WHEN OLD.organization_id IS NOT NULL BEGIN
	UPDATE organization_storage SET reserved_bytes = reserved_bytes - OLD.size WHERE id = OLD.organization_id;
END;
--> statement-breakpoint
CREATE TRIGGER uploads_release_objects AFTER DELETE ON uploads BEGIN
	UPDATE objects SET upload_id = NULL, idle_time = cast(unixepoch('subsec') * 1000 as integer) WHERE upload_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER blobs_release_objects AFTER DELETE ON blobs BEGIN
	UPDATE objects SET blob_id = NULL, idle_time = cast(unixepoch('subsec') * 1000 as integer) WHERE blob_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER blobs_release_bytes AFTER UPDATE OF size ON blobs WHEN NEW.size IS NULL AND OLD.size IS NOT NULL BEGIN
	UPDATE objects SET blob_id = NULL, idle_time = cast(unixepoch('subsec') * 1000 as integer) WHERE blob_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER pushed_documents_count_insert AFTER INSERT ON pushed_documents WHEN NEW.read_time IS NOT NULL AND NEW.subject IS NOT NULL BEGIN
	UPDATE organization_storage SET document_bytes = document_bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0)
		WHERE id = ifnull((SELECT organization_id FROM repo_storage WHERE id = NEW.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = NEW.repo_id));
END;
--> statement-breakpoint
CREATE TRIGGER pushed_documents_count_read AFTER UPDATE ON pushed_documents WHEN OLD.read_time IS NULL AND NEW.read_time IS NOT NULL AND NEW.subject IS NOT NULL BEGIN
	UPDATE organization_storage SET document_bytes = document_bytes + ifnull((SELECT size FROM blobs WHERE id = NEW.blob_id), 0)
		WHERE id = ifnull((SELECT organization_id FROM repo_storage WHERE id = NEW.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = NEW.repo_id));
END;
--> statement-breakpoint
CREATE TRIGGER pushed_documents_count_delete AFTER DELETE ON pushed_documents WHEN OLD.read_time IS NOT NULL AND OLD.subject IS NOT NULL BEGIN
	UPDATE organization_storage SET document_bytes = document_bytes - ifnull((SELECT size FROM blobs WHERE id = OLD.blob_id), 0)
		WHERE id = ifnull((SELECT organization_id FROM repo_storage WHERE id = OLD.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = OLD.repo_id));
END;
--> statement-breakpoint
CREATE TRIGGER blob_links_delete_document AFTER DELETE ON blob_links WHEN OLD.kind = 0 BEGIN
	DELETE FROM pushed_documents WHERE repo_id = OLD.repo_id AND blob_id = OLD.blob_id;
END;
--> statement-breakpoint
CREATE TRIGGER repo_storage_require_repository BEFORE INSERT ON repo_storage WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER repos_delete_storage AFTER DELETE ON repos BEGIN
	DELETE FROM repo_storage WHERE uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER groups_delete_storage AFTER DELETE ON groups WHEN length(OLD.uid) = 40 BEGIN
	DELETE FROM organization_storage WHERE uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER uploads_sum_insert AFTER INSERT ON uploads BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'open_uploads', 0, 0, 0 FROM (SELECT (SELECT uid FROM organization_storage WHERE id = NEW.organization_id) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + 1, warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'open_uploads' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'open_uploads'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'open_uploads'), -1) AS quota_limit, counts.descendants + 1 AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = (SELECT uid FROM organization_storage WHERE id = NEW.organization_id) AND kind = 'open_uploads' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER uploads_sum_delete AFTER DELETE ON uploads BEGIN
	UPDATE counts SET descendants = descendants - 1 WHERE ancestor = (SELECT uid FROM organization_storage WHERE id = OLD.organization_id) AND kind = 'open_uploads' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER grouped_events_require_subscription BEFORE INSERT ON grouped_events WHEN NOT EXISTS (SELECT 1 FROM subscriptions WHERE uid = NEW.subscription_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the subscription is gone');
END;
--> statement-breakpoint
CREATE TRIGGER subscriptions_delete_grouped AFTER DELETE ON subscriptions BEGIN
	DELETE FROM grouped_events WHERE subscription_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER subscriptions_count_insert AFTER INSERT ON subscriptions BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'subscriptions',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'subscriptions' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'subscriptions'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'subscriptions'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'subscriptions' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'subscriptions' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'subscriptions' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'subscriptions'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER subscriptions_count_delete AFTER DELETE ON subscriptions BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'subscriptions',
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
CREATE TRIGGER subscriptions_require_parent BEFORE INSERT ON subscriptions WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER account_associations_count_insert AFTER INSERT ON account_associations BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr((NEW."uid" || '/0000000000000000'), 1, 40 + 17 * step.value),
		'account_associations',
		0,
		iif(length((NEW."uid" || '/0000000000000000')) = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length((NEW."uid" || '/0000000000000000')) > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'account_associations' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'account_associations'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'account_associations'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'account_associations' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'account_associations' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'account_associations' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'account_associations'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER account_associations_count_delete AFTER DELETE ON account_associations BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr((OLD."uid" || '/0000000000000000'), 1, 40 + 17 * step.value),
		'account_associations',
		0,
		iif(length((OLD."uid" || '/0000000000000000')) = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length((OLD."uid" || '/0000000000000000')) > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER account_associations_require_parent BEFORE INSERT ON account_associations WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_count_insert AFTER INSERT ON external_group_role_mappings BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'external_group_role_mappings',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'external_group_role_mappings' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'external_group_role_mappings'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'external_group_role_mappings'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'external_group_role_mappings' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'external_group_role_mappings' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'external_group_role_mappings' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'external_group_role_mappings'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_count_delete AFTER DELETE ON external_group_role_mappings WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'external_group_role_mappings',
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
CREATE TRIGGER external_group_role_mappings_require_parent BEFORE INSERT ON external_group_role_mappings WHEN NOT EXISTS (SELECT 1 FROM identity_providers WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_require_role BEFORE INSERT ON external_group_role_mappings WHEN NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.role_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_keep_role BEFORE UPDATE OF role_uid ON external_group_role_mappings WHEN NEW.role_uid <> OLD.role_uid AND NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.role_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_deleted_update BEFORE UPDATE ON external_group_role_mappings WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER external_group_role_mappings_deleted_delete BEFORE DELETE ON external_group_role_mappings WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER group_access_requests_require_group BEFORE INSERT ON group_access_requests WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = NEW.group_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the group is gone');
END;
--> statement-breakpoint
CREATE TRIGGER group_invites_count_insert AFTER INSERT ON group_invites BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'group_invites',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'group_invites' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'group_invites'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'group_invites'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'group_invites' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'group_invites' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'group_invites' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'group_invites'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER group_invites_count_delete AFTER DELETE ON group_invites BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'group_invites',
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
CREATE TRIGGER group_invites_require_parent BEFORE INSERT ON group_invites WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'groups' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'groups'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'groups'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'groups' || ' ' || 0 || ' ' || 1 || ' ' || iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), ''))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'groups' AND organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'groups' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND kind = 'groups'))) AND length(iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND state = 'arriving');
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
CREATE TRIGGER groups_require_parent BEFORE INSERT ON groups WHEN length(NEW.uid) > 40 AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'identities' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'identities'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'identities'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'identities' || ' ' || 0 || ' ' || 1 || ' ' || iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), ''))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'identities' AND organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'identities' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND kind = 'identities'))) AND length(iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND state = 'arriving');
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
CREATE TRIGGER identities_require_parent BEFORE INSERT ON identities WHEN length(NEW.uid) > 40 AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER identity_metadata_require_identity BEFORE INSERT ON identity_metadata WHEN NOT EXISTS (SELECT 1 FROM identities WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity is gone');
END;
--> statement-breakpoint
CREATE TRIGGER identity_providers_count_insert AFTER INSERT ON identity_providers BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'identity_providers',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'identity_providers' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'identity_providers'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'identity_providers'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'identity_providers' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'identity_providers' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'identity_providers' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'identity_providers'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER identity_providers_count_delete AFTER DELETE ON identity_providers BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'identity_providers',
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
CREATE TRIGGER identity_providers_require_parent BEFORE INSERT ON identity_providers WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER identity_providers_require_role BEFORE INSERT ON identity_providers WHEN NEW.default_role <> '' AND NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.default_role) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER identity_providers_keep_role BEFORE UPDATE OF default_role ON identity_providers WHEN NEW.default_role <> OLD.default_role AND NEW.default_role <> '' AND NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.default_role) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER keys_count_insert AFTER INSERT ON keys BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'keys',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'keys' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'keys'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'keys'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'keys' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'keys' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'keys' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'keys'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER keys_count_delete AFTER DELETE ON keys BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'keys',
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
CREATE TRIGGER keys_require_parent BEFORE INSERT ON keys WHEN NOT EXISTS (SELECT 1 FROM identities WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'role_bindings' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'role_bindings'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'role_bindings'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'role_bindings' || ' ' || 0 || ' ' || 1 || ' ' || iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), ''))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'role_bindings' AND organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'role_bindings' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND kind = 'role_bindings'))) AND length(iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_count_delete AFTER DELETE ON role_bindings WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
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
CREATE TRIGGER role_bindings_require_parent BEFORE INSERT ON role_bindings WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) AND NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_require_identity BEFORE INSERT ON role_bindings WHEN length(NEW.identity_uid) > 40 AND NOT EXISTS (SELECT 1 FROM identities WHERE uid = NEW.identity_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_keep_identity BEFORE UPDATE OF identity_uid ON role_bindings WHEN NEW.identity_uid <> OLD.identity_uid AND length(NEW.identity_uid) > 40 AND NOT EXISTS (SELECT 1 FROM identities WHERE uid = NEW.identity_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_require_role BEFORE INSERT ON role_bindings WHEN NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.role_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_keep_role BEFORE UPDATE OF role_uid ON role_bindings WHEN NEW.role_uid <> OLD.role_uid AND NOT EXISTS (SELECT 1 FROM roles WHERE uid = NEW.role_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_deleted_update BEFORE UPDATE ON role_bindings WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(IGNORE);
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_deleted_delete BEFORE DELETE ON role_bindings WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(IGNORE);
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'roles' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'roles'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'roles'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'roles' || ' ' || 0 || ' ' || 1 || ' ' || iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), ''))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'roles' AND organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'roles' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND kind = 'roles'))) AND length(iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND state = 'arriving');
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
CREATE TRIGGER roles_require_parent BEFORE INSERT ON roles WHEN length(NEW.uid) > 40 AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'scim_groups' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'scim_groups'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'scim_groups'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'scim_groups' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'scim_groups' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'scim_groups' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'scim_groups'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER scim_groups_count_delete AFTER DELETE ON scim_groups WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
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
CREATE TRIGGER scim_groups_deleted_update BEFORE UPDATE ON scim_groups WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_groups_deleted_delete BEFORE DELETE ON scim_groups WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_group_members_require_group BEFORE INSERT ON scim_group_members WHEN NOT EXISTS (SELECT 1 FROM scim_groups WHERE uid = NEW.group_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the group is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_group_members_require_user BEFORE INSERT ON scim_group_members WHEN NOT EXISTS (SELECT 1 FROM scim_users WHERE uid = NEW.user_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the user is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_count_insert AFTER INSERT ON scim_users BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'scim_users',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'scim_users' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'scim_users'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'scim_users'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'scim_users' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'scim_users' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'scim_users' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'scim_users'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_count_delete AFTER DELETE ON scim_users WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'scim_users',
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
CREATE TRIGGER scim_users_require_parent BEFORE INSERT ON scim_users WHEN NOT EXISTS (SELECT 1 FROM identity_providers WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_deleted_update BEFORE UPDATE ON scim_users WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_deleted_delete BEFORE DELETE ON scim_users WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the identity provider is gone');
END;
--> statement-breakpoint
CREATE TRIGGER terms_acceptances_require_parent BEFORE INSERT ON terms_acceptances WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER groups_delete_quotas AFTER DELETE ON groups WHEN length(OLD.uid) = 40 BEGIN
	DELETE FROM quotas WHERE organization = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER announced_vulnerabilities_require_image BEFORE INSERT ON announced_vulnerabilities WHEN NOT EXISTS (SELECT 1 FROM examined_images WHERE uid = NEW.image_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the image is gone');
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_announce AFTER UPDATE OF update_time, finding_count, findings_version ON examined_images WHEN OLD.finding_count > 0 OR NEW.finding_count > 0 BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(NEW.uid, 1, 40), 4, NEW.uid, 1, '' WHERE true
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_delete_announced AFTER DELETE ON examined_images BEGIN
	DELETE FROM announced_vulnerabilities WHERE image_uid = OLD.uid;
	DELETE FROM match_marks WHERE root = substr(OLD.uid, 1, 40) AND kind IN (1, 4)
	AND uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER tags_announce_insert AFTER INSERT ON tags WHEN NEW.digest <> '' BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM examined_images AS image
	WHERE image.parent = NEW.parent AND image.digest = NEW.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM manifests AS pointed CROSS JOIN index_entries AS entry CROSS JOIN examined_images AS image
	WHERE pointed.parent = NEW.parent AND pointed.digest = NEW.digest AND entry.index_uid = pointed.uid
		AND image.parent = entry.repo_uid AND image.digest = entry.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER tags_announce_update AFTER UPDATE OF digest ON tags WHEN OLD.digest <> NEW.digest BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM examined_images AS image
	WHERE image.parent = OLD.parent AND image.digest = OLD.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM manifests AS pointed CROSS JOIN index_entries AS entry CROSS JOIN examined_images AS image
	WHERE pointed.parent = OLD.parent AND pointed.digest = OLD.digest AND entry.index_uid = pointed.uid
		AND image.parent = entry.repo_uid AND image.digest = entry.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM examined_images AS image
	WHERE image.parent = NEW.parent AND image.digest = NEW.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM manifests AS pointed CROSS JOIN index_entries AS entry CROSS JOIN examined_images AS image
	WHERE pointed.parent = NEW.parent AND pointed.digest = NEW.digest AND entry.index_uid = pointed.uid
		AND image.parent = entry.repo_uid AND image.digest = entry.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER tags_announce_delete AFTER DELETE ON tags BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM examined_images AS image
	WHERE image.parent = OLD.parent AND image.digest = OLD.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM manifests AS pointed CROSS JOIN index_entries AS entry CROSS JOIN examined_images AS image
	WHERE pointed.parent = OLD.parent AND pointed.digest = OLD.digest AND entry.index_uid = pointed.uid
		AND image.parent = entry.repo_uid AND image.digest = entry.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER index_entries_announce_insert AFTER INSERT ON index_entries BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM examined_images AS image
	WHERE image.parent = NEW.repo_uid AND image.digest = NEW.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER index_entries_announce_delete AFTER DELETE ON index_entries BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(image.uid, 1, 40), 4, image.uid, 1, '' FROM examined_images AS image
	WHERE image.parent = OLD.repo_uid AND image.digest = OLD.digest AND image.finding_count > 0
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER advisory_products_announce_insert AFTER INSERT ON advisory_products BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(product.group_uid || ' ' || product.alias, 1, 40), 3, product.group_uid || ' ' || product.alias, 1, '' FROM (SELECT NEW.group_uid AS group_uid, NEW.alias AS alias) AS product WHERE EXISTS (SELECT 1 FROM finding_ids WHERE id = product.alias
		AND uid > product.group_uid || '/' AND uid < product.group_uid || '0')
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER advisory_products_announce_delete AFTER DELETE ON advisory_products BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(product.group_uid || ' ' || product.alias, 1, 40), 3, product.group_uid || ' ' || product.alias, 1, '' FROM (SELECT OLD.group_uid AS group_uid, OLD.alias AS alias) AS product WHERE EXISTS (SELECT 1 FROM finding_ids WHERE id = product.alias
		AND uid > product.group_uid || '/' AND uid < product.group_uid || '0')
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_announce_insert AFTER INSERT ON advisory_events BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(product.group_uid || ' ' || product.alias, 1, 40), 3, product.group_uid || ' ' || product.alias, 1, '' FROM advisory_products AS product WHERE product.advisory_uid = NEW.advisory_uid AND EXISTS (SELECT 1 FROM finding_ids WHERE id = product.alias
		AND uid > product.group_uid || '/' AND uid < product.group_uid || '0')
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_announce_update AFTER UPDATE ON advisory_events BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(product.group_uid || ' ' || product.alias, 1, 40), 3, product.group_uid || ' ' || product.alias, 1, '' FROM advisory_products AS product WHERE product.advisory_uid = NEW.advisory_uid AND EXISTS (SELECT 1 FROM finding_ids WHERE id = product.alias
		AND uid > product.group_uid || '/' AND uid < product.group_uid || '0')
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_announce_delete AFTER DELETE ON advisory_events BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(product.group_uid || ' ' || product.alias, 1, 40), 3, product.group_uid || ' ' || product.alias, 1, '' FROM advisory_products AS product WHERE product.advisory_uid = OLD.advisory_uid AND EXISTS (SELECT 1 FROM finding_ids WHERE id = product.alias
		AND uid > product.group_uid || '/' AND uid < product.group_uid || '0')
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER advisories_announce_update AFTER UPDATE OF delete_time, component_name, component_location, component_type ON advisories WHEN OLD.delete_time IS NOT NEW.delete_time OR OLD.component_name <> NEW.component_name OR OLD.component_location <> NEW.component_location OR OLD.component_type <> NEW.component_type BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(product.group_uid || ' ' || product.alias, 1, 40), 3, product.group_uid || ' ' || product.alias, 1, '' FROM advisory_products AS product WHERE product.advisory_uid = NEW.uid AND EXISTS (SELECT 1 FROM finding_ids WHERE id = product.alias
		AND uid > product.group_uid || '/' AND uid < product.group_uid || '0')
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER vex_subjects_announce_update AFTER UPDATE OF product, subcomponent ON vex_subjects WHEN OLD.product <> NEW.product OR OLD.subcomponent IS NOT NEW.subcomponent BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(product.group_uid || ' ' || product.alias, 1, 40), 3, product.group_uid || ' ' || product.alias, 1, '' FROM advisory_products AS product WHERE product.advisory_uid = NEW.uid AND EXISTS (SELECT 1 FROM finding_ids WHERE id = product.alias
		AND uid > product.group_uid || '/' AND uid < product.group_uid || '0')
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER expiry_plans_count_insert AFTER INSERT ON expiry_plans BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'expiry_plans',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'expiry_plans' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'expiry_plans'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'expiry_plans'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'expiry_plans' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'expiry_plans' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'expiry_plans' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'expiry_plans'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER expiry_plans_count_delete AFTER DELETE ON expiry_plans BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'expiry_plans',
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
CREATE TRIGGER expiry_plans_require_parent BEFORE INSERT ON expiry_plans WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER expiry_items_require_plan BEFORE INSERT ON expiry_items WHEN NOT EXISTS (SELECT 1 FROM expiry_plans WHERE uid = NEW.plan_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the plan is gone');
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_require_parent BEFORE INSERT ON examined_images WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_require_report BEFORE INSERT ON examined_images WHEN NEW.report_uid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM vuln_reports WHERE uid = NEW.report_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the report is gone');
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_require_sbom BEFORE INSERT ON examined_images WHEN NEW.sbom_uid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sboms WHERE uid = NEW.sbom_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the sbom is gone');
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_sum_insert AFTER INSERT ON examined_images WHEN NEW.finding_count > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'findings', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + NEW.finding_count, warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'findings' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'findings'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'findings'), -1) AS quota_limit, counts.descendants + NEW.finding_count AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'findings' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_sum_growth AFTER UPDATE OF finding_count ON examined_images WHEN (NEW.finding_count - OLD.finding_count) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'findings', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (NEW.finding_count - OLD.finding_count), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'findings' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'findings'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'findings'), -1) AS quota_limit, counts.descendants + (NEW.finding_count - OLD.finding_count) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'findings' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_sum_shrinkage AFTER UPDATE OF finding_count ON examined_images WHEN (NEW.finding_count - OLD.finding_count) < 0 BEGIN
	UPDATE counts SET descendants = descendants - (OLD.finding_count - NEW.finding_count) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'findings' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_sum_delete AFTER DELETE ON examined_images WHEN OLD.finding_count > 0 BEGIN
	UPDATE counts SET descendants = descendants - OLD.finding_count WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'findings' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER findings_require_parent BEFORE INSERT ON findings WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER findings_require_image BEFORE INSERT ON findings WHEN NOT EXISTS (SELECT 1 FROM examined_images WHERE uid = NEW.image_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the image is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_delete_image AFTER DELETE ON vuln_reports BEGIN
	DELETE FROM examined_images WHERE report_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER sboms_delete_image AFTER DELETE ON sboms BEGIN
	DELETE FROM examined_images WHERE sbom_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER examined_images_delete_findings AFTER DELETE ON examined_images BEGIN
	DELETE FROM findings WHERE image_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER findings_insert_ids AFTER INSERT ON findings BEGIN
	INSERT OR IGNORE INTO finding_ids (id, uid) SELECT id, NEW.uid FROM (SELECT upper(NEW.vulnerability_id) AS id
	UNION SELECT upper(value) FROM json_each(NEW.aliases)
	UNION SELECT value ->> 'advisory' FROM json_each(NEW.facts) WHERE value ->> 'advisory' <> '');
END;
--> statement-breakpoint
CREATE TRIGGER findings_update_ids AFTER UPDATE OF vulnerability_id, aliases, facts ON findings WHEN OLD.vulnerability_id <> NEW.vulnerability_id OR OLD.aliases <> NEW.aliases OR OLD.facts <> NEW.facts BEGIN
	DELETE FROM finding_ids WHERE uid = OLD.uid AND id IN (SELECT upper(OLD.vulnerability_id) AS id
	UNION SELECT upper(value) FROM json_each(OLD.aliases)
	UNION SELECT value ->> 'advisory' FROM json_each(OLD.facts) WHERE value ->> 'advisory' <> '');
	INSERT OR IGNORE INTO finding_ids (id, uid) SELECT id, NEW.uid FROM (SELECT upper(NEW.vulnerability_id) AS id
	UNION SELECT upper(value) FROM json_each(NEW.aliases)
	UNION SELECT value ->> 'advisory' FROM json_each(NEW.facts) WHERE value ->> 'advisory' <> '');
END;
--> statement-breakpoint
CREATE TRIGGER findings_delete_ids AFTER DELETE ON findings BEGIN
	DELETE FROM finding_ids WHERE uid = OLD.uid AND id IN (SELECT upper(OLD.vulnerability_id) AS id
	UNION SELECT upper(value) FROM json_each(OLD.aliases)
	UNION SELECT value ->> 'advisory' FROM json_each(OLD.facts) WHERE value ->> 'advisory' <> '');
END;
--> statement-breakpoint
CREATE TRIGGER image_holds_count_insert AFTER INSERT ON image_holds BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'image_holds',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'image_holds' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'image_holds'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'image_holds'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'image_holds' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'image_holds' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'image_holds' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'image_holds'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER image_holds_count_delete AFTER DELETE ON image_holds BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'image_holds',
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
CREATE TRIGGER image_holds_require_parent BEFORE INSERT ON image_holds WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER image_signatures_require_parent BEFORE INSERT ON image_signatures WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER image_signatures_require_manifest BEFORE INSERT ON image_signatures WHEN NOT EXISTS (SELECT 1 FROM manifests WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the manifest is gone');
END;
--> statement-breakpoint
CREATE TRIGGER manifests_delete_signatures AFTER DELETE ON manifests BEGIN
	DELETE FROM image_signatures WHERE uid = OLD.uid;
	DELETE FROM image_signatures WHERE parent = OLD.parent AND digest = OLD.digest;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_insert_entries AFTER INSERT ON manifests WHEN NEW.entries <> '[]' BEGIN
	INSERT OR IGNORE INTO index_entries (repo_uid, digest, index_uid, index_digest)
	SELECT NEW.parent, entry.value ->> 'digest', NEW.uid, NEW.digest FROM json_each(NEW.entries) AS entry
	WHERE entry.key < 100;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_delete_entries AFTER DELETE ON manifests WHEN OLD.entries <> '[]' BEGIN
	DELETE FROM index_entries WHERE index_uid = OLD.uid;
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'manifests' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'manifests'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'manifests'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'manifests' || ' ' || 0 || ' ' || 1 || ' ' || iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), ''))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'manifests' AND organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'manifests' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND kind = 'manifests'))) AND length(iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER manifests_count_delete AFTER DELETE ON manifests WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
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
CREATE TRIGGER manifests_sum_insert AFTER INSERT ON manifests WHEN max(0, ifnull(octet_length(NEW.entries), 0) + ifnull(octet_length(NEW.config), 0) - 2000) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + max(0, ifnull(octet_length(NEW.entries), 0) + ifnull(octet_length(NEW.config), 0) - 2000), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + max(0, ifnull(octet_length(NEW.entries), 0) + ifnull(octet_length(NEW.config), 0) - 2000) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_sum_growth AFTER UPDATE OF entries, config ON manifests WHEN (max(0, ifnull(octet_length(NEW.entries), 0) + ifnull(octet_length(NEW.config), 0) - 2000) - max(0, ifnull(octet_length(OLD.entries), 0) + ifnull(octet_length(OLD.config), 0) - 2000)) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (max(0, ifnull(octet_length(NEW.entries), 0) + ifnull(octet_length(NEW.config), 0) - 2000) - max(0, ifnull(octet_length(OLD.entries), 0) + ifnull(octet_length(OLD.config), 0) - 2000)), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + (max(0, ifnull(octet_length(NEW.entries), 0) + ifnull(octet_length(NEW.config), 0) - 2000) - max(0, ifnull(octet_length(OLD.entries), 0) + ifnull(octet_length(OLD.config), 0) - 2000)) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_sum_shrinkage AFTER UPDATE OF entries, config ON manifests WHEN (max(0, ifnull(octet_length(NEW.entries), 0) + ifnull(octet_length(NEW.config), 0) - 2000) - max(0, ifnull(octet_length(OLD.entries), 0) + ifnull(octet_length(OLD.config), 0) - 2000)) < 0 BEGIN
	UPDATE counts SET descendants = descendants - (max(0, ifnull(octet_length(OLD.entries), 0) + ifnull(octet_length(OLD.config), 0) - 2000) - max(0, ifnull(octet_length(NEW.entries), 0) + ifnull(octet_length(NEW.config), 0) - 2000)) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_sum_delete AFTER DELETE ON manifests WHEN max(0, ifnull(octet_length(OLD.entries), 0) + ifnull(octet_length(OLD.config), 0) - 2000) > 0 BEGIN
	UPDATE counts SET descendants = descendants - max(0, ifnull(octet_length(OLD.entries), 0) + ifnull(octet_length(OLD.config), 0) - 2000) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER manifests_require_parent BEFORE INSERT ON manifests WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER manifests_deleted_update BEFORE UPDATE ON manifests WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER manifests_deleted_delete BEFORE DELETE ON manifests WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER upstream_states_require_repository BEFORE INSERT ON upstream_states WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = NEW.repo_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER mirrored_tags_require_repository BEFORE INSERT ON mirrored_tags WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = NEW.repo_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER mirror_fetches_require_repository BEFORE INSERT ON mirror_fetches WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = NEW.repo_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER repo_syncs_require_repository BEFORE INSERT ON repo_syncs WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = NEW.repo_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER repos_delete_mirror AFTER DELETE ON repos BEGIN
	DELETE FROM upstream_states WHERE repo_uid = OLD.uid;
	DELETE FROM mirrored_tags WHERE repo_uid = OLD.uid;
	DELETE FROM mirror_fetches WHERE repo_uid = OLD.uid;
	DELETE FROM repo_syncs WHERE repo_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER tag_records_publish AFTER INSERT ON tag_records WHEN NEW.digest <> '' BEGIN
	INSERT OR IGNORE INTO public_digests (repo_id, digest) SELECT NEW.repo_id, iif(typeof(NEW.digest) = 'blob', NEW.digest, unhex(substr(NEW.digest, 8)))
      FROM tag_names WHERE id = NEW.tag_id AND tag IN ('latest', 'latest-dev');
END;
--> statement-breakpoint
CREATE TRIGGER tag_repos_delete_public_digests AFTER DELETE ON tag_repos BEGIN
	DELETE FROM public_digests WHERE repo_id = OLD.id;
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'repos' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'repos'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'repos'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'repos' || ' ' || 0 || ' ' || 1 || ' ' || iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), ''))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'repos' AND organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'repos' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND kind = 'repos'))) AND length(iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND state = 'arriving');
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
CREATE TRIGGER repos_require_parent BEFORE INSERT ON repos WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER indexed_sboms_require_sbom BEFORE INSERT ON indexed_sboms WHEN NOT EXISTS (SELECT 1 FROM sboms WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the sbom is gone');
END;
--> statement-breakpoint
CREATE TRIGGER indexed_sboms_sum_insert AFTER INSERT ON indexed_sboms WHEN NEW.package_count > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'packages', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + NEW.package_count, warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'packages' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'packages'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'packages'), -1) AS quota_limit, counts.descendants + NEW.package_count AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'packages' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER indexed_sboms_sum_growth AFTER UPDATE OF package_count ON indexed_sboms WHEN (NEW.package_count - OLD.package_count) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'packages', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (NEW.package_count - OLD.package_count), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'packages' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'packages'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'packages'), -1) AS quota_limit, counts.descendants + (NEW.package_count - OLD.package_count) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'packages' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER indexed_sboms_sum_shrinkage AFTER UPDATE OF package_count ON indexed_sboms WHEN (NEW.package_count - OLD.package_count) < 0 BEGIN
	UPDATE counts SET descendants = descendants - (OLD.package_count - NEW.package_count) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'packages' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER indexed_sboms_sum_delete AFTER DELETE ON indexed_sboms WHEN OLD.package_count > 0 BEGIN
	UPDATE counts SET descendants = descendants - OLD.package_count WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'packages' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER sbom_packages_require_parent BEFORE INSERT ON sbom_packages WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sbom_packages_require_sbom BEFORE INSERT ON sbom_packages WHEN NOT EXISTS (SELECT 1 FROM sboms WHERE uid = NEW.sbom_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the sbom is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sboms_delete_packages AFTER DELETE ON sboms BEGIN
	DELETE FROM indexed_sboms WHERE uid = OLD.uid;
	DELETE FROM sbom_packages WHERE sbom_uid = OLD.uid;
END;
--> statement-breakpoint
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'sboms' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'sboms'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'sboms'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'sboms' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'sboms' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'sboms' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'sboms'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER sboms_count_delete AFTER DELETE ON sboms WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
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
--> statement-breakpoint
CREATE TRIGGER sboms_deleted_update BEFORE UPDATE ON sboms WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sboms_deleted_delete BEFORE DELETE ON sboms WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER sboms_sum_insert AFTER INSERT ON sboms WHEN (octet_length(NEW.packages) + octet_length(NEW.content)) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (octet_length(NEW.packages) + octet_length(NEW.content)), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + (octet_length(NEW.packages) + octet_length(NEW.content)) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER sboms_sum_growth AFTER UPDATE OF packages, content ON sboms WHEN ((octet_length(NEW.packages) + octet_length(NEW.content)) - (octet_length(OLD.packages) + octet_length(OLD.content))) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + ((octet_length(NEW.packages) + octet_length(NEW.content)) - (octet_length(OLD.packages) + octet_length(OLD.content))), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + ((octet_length(NEW.packages) + octet_length(NEW.content)) - (octet_length(OLD.packages) + octet_length(OLD.content))) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER sboms_sum_shrinkage AFTER UPDATE OF packages, content ON sboms WHEN ((octet_length(NEW.packages) + octet_length(NEW.content)) - (octet_length(OLD.packages) + octet_length(OLD.content))) < 0 BEGIN
	UPDATE counts SET descendants = descendants - ((octet_length(OLD.packages) + octet_length(OLD.content)) - (octet_length(NEW.packages) + octet_length(NEW.content))) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER sboms_sum_delete AFTER DELETE ON sboms WHEN (octet_length(OLD.packages) + octet_length(OLD.content)) > 0 BEGIN
	UPDATE counts SET descendants = descendants - (octet_length(OLD.packages) + octet_length(OLD.content)) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER signed_verdicts_require_parent BEFORE INSERT ON signed_verdicts WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER verified_signatures_sign AFTER INSERT ON verified_signatures WHEN NEW.predicate_type = '' AND EXISTS (SELECT 1 FROM trust_policies WHERE uid = NEW.policy_uid AND sign_verdicts) BEGIN
	INSERT INTO signed_verdicts (uid, policy_uid, digest) VALUES (NEW.parent || '/' || substr(NEW.digest, instr(NEW.digest, ':') + 1, 16), NEW.policy_uid, NEW.digest) ON CONFLICT DO UPDATE SET due_time = 0;
END;
--> statement-breakpoint
CREATE TRIGGER verified_signatures_unsign AFTER DELETE ON verified_signatures WHEN OLD.predicate_type = '' BEGIN
	UPDATE signed_verdicts SET due_time = 0 WHERE uid = OLD.parent || '/' || substr(OLD.digest, instr(OLD.digest, ':') + 1, 16) AND policy_uid = OLD.policy_uid;
END;
--> statement-breakpoint
CREATE TRIGGER tag_repos_no_update BEFORE UPDATE ON tag_repos BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_repos_no_delete BEFORE DELETE ON tag_repos WHEN NOT EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr(OLD.repo_uid, 1, 40) AND state IN ('arriving', 'departed')) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_names_no_update BEFORE UPDATE ON tag_names BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_names_no_delete BEFORE DELETE ON tag_names WHEN NOT EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr((SELECT repo_uid FROM tag_repos WHERE id = OLD.repo_id), 1, 40) AND state IN ('arriving', 'departed')) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_origins_no_update BEFORE UPDATE ON tag_origins BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_origins_no_delete BEFORE DELETE ON tag_origins WHEN NOT EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr(OLD.repo_uid, 1, 40) AND state IN ('arriving', 'departed')) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_records_no_update BEFORE UPDATE OF tag_id, update_time, organization_id, repo_id, digest, origin_id ON tag_records BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_records_no_delete BEFORE DELETE ON tag_records WHEN OLD.digest IS NOT (SELECT digest FROM tag_records
  WHERE tag_id = OLD.tag_id AND update_time < OLD.update_time ORDER BY update_time DESC LIMIT 1) AND NOT EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr((SELECT repo_uid FROM tag_repos WHERE id = OLD.repo_id), 1, 40) AND state IN ('arriving', 'departed')) BEGIN
	SELECT RAISE(ABORT, 'the history of tags is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_rules_count_insert AFTER INSERT ON tag_rules BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'tag_rules',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'tag_rules' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'tag_rules'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'tag_rules'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'tag_rules' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'tag_rules' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'tag_rules' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'tag_rules'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER tag_rules_count_delete AFTER DELETE ON tag_rules BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'tag_rules',
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
CREATE TRIGGER tag_rules_require_parent BEFORE INSERT ON tag_rules WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) AND NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER tags_count_insert AFTER INSERT ON tags BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'tags', NEW."class", 0, 0 FROM (SELECT iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'tags' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'tags'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'tags'), -1) AS quota_limit, (SELECT sum(descendants) FROM counts AS part WHERE part.ancestor = counts.ancestor AND part.kind = 'tags') + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
END;
--> statement-breakpoint
CREATE TRIGGER tags_count_delete AFTER DELETE ON tags WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
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
--> statement-breakpoint
CREATE TRIGGER tags_require_parent BEFORE INSERT ON tags WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER tags_deleted_update BEFORE UPDATE ON tags WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER tags_deleted_delete BEFORE DELETE ON tags WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER trust_policies_count_insert AFTER INSERT ON trust_policies BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'trust_policies',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'trust_policies' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'trust_policies'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'trust_policies'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'trust_policies' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'trust_policies' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'trust_policies' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'trust_policies'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER trust_policies_count_delete AFTER DELETE ON trust_policies BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'trust_policies',
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
CREATE TRIGGER trust_policies_require_parent BEFORE INSERT ON trust_policies WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) AND NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER pushed_signatures_require_parent BEFORE INSERT ON pushed_signatures WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER pushed_signatures_require_manifest BEFORE INSERT ON pushed_signatures WHEN NOT EXISTS (SELECT 1 FROM manifests WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the manifest is gone');
END;
--> statement-breakpoint
CREATE TRIGGER manifests_delete_pushed_signatures AFTER DELETE ON manifests BEGIN
	DELETE FROM pushed_signatures WHERE uid = OLD.uid;
	DELETE FROM pushed_signatures WHERE parent = OLD.parent AND digest = OLD.digest;
END;
--> statement-breakpoint
CREATE TRIGGER verified_signatures_require_parent BEFORE INSERT ON verified_signatures WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER verified_signatures_require_manifest BEFORE INSERT ON verified_signatures WHEN NOT EXISTS (SELECT 1 FROM manifests WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the manifest is gone');
END;
--> statement-breakpoint
CREATE TRIGGER manifests_delete_verified_signatures AFTER DELETE ON manifests BEGIN
	DELETE FROM verified_signatures WHERE uid = OLD.uid;
	DELETE FROM verified_signatures WHERE parent = OLD.parent AND digest = OLD.digest;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_count_insert AFTER INSERT ON vuln_reports BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'vuln_reports',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'vuln_reports' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'vuln_reports'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'vuln_reports'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'vuln_reports' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'vuln_reports' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'vuln_reports' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'vuln_reports'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_count_delete AFTER DELETE ON vuln_reports WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'vuln_reports',
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
CREATE TRIGGER vuln_reports_require_parent BEFORE INSERT ON vuln_reports WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_deleted_update BEFORE UPDATE ON vuln_reports WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_deleted_delete BEFORE DELETE ON vuln_reports WHEN EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent AND is_removing = 0) BEGIN
	SELECT RAISE(ABORT, 'stale write: the repository is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_report_contents_require_report BEFORE INSERT ON vuln_report_contents WHEN NOT EXISTS (SELECT 1 FROM vuln_reports WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the report is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_delete_content AFTER DELETE ON vuln_reports BEGIN
	DELETE FROM vuln_report_contents WHERE uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_sum_insert AFTER INSERT ON vuln_reports WHEN (octet_length(NEW.ids) + octet_length(NEW.findings)) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (octet_length(NEW.ids) + octet_length(NEW.findings)), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + (octet_length(NEW.ids) + octet_length(NEW.findings)) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_sum_growth AFTER UPDATE OF ids, findings ON vuln_reports WHEN ((octet_length(NEW.ids) + octet_length(NEW.findings)) - (octet_length(OLD.ids) + octet_length(OLD.findings))) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + ((octet_length(NEW.ids) + octet_length(NEW.findings)) - (octet_length(OLD.ids) + octet_length(OLD.findings))), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + ((octet_length(NEW.ids) + octet_length(NEW.findings)) - (octet_length(OLD.ids) + octet_length(OLD.findings))) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_sum_shrinkage AFTER UPDATE OF ids, findings ON vuln_reports WHEN ((octet_length(NEW.ids) + octet_length(NEW.findings)) - (octet_length(OLD.ids) + octet_length(OLD.findings))) < 0 BEGIN
	UPDATE counts SET descendants = descendants - ((octet_length(OLD.ids) + octet_length(OLD.findings)) - (octet_length(NEW.ids) + octet_length(NEW.findings))) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_reports_sum_delete AFTER DELETE ON vuln_reports WHEN (octet_length(OLD.ids) + octet_length(OLD.findings)) > 0 BEGIN
	UPDATE counts SET descendants = descendants - (octet_length(OLD.ids) + octet_length(OLD.findings)) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_report_contents_sum_insert AFTER INSERT ON vuln_report_contents WHEN (octet_length(NEW.content)) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (octet_length(NEW.content)), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + (octet_length(NEW.content)) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_report_contents_sum_growth AFTER UPDATE OF content ON vuln_report_contents WHEN ((octet_length(NEW.content)) - (octet_length(OLD.content))) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + ((octet_length(NEW.content)) - (octet_length(OLD.content))), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + ((octet_length(NEW.content)) - (octet_length(OLD.content))) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_report_contents_sum_shrinkage AFTER UPDATE OF content ON vuln_report_contents WHEN ((octet_length(NEW.content)) - (octet_length(OLD.content))) < 0 BEGIN
	UPDATE counts SET descendants = descendants - ((octet_length(OLD.content)) - (octet_length(NEW.content))) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vuln_report_contents_sum_delete AFTER DELETE ON vuln_report_contents WHEN (octet_length(OLD.content)) > 0 BEGIN
	UPDATE counts SET descendants = descendants - (octet_length(OLD.content)) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_show_insert AFTER INSERT ON advisory_events BEGIN
	UPDATE advisories SET shown_events = (
		SELECT iif(count <= 10 AND octet_length(events) <= 2000, events, NULL)
		FROM (SELECT json_group_array(json_object('uid', "uid", 'createTime', "create_time",
	'updateTime', "update_time", 'author', "author", 'reviewer', "reviewer", 'reviewState', "review_state",
	'issue', "issue", 'type', "type", 'detail', json("detail"), 'findings', "findings", 'byHand', "by_hand")) AS events, count(*) AS count FROM (
			SELECT * FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT 11)))
	WHERE uid = NEW.advisory_uid AND (shown_events IS NOT NULL OR 10 >= (SELECT count(*) FROM (
		SELECT 1 FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT 11)));
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_show_update AFTER UPDATE ON advisory_events BEGIN
	UPDATE advisories SET shown_events = (
		SELECT iif(count <= 10 AND octet_length(events) <= 2000, events, NULL)
		FROM (SELECT json_group_array(json_object('uid', "uid", 'createTime', "create_time",
	'updateTime', "update_time", 'author', "author", 'reviewer', "reviewer", 'reviewState', "review_state",
	'issue', "issue", 'type', "type", 'detail', json("detail"), 'findings', "findings", 'byHand', "by_hand")) AS events, count(*) AS count FROM (
			SELECT * FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT 11)))
	WHERE uid = NEW.advisory_uid AND (shown_events IS NOT NULL OR 10 >= (SELECT count(*) FROM (
		SELECT 1 FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT 11)));
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_show_delete AFTER DELETE ON advisory_events BEGIN
	UPDATE advisories SET shown_events = NULL WHERE uid = OLD.advisory_uid AND shown_events IS NOT NULL;
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
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'advisories' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'advisories'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'advisories'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'advisories' || ' ' || 0 || ' ' || 1 || ' ' || iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), ''))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'advisories' AND organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'advisories' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND kind = 'advisories'))) AND length(iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '')) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = iif(length(NEW."uid") > 40, substr(NEW."uid", 1, 40), '') AND state = 'arriving');
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
--> statement-breakpoint
CREATE TRIGGER advisories_require_parent BEFORE INSERT ON advisories WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_require_advisory BEFORE INSERT ON advisory_events WHEN NOT EXISTS (SELECT 1 FROM advisories WHERE uid = NEW.advisory_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the advisory is gone');
END;
--> statement-breakpoint
CREATE TRIGGER advisories_insert_aliases AFTER INSERT ON advisories BEGIN
	INSERT OR IGNORE INTO advisory_aliases (alias, advisory_uid)
	SELECT alias.value, NEW.uid FROM json_each(NEW.aliases) AS alias;
END;
--> statement-breakpoint
CREATE TRIGGER advisories_update_aliases AFTER UPDATE OF aliases ON advisories WHEN OLD.aliases <> NEW.aliases BEGIN
	DELETE FROM advisory_aliases
	WHERE advisory_uid = NEW.uid AND alias IN (SELECT value FROM json_each(OLD.aliases));
	INSERT OR IGNORE INTO advisory_aliases (alias, advisory_uid)
	SELECT alias.value, NEW.uid FROM json_each(NEW.aliases) AS alias;
END;
--> statement-breakpoint
CREATE TRIGGER advisories_delete_aliases AFTER DELETE ON advisories BEGIN
	DELETE FROM advisory_aliases
	WHERE advisory_uid = OLD.uid AND alias IN (SELECT value FROM json_each(OLD.aliases));
END;
--> statement-breakpoint
CREATE TRIGGER advisory_documents_count_insert AFTER INSERT ON advisory_documents BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'advisory_documents',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'advisory_documents' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'advisory_documents'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'advisory_documents'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'advisory_documents' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'advisory_documents' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'advisory_documents' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'advisory_documents'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER advisory_documents_count_delete AFTER DELETE ON advisory_documents BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'advisory_documents',
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
CREATE TRIGGER advisory_documents_require_parent BEFORE INSERT ON advisory_documents WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER advisories_insert_products AFTER INSERT ON advisories BEGIN
	INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT upper(id.value), product.name, NEW.parent, NEW.uid
	FROM (SELECT value FROM json_each(NEW.aliases) UNION SELECT NEW.advisory_id) AS id
	CROSS JOIN (SELECT NEW.artifact_name AS name UNION SELECT substr(NEW.artifact_name, length(rtrim(NEW.artifact_name, replace(NEW.artifact_name, '/', ''))) + 1) WHERE NEW.artifact_type = 'image') AS product
	WHERE NEW.source <> 'osv';
END;
--> statement-breakpoint
CREATE TRIGGER advisories_update_products AFTER UPDATE OF aliases, artifact_name, artifact_type, advisory_id, source ON advisories WHEN OLD.aliases <> NEW.aliases OR OLD.artifact_name <> NEW.artifact_name OR OLD.artifact_type <> NEW.artifact_type OR OLD.advisory_id <> NEW.advisory_id OR OLD.source <> NEW.source BEGIN
	DELETE FROM advisory_products WHERE advisory_uid = OLD.uid;
	INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT upper(id.value), product.name, NEW.parent, NEW.uid
	FROM (SELECT value FROM json_each(NEW.aliases) UNION SELECT NEW.advisory_id) AS id
	CROSS JOIN (SELECT NEW.artifact_name AS name UNION SELECT substr(NEW.artifact_name, length(rtrim(NEW.artifact_name, replace(NEW.artifact_name, '/', ''))) + 1) WHERE NEW.artifact_type = 'image') AS product
	WHERE NEW.source <> 'osv';
END;
--> statement-breakpoint
CREATE TRIGGER advisories_delete_products AFTER DELETE ON advisories BEGIN
	DELETE FROM advisory_products WHERE advisory_uid = OLD.uid;
END;
--> statement-breakpoint
CREATE TRIGGER affected_packages_require_advisory BEFORE INSERT ON affected_packages WHEN NOT EXISTS (SELECT 1 FROM advisories WHERE uid = NEW.advisory_uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the advisory is gone');
END;
--> statement-breakpoint
CREATE TRIGGER advisories_update_matches AFTER UPDATE OF advisory_id, aliases, delete_time ON advisories WHEN (OLD.advisory_id <> NEW.advisory_id OR OLD.aliases <> NEW.aliases OR OLD.delete_time IS NOT NEW.delete_time) AND EXISTS (SELECT 1 FROM affected_packages WHERE advisory_uid = NEW.uid) BEGIN
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(NEW.uid, 1, 40), 2, NEW.uid, 1, '' WHERE true
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER advisories_delete_matches AFTER DELETE ON advisories WHEN EXISTS (SELECT 1 FROM affected_packages WHERE advisory_uid = OLD.uid) BEGIN
	DELETE FROM affected_packages WHERE advisory_uid = OLD.uid;
	INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(OLD.uid, 1, 40), 2, OLD.uid, 1, '' WHERE true
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';
END;
--> statement-breakpoint
CREATE TRIGGER artifacts_count_insert AFTER INSERT ON artifacts BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'artifacts',
		NEW."ecosystem",
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'artifacts' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'artifacts'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'artifacts'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'artifacts' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'artifacts' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'artifacts' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'artifacts'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER artifacts_count_delete AFTER DELETE ON artifacts BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'artifacts',
		OLD."ecosystem",
		iif(length(OLD."uid") = 57 + 17 * step.value, -1, 0),
		-1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(OLD."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants;
END;
--> statement-breakpoint
CREATE TRIGGER artifacts_require_parent BEFORE INSERT ON artifacts WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER artifact_versions_require_parent BEFORE INSERT ON artifact_versions WHEN NOT EXISTS (SELECT 1 FROM artifacts WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER artifact_versions_sum_insert AFTER INSERT ON artifact_versions WHEN iif(json_valid(NEW.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(NEW.versions)), 0) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'artifact_versions', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + iif(json_valid(NEW.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(NEW.versions)), 0), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'artifact_versions' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'artifact_versions'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'artifact_versions'), -1) AS quota_limit, counts.descendants + iif(json_valid(NEW.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(NEW.versions)), 0) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'artifact_versions' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER artifact_versions_sum_growth AFTER UPDATE OF versions ON artifact_versions WHEN (iif(json_valid(NEW.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(NEW.versions)), 0) - iif(json_valid(OLD.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(OLD.versions)), 0)) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'artifact_versions', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (iif(json_valid(NEW.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(NEW.versions)), 0) - iif(json_valid(OLD.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(OLD.versions)), 0)), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'artifact_versions' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'artifact_versions'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'artifact_versions'), -1) AS quota_limit, counts.descendants + (iif(json_valid(NEW.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(NEW.versions)), 0) - iif(json_valid(OLD.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(OLD.versions)), 0)) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'artifact_versions' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER artifact_versions_sum_shrinkage AFTER UPDATE OF versions ON artifact_versions WHEN (iif(json_valid(NEW.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(NEW.versions)), 0) - iif(json_valid(OLD.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(OLD.versions)), 0)) < 0 BEGIN
	UPDATE counts SET descendants = descendants - (iif(json_valid(OLD.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(OLD.versions)), 0) - iif(json_valid(NEW.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(NEW.versions)), 0)) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'artifact_versions' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER artifact_versions_sum_delete AFTER DELETE ON artifact_versions WHEN iif(json_valid(OLD.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(OLD.versions)), 0) > 0 BEGIN
	UPDATE counts SET descendants = descendants - iif(json_valid(OLD.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) FROM json_each(OLD.versions)), 0) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'artifact_versions' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER osv_records_require_advisory BEFORE INSERT ON osv_records WHEN NOT EXISTS (SELECT 1 FROM advisories WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the advisory is gone');
END;
--> statement-breakpoint
CREATE TRIGGER osv_records_sum_insert AFTER INSERT ON osv_records WHEN (octet_length(NEW.record)) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (octet_length(NEW.record)), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + (octet_length(NEW.record)) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER osv_records_sum_growth AFTER UPDATE OF record ON osv_records WHEN ((octet_length(NEW.record)) - (octet_length(OLD.record))) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + ((octet_length(NEW.record)) - (octet_length(OLD.record))), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + ((octet_length(NEW.record)) - (octet_length(OLD.record))) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER osv_records_sum_shrinkage AFTER UPDATE OF record ON osv_records WHEN ((octet_length(NEW.record)) - (octet_length(OLD.record))) < 0 BEGIN
	UPDATE counts SET descendants = descendants - ((octet_length(OLD.record)) - (octet_length(NEW.record))) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER osv_records_sum_delete AFTER DELETE ON osv_records WHEN (octet_length(OLD.record)) > 0 BEGIN
	UPDATE counts SET descendants = descendants - (octet_length(OLD.record)) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vex_subjects_require_advisory BEFORE INSERT ON vex_subjects WHEN NOT EXISTS (SELECT 1 FROM advisories WHERE uid = NEW.uid) BEGIN
	SELECT RAISE(ABORT, 'stale write: the advisory is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vulnerability_metadata_count_insert AFTER INSERT ON vulnerability_metadata BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(NEW."uid", 1, 40 + 17 * step.value),
		'vulnerability_metadata',
		0,
		iif(length(NEW."uid") = 57 + 17 * step.value, 1, 0),
		1
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE length(NEW."uid") > 40 + 17 * step.value
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants,
		warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'vulnerability_metadata' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'vulnerability_metadata'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'vulnerability_metadata'), -1) AS quota_limit, counts.descendants + excluded.descendants AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END;
	SELECT RAISE(ABORT, 'over quota ' || 'vulnerability_metadata' || ' ' || 0 || ' ' || 1 || ' ' || substr(NEW."uid", 1, 40))
		WHERE (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'vulnerability_metadata' AND organization = substr(NEW."uid", 1, 40)) OR (EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = 'vulnerability_metadata' AND organization = '') AND NOT EXISTS (SELECT 1 FROM quotas WHERE organization = substr(NEW."uid", 1, 40) AND kind = 'vulnerability_metadata'))) AND length(substr(NEW."uid", 1, 40)) = 40
		AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = substr(NEW."uid", 1, 40) AND state = 'arriving');
END;
--> statement-breakpoint
CREATE TRIGGER vulnerability_metadata_count_delete AFTER DELETE ON vulnerability_metadata BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		substr(OLD."uid", 1, 40 + 17 * step.value),
		'vulnerability_metadata',
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
CREATE TRIGGER vulnerability_metadata_require_parent BEFORE INSERT ON vulnerability_metadata WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER vulnerability_metadata_sum_insert AFTER INSERT ON vulnerability_metadata WHEN (octet_length(NEW.summary) + octet_length(NEW.details)) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + (octet_length(NEW.summary) + octet_length(NEW.details)), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + (octet_length(NEW.summary) + octet_length(NEW.details)) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vulnerability_metadata_sum_growth AFTER UPDATE OF summary, details ON vulnerability_metadata WHEN ((octet_length(NEW.summary) + octet_length(NEW.details)) - (octet_length(OLD.summary) + octet_length(OLD.details))) > 0 BEGIN
	INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, 'document_bytes', 0, 0, 0 FROM (SELECT substr(NEW.uid, 1, 40) AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;
	UPDATE counts SET descendants = descendants + ((octet_length(NEW.summary) + octet_length(NEW.details)) - (octet_length(OLD.summary) + octet_length(OLD.details))), warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN quota_limit >= 0 AND used > quota_limit
			AND NOT EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') THEN RAISE(ABORT, 'over quota ' || 'document_bytes' || ' ' || quota_limit || ' ' || used || ' ' || counts.ancestor)
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (SELECT 1 FROM organization_moves WHERE uid = counts.ancestor AND state = 'arriving') END
			FROM (SELECT coalesce((SELECT quota_limit FROM quotas WHERE organization = counts.ancestor AND kind = 'document_bytes'), (SELECT quota_limit FROM quotas WHERE organization = '' AND kind = 'document_bytes'), -1) AS quota_limit, counts.descendants + ((octet_length(NEW.summary) + octet_length(NEW.details)) - (octet_length(OLD.summary) + octet_length(OLD.details))) AS used LIMIT 1)
			WHERE quota_limit >= 0 AND used * 5 >= quota_limit * 4), counts.warning) END
		WHERE ancestor = substr(NEW.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vulnerability_metadata_sum_shrinkage AFTER UPDATE OF summary, details ON vulnerability_metadata WHEN ((octet_length(NEW.summary) + octet_length(NEW.details)) - (octet_length(OLD.summary) + octet_length(OLD.details))) < 0 BEGIN
	UPDATE counts SET descendants = descendants - ((octet_length(OLD.summary) + octet_length(OLD.details)) - (octet_length(NEW.summary) + octet_length(NEW.details))) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER vulnerability_metadata_sum_delete AFTER DELETE ON vulnerability_metadata WHEN (octet_length(OLD.summary) + octet_length(OLD.details)) > 0 BEGIN
	UPDATE counts SET descendants = descendants - (octet_length(OLD.summary) + octet_length(OLD.details)) WHERE ancestor = substr(OLD.uid, 1, 40) AND kind = 'document_bytes' AND class = 0;
END;
--> statement-breakpoint
CREATE TRIGGER write_guards_refuse BEFORE INSERT ON write_guards BEGIN
	SELECT RAISE(ABORT, NEW.reason);
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
--> statement-breakpoint
CREATE TRIGGER roles_keep_used BEFORE DELETE ON roles WHEN EXISTS (SELECT 1 FROM external_group_role_mappings
		WHERE role_uid = OLD.uid AND parent NOT IN (SELECT uid FROM deletions)) OR (EXISTS (SELECT 1 FROM role_bindings WHERE parent_key = unhex(substr(OLD.uid, 25, 16)) AND role_uid = OLD.uid AND parent NOT IN (SELECT uid FROM deletions))
		OR EXISTS (SELECT 1 FROM role_bindings WHERE above0 = unhex(substr(OLD.uid, 25, 10)) AND role_uid = OLD.uid AND parent NOT IN (SELECT uid FROM deletions))
		OR EXISTS (SELECT 1 FROM role_bindings WHERE length(OLD.uid) = 40 AND role_uid = OLD.uid AND parent NOT IN (SELECT uid FROM deletions))) OR EXISTS (SELECT 1 FROM identity_providers WHERE default_role = OLD.uid AND default_role <> '') BEGIN
	SELECT RAISE(ABORT, 'stale write: the role is in use');
END;
--> statement-breakpoint
-- Built-in roles. A uid is the first 40 hexadecimal digits of the SHA-256 of 'role:' and the name.
-- Capabilities are numbers of platform.capabilities.v1.Capability. Only a caller who has the role `operator` can bind it.
INSERT INTO roles (uid, name, description, capabilities, create_time, update_time) VALUES
	('4e13a874c5dfc25fa6c8f963f7172906b675d5eb', 'owner', 'Everything in a group: access, identities, registry, advisories, subscriptions.', '[101,102,103,104,201,203,204,301,302,303,304,401,402,403,404,623,650,660,701,702,703,704,901,902,903,904,1301,1302,1303,1304,1305,1501,1502,1503,1504,1600,1603,1604,1605,1606,1607,1608,1609,1610,1611,1612,1613,1614,1615,1616,1650,1652,1653,1654,1655,1660,1661,1662,1670,1803,1900,1901,1902,1903,1904,2020,2201,2202,3001,3101,3102,3103,3104,3105,3201,3202,3203,3204,3301,3302,3303,3304,3401,3402,3403,3501,3502,3503,3504]', 1795132800000, 1795132800000),
	('83b1aa4bc019baf7baed3bd95a9bf0e5d9ffed54', 'editor', 'Reads everything; creates, changes and deletes repos and subscriptions.', '[103,203,303,403,623,650,660,703,903,1303,1501,1502,1503,1504,1600,1603,1604,1605,1606,1609,1613,1615,1616,1652,1654,1655,1661,1670,1803,1902,2202,3103,3201,3202,3203,3204,3303,3402,3503]', 1795132800000, 1795132800000),
	('fb8cf4f24fcd591a8e895de6931ca2bca2198e6b', 'viewer', 'Reads everything and pulls images.', '[103,203,303,403,623,650,660,703,903,1303,1503,1600,1605,1609,1613,1615,1616,1652,1654,1655,1661,1670,1803,1902,2202,3103,3203,3303,3402,3503]', 1795132800000, 1795132800000),
	('9d1801bc4fc175ad7d7d40cc163260e49b3c4de3', 'console_viewer', 'Reads everything but image contents.', '[103,203,303,403,623,650,660,703,903,1303,1503,1605,1609,1613,1615,1616,1652,1654,1661,1670,1803,1902,3103,3203,3303,3402,3503]', 1795132800000, 1795132800000),
	('0c21e9d6ed4a75fae7b1a1fd94f4ac9716dfb3f3', 'limited_owner', 'Reads everything; creates identities and binds roles it holds itself.', '[103,203,303,401,403,623,650,660,703,901,903,1303,1503,1600,1605,1609,1613,1615,1616,1652,1654,1655,1661,1670,1803,1902,2202,3103,3203,3303,3402,3503]', 1795132800000, 1795132800000),
	('902b87b2d467e207feddc9515e32fd39b33f05eb', 'registry.pull', 'Pulls images and reads their metadata and history.', '[103,623,650,660,1600,1605,1609,1613,1615,1616,3103,3203,3303,3503]', 1795132800000, 1795132800000),
	('1d170348733a558be7e883527d0d7e4c60e3ce20', 'registry.push', 'Pushes and pulls images, and deletes repos, tags and images; creates groups and repos.', '[101,103,623,650,660,1600,1603,1604,1605,1606,1607,1608,1609,1610,1611,1612,1613,1614,1615,1616,3103,3203,3303,3503]', 1795132800000, 1795132800000),
	('7601f90149ae6aaeacf7c869cd368d685ec198eb', 'registry.push_only', 'Pushes and pulls images in repos that exist. Deletes nothing and creates no repo.', '[103,623,650,660,1600,1605,1607,1608,1609,1611,1612,1613,1615,1616,3103,3203,3303,3503]', 1795132800000, 1795132800000),
	('76a608d5ae21dc3d50c616feb42fc8cae3e83c12', 'registry.pull_token_creator', 'Pulls images, and creates identities that may pull them.', '[103,303,401,623,650,660,901,1600,1605,1609,1613,1615,1616,1652,1655,3103,3203,3303,3402,3503]', 1795132800000, 1795132800000),
	('26ce85bbe8c4ae7b9cae303b3e3e62532c70f38a', 'advisories.viewer', 'Reads advisories.', '[1902]', 1795132800000, 1795132800000),
	('287574b3539f05e585fb3c590fc3128d6c937078', 'advisories.admin', 'Imports, changes, approves and deletes advisories.', '[1900,1901,1902,1903,1904]', 1795132800000, 1795132800000),
	('0d0fcd23ba11ba9ae9af494459be5c9872701241', 'operator', 'Runs the platform: verifies organizations and edits what only the operator may.', '[2,1617]', 1795132800000, 1795132800000);
--> statement-breakpoint
-- The deliveries begin with the first event.
INSERT INTO delivery_cursor (id, event_seq) VALUES (1, 0);
--> statement-breakpoint
-- The default quotas. docs/guides/clean-up-and-cost.md says how many bytes they allow.
INSERT INTO quotas (organization, kind, quota_limit) VALUES
	('', 'repos', 10000),
	('', 'tags', 100000),
	('', 'manifests', 50000),
	('', 'open_uploads', 100),
	('', 'document_bytes', 150000000),
	('', 'sboms', 25000),
	('', 'vuln_reports', 25000),
	('', 'packages', 60000),
	('', 'findings', 45000),
	('', 'groups', 1000),
	('', 'identities', 10000),
	('', 'roles', 500),
	('', 'role_bindings', 20000),
	('', 'identity_providers', 100),
	('', 'external_group_role_mappings', 1000),
	('', 'scim_users', 50000),
	('', 'scim_groups', 10000),
	('', 'group_invites', 1000),
	('', 'subscriptions', 200),
	('', 'tag_rules', 200),
	('', 'advisories', 30000),
	('', 'vulnerability_metadata', 40000),
	('', 'artifact_versions', 100000),
	('', 'owned_organizations', 10),
	('', 'rate_percent', 100);
