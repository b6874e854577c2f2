DROP INDEX `events_by_time`;--> statement-breakpoint
DROP INDEX `events_children`;--> statement-breakpoint
DROP INDEX `events_0`;--> statement-breakpoint
DROP INDEX `events_1`;--> statement-breakpoint
DROP INDEX `events_2`;--> statement-breakpoint
DROP INDEX `events_3`;--> statement-breakpoint
DROP INDEX `events_4`;--> statement-breakpoint
ALTER TABLE `events` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `events` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `events` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `events` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `events_times` ON `events` (`time`) WHERE "seq" % 16 = 0;--> statement-breakpoint
CREATE INDEX `events_of_parent` ON `events` (`parent_key`);--> statement-breakpoint
CREATE INDEX `events_above0` ON `events` (`above0`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `events_above1` ON `events` (`above1`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `events_above2` ON `events` (`above2`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `events_above3` ON `events` (`above3`) WHERE "above3" is not null;--> statement-breakpoint
DROP INDEX `subscriptions_0_by_created`;--> statement-breakpoint
DROP INDEX `subscriptions_0_by_updated`;--> statement-breakpoint
DROP INDEX `subscriptions_1_by_created`;--> statement-breakpoint
DROP INDEX `subscriptions_1_by_updated`;--> statement-breakpoint
DROP INDEX `subscriptions_2_by_created`;--> statement-breakpoint
DROP INDEX `subscriptions_2_by_updated`;--> statement-breakpoint
DROP INDEX `subscriptions_3_by_created`;--> statement-breakpoint
DROP INDEX `subscriptions_3_by_updated`;--> statement-breakpoint
DROP INDEX `subscriptions_4_by_created`;--> statement-breakpoint
DROP INDEX `subscriptions_4_by_updated`;--> statement-breakpoint
DROP INDEX `subscriptions_children_by_created`;--> statement-breakpoint
DROP INDEX `subscriptions_children_by_updated`;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `account_associations_0_by_created`;--> statement-breakpoint
DROP INDEX `account_associations_0_by_updated`;--> statement-breakpoint
DROP INDEX `account_associations_0_by_name`;--> statement-breakpoint
DROP INDEX `account_associations_1_by_created`;--> statement-breakpoint
DROP INDEX `account_associations_1_by_updated`;--> statement-breakpoint
DROP INDEX `account_associations_1_by_name`;--> statement-breakpoint
DROP INDEX `account_associations_2_by_created`;--> statement-breakpoint
DROP INDEX `account_associations_2_by_updated`;--> statement-breakpoint
DROP INDEX `account_associations_2_by_name`;--> statement-breakpoint
DROP INDEX `account_associations_3_by_created`;--> statement-breakpoint
DROP INDEX `account_associations_3_by_updated`;--> statement-breakpoint
DROP INDEX `account_associations_3_by_name`;--> statement-breakpoint
DROP INDEX `account_associations_4_by_created`;--> statement-breakpoint
DROP INDEX `account_associations_4_by_updated`;--> statement-breakpoint
DROP INDEX `account_associations_4_by_name`;--> statement-breakpoint
DROP INDEX `account_associations_children_by_created`;--> statement-breakpoint
DROP INDEX `account_associations_children_by_updated`;--> statement-breakpoint
DROP INDEX `account_associations_children_by_name`;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `parent_key` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 40 then unhex(substr(("uid" || '/0000000000000000'), -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `above0` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 57 then unhex(substr(("uid" || '/0000000000000000'), 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `above1` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 74 then unhex(substr(("uid" || '/0000000000000000'), 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `above2` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 91 then unhex(substr(("uid" || '/0000000000000000'), 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `above3` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 108 then unhex(substr(("uid" || '/0000000000000000'), 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `external_group_role_mappings_0_by_created`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_0_by_updated`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_0_by_group`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_0_by_role`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_1_by_created`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_1_by_updated`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_1_by_group`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_1_by_role`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_2_by_created`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_2_by_updated`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_2_by_group`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_2_by_role`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_3_by_created`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_3_by_updated`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_3_by_group`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_3_by_role`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_4_by_created`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_4_by_updated`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_4_by_group`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_4_by_role`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_5_by_created`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_5_by_updated`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_5_by_group`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_5_by_role`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_children_by_uid`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_children_by_created`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_children_by_updated`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_children_by_group`;--> statement-breakpoint
DROP INDEX `external_group_role_mappings_children_by_role`;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `group_invites_0_by_created`;--> statement-breakpoint
DROP INDEX `group_invites_0_by_updated`;--> statement-breakpoint
DROP INDEX `group_invites_0_by_expiration`;--> statement-breakpoint
DROP INDEX `group_invites_1_by_created`;--> statement-breakpoint
DROP INDEX `group_invites_1_by_updated`;--> statement-breakpoint
DROP INDEX `group_invites_1_by_expiration`;--> statement-breakpoint
DROP INDEX `group_invites_2_by_created`;--> statement-breakpoint
DROP INDEX `group_invites_2_by_updated`;--> statement-breakpoint
DROP INDEX `group_invites_2_by_expiration`;--> statement-breakpoint
DROP INDEX `group_invites_3_by_created`;--> statement-breakpoint
DROP INDEX `group_invites_3_by_updated`;--> statement-breakpoint
DROP INDEX `group_invites_3_by_expiration`;--> statement-breakpoint
DROP INDEX `group_invites_4_by_created`;--> statement-breakpoint
DROP INDEX `group_invites_4_by_updated`;--> statement-breakpoint
DROP INDEX `group_invites_4_by_expiration`;--> statement-breakpoint
DROP INDEX `group_invites_children_by_created`;--> statement-breakpoint
DROP INDEX `group_invites_children_by_updated`;--> statement-breakpoint
DROP INDEX `group_invites_children_by_expiration`;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `groups_0_by_created`;--> statement-breakpoint
DROP INDEX `groups_0_by_updated`;--> statement-breakpoint
DROP INDEX `groups_0_by_name`;--> statement-breakpoint
DROP INDEX `groups_1_by_created`;--> statement-breakpoint
DROP INDEX `groups_1_by_updated`;--> statement-breakpoint
DROP INDEX `groups_1_by_name`;--> statement-breakpoint
DROP INDEX `groups_2_by_created`;--> statement-breakpoint
DROP INDEX `groups_2_by_updated`;--> statement-breakpoint
DROP INDEX `groups_2_by_name`;--> statement-breakpoint
DROP INDEX `groups_3_by_created`;--> statement-breakpoint
DROP INDEX `groups_3_by_updated`;--> statement-breakpoint
DROP INDEX `groups_3_by_name`;--> statement-breakpoint
DROP INDEX `groups_4_by_created`;--> statement-breakpoint
DROP INDEX `groups_4_by_updated`;--> statement-breakpoint
DROP INDEX `groups_4_by_name`;--> statement-breakpoint
DROP INDEX `groups_children_by_created`;--> statement-breakpoint
DROP INDEX `groups_children_by_updated`;--> statement-breakpoint
DROP INDEX `groups_children_by_name`;--> statement-breakpoint
ALTER TABLE `groups` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `groups` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `groups` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `identities_0_by_expiry`;--> statement-breakpoint
DROP INDEX `identities_1_by_expiry`;--> statement-breakpoint
DROP INDEX `identities_2_by_expiry`;--> statement-breakpoint
DROP INDEX `identities_3_by_expiry`;--> statement-breakpoint
DROP INDEX `identities_4_by_expiry`;--> statement-breakpoint
DROP INDEX `identities_children_by_expiry`;--> statement-breakpoint
DROP INDEX `identities_0_by_created`;--> statement-breakpoint
DROP INDEX `identities_0_by_updated`;--> statement-breakpoint
DROP INDEX `identities_0_by_name`;--> statement-breakpoint
DROP INDEX `identities_0_by_idle`;--> statement-breakpoint
DROP INDEX `identities_1_by_created`;--> statement-breakpoint
DROP INDEX `identities_1_by_updated`;--> statement-breakpoint
DROP INDEX `identities_1_by_name`;--> statement-breakpoint
DROP INDEX `identities_1_by_idle`;--> statement-breakpoint
DROP INDEX `identities_2_by_created`;--> statement-breakpoint
DROP INDEX `identities_2_by_updated`;--> statement-breakpoint
DROP INDEX `identities_2_by_name`;--> statement-breakpoint
DROP INDEX `identities_2_by_idle`;--> statement-breakpoint
DROP INDEX `identities_3_by_created`;--> statement-breakpoint
DROP INDEX `identities_3_by_updated`;--> statement-breakpoint
DROP INDEX `identities_3_by_name`;--> statement-breakpoint
DROP INDEX `identities_3_by_idle`;--> statement-breakpoint
DROP INDEX `identities_4_by_created`;--> statement-breakpoint
DROP INDEX `identities_4_by_updated`;--> statement-breakpoint
DROP INDEX `identities_4_by_name`;--> statement-breakpoint
DROP INDEX `identities_4_by_idle`;--> statement-breakpoint
DROP INDEX `identities_children_by_created`;--> statement-breakpoint
DROP INDEX `identities_children_by_updated`;--> statement-breakpoint
DROP INDEX `identities_children_by_name`;--> statement-breakpoint
DROP INDEX `identities_children_by_idle`;--> statement-breakpoint
ALTER TABLE `identities` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `identities` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `identities` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `identity_providers_0_by_created`;--> statement-breakpoint
DROP INDEX `identity_providers_0_by_updated`;--> statement-breakpoint
DROP INDEX `identity_providers_0_by_name`;--> statement-breakpoint
DROP INDEX `identity_providers_1_by_created`;--> statement-breakpoint
DROP INDEX `identity_providers_1_by_updated`;--> statement-breakpoint
DROP INDEX `identity_providers_1_by_name`;--> statement-breakpoint
DROP INDEX `identity_providers_2_by_created`;--> statement-breakpoint
DROP INDEX `identity_providers_2_by_updated`;--> statement-breakpoint
DROP INDEX `identity_providers_2_by_name`;--> statement-breakpoint
DROP INDEX `identity_providers_3_by_created`;--> statement-breakpoint
DROP INDEX `identity_providers_3_by_updated`;--> statement-breakpoint
DROP INDEX `identity_providers_3_by_name`;--> statement-breakpoint
DROP INDEX `identity_providers_4_by_created`;--> statement-breakpoint
DROP INDEX `identity_providers_4_by_updated`;--> statement-breakpoint
DROP INDEX `identity_providers_4_by_name`;--> statement-breakpoint
DROP INDEX `identity_providers_children_by_created`;--> statement-breakpoint
DROP INDEX `identity_providers_children_by_updated`;--> statement-breakpoint
DROP INDEX `identity_providers_children_by_name`;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `role_bindings_0_by_created`;--> statement-breakpoint
DROP INDEX `role_bindings_0_by_updated`;--> statement-breakpoint
DROP INDEX `role_bindings_0_by_identity`;--> statement-breakpoint
DROP INDEX `role_bindings_0_by_role`;--> statement-breakpoint
DROP INDEX `role_bindings_0_by_idle`;--> statement-breakpoint
DROP INDEX `role_bindings_1_by_created`;--> statement-breakpoint
DROP INDEX `role_bindings_1_by_updated`;--> statement-breakpoint
DROP INDEX `role_bindings_1_by_identity`;--> statement-breakpoint
DROP INDEX `role_bindings_1_by_role`;--> statement-breakpoint
DROP INDEX `role_bindings_1_by_idle`;--> statement-breakpoint
DROP INDEX `role_bindings_2_by_created`;--> statement-breakpoint
DROP INDEX `role_bindings_2_by_updated`;--> statement-breakpoint
DROP INDEX `role_bindings_2_by_identity`;--> statement-breakpoint
DROP INDEX `role_bindings_2_by_role`;--> statement-breakpoint
DROP INDEX `role_bindings_2_by_idle`;--> statement-breakpoint
DROP INDEX `role_bindings_3_by_created`;--> statement-breakpoint
DROP INDEX `role_bindings_3_by_updated`;--> statement-breakpoint
DROP INDEX `role_bindings_3_by_identity`;--> statement-breakpoint
DROP INDEX `role_bindings_3_by_role`;--> statement-breakpoint
DROP INDEX `role_bindings_3_by_idle`;--> statement-breakpoint
DROP INDEX `role_bindings_4_by_created`;--> statement-breakpoint
DROP INDEX `role_bindings_4_by_updated`;--> statement-breakpoint
DROP INDEX `role_bindings_4_by_identity`;--> statement-breakpoint
DROP INDEX `role_bindings_4_by_role`;--> statement-breakpoint
DROP INDEX `role_bindings_4_by_idle`;--> statement-breakpoint
DROP INDEX `role_bindings_children_by_created`;--> statement-breakpoint
DROP INDEX `role_bindings_children_by_updated`;--> statement-breakpoint
DROP INDEX `role_bindings_children_by_identity`;--> statement-breakpoint
DROP INDEX `role_bindings_children_by_role`;--> statement-breakpoint
DROP INDEX `role_bindings_children_by_idle`;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `roles_0_by_created`;--> statement-breakpoint
DROP INDEX `roles_0_by_updated`;--> statement-breakpoint
DROP INDEX `roles_0_by_name`;--> statement-breakpoint
DROP INDEX `roles_1_by_created`;--> statement-breakpoint
DROP INDEX `roles_1_by_updated`;--> statement-breakpoint
DROP INDEX `roles_1_by_name`;--> statement-breakpoint
DROP INDEX `roles_2_by_created`;--> statement-breakpoint
DROP INDEX `roles_2_by_updated`;--> statement-breakpoint
DROP INDEX `roles_2_by_name`;--> statement-breakpoint
DROP INDEX `roles_3_by_created`;--> statement-breakpoint
DROP INDEX `roles_3_by_updated`;--> statement-breakpoint
DROP INDEX `roles_3_by_name`;--> statement-breakpoint
DROP INDEX `roles_4_by_created`;--> statement-breakpoint
DROP INDEX `roles_4_by_updated`;--> statement-breakpoint
DROP INDEX `roles_4_by_name`;--> statement-breakpoint
DROP INDEX `roles_children_by_created`;--> statement-breakpoint
DROP INDEX `roles_children_by_updated`;--> statement-breakpoint
DROP INDEX `roles_children_by_name`;--> statement-breakpoint
ALTER TABLE `roles` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `roles` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `roles` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `roles_of_parent_by_created` ON `roles` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `roles_of_parent_by_updated` ON `roles` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `roles_of_parent_by_name` ON `roles` (`parent_key`,`name`,`step`);--> statement-breakpoint
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
DROP INDEX `repos_0_by_created`;--> statement-breakpoint
DROP INDEX `repos_0_by_updated`;--> statement-breakpoint
DROP INDEX `repos_0_by_name`;--> statement-breakpoint
DROP INDEX `repos_1_by_created`;--> statement-breakpoint
DROP INDEX `repos_1_by_updated`;--> statement-breakpoint
DROP INDEX `repos_1_by_name`;--> statement-breakpoint
DROP INDEX `repos_2_by_created`;--> statement-breakpoint
DROP INDEX `repos_2_by_updated`;--> statement-breakpoint
DROP INDEX `repos_2_by_name`;--> statement-breakpoint
DROP INDEX `repos_3_by_created`;--> statement-breakpoint
DROP INDEX `repos_3_by_updated`;--> statement-breakpoint
DROP INDEX `repos_3_by_name`;--> statement-breakpoint
DROP INDEX `repos_4_by_created`;--> statement-breakpoint
DROP INDEX `repos_4_by_updated`;--> statement-breakpoint
DROP INDEX `repos_4_by_name`;--> statement-breakpoint
DROP INDEX `repos_children_by_created`;--> statement-breakpoint
DROP INDEX `repos_children_by_updated`;--> statement-breakpoint
DROP INDEX `repos_children_by_name`;--> statement-breakpoint
ALTER TABLE `repos` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `repos` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `repos` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `repos_of_parent_by_created` ON `repos` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `repos_of_parent_by_updated` ON `repos` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `repos_of_parent_by_name` ON `repos` (`parent_key`,`name`,`step`);--> statement-breakpoint
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
DROP INDEX `sboms_0_by_updated`;--> statement-breakpoint
DROP INDEX `sboms_1_by_updated`;--> statement-breakpoint
DROP INDEX `sboms_2_by_updated`;--> statement-breakpoint
DROP INDEX `sboms_3_by_updated`;--> statement-breakpoint
DROP INDEX `sboms_4_by_updated`;--> statement-breakpoint
DROP INDEX `sboms_5_by_updated`;--> statement-breakpoint
DROP INDEX `sboms_children_by_uid`;--> statement-breakpoint
DROP INDEX `sboms_children_by_updated`;--> statement-breakpoint
ALTER TABLE `sboms` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `sboms_key0_by_updated` ON `sboms` (`key0`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key1_by_updated` ON `sboms` (`key1`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key2_by_updated` ON `sboms` (`key2`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key3_by_updated` ON `sboms` (`key3`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key4_by_updated` ON `sboms` (`key4`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `sboms_key5_by_updated` ON `sboms` (`key5`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
DROP INDEX `tags_0_by_uid`;--> statement-breakpoint
DROP INDEX `tags_0_by_created`;--> statement-breakpoint
DROP INDEX `tags_0_by_updated`;--> statement-breakpoint
DROP INDEX `tags_0_by_name`;--> statement-breakpoint
DROP INDEX `tags_0_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_1_by_uid`;--> statement-breakpoint
DROP INDEX `tags_1_by_created`;--> statement-breakpoint
DROP INDEX `tags_1_by_updated`;--> statement-breakpoint
DROP INDEX `tags_1_by_name`;--> statement-breakpoint
DROP INDEX `tags_1_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_2_by_uid`;--> statement-breakpoint
DROP INDEX `tags_2_by_created`;--> statement-breakpoint
DROP INDEX `tags_2_by_updated`;--> statement-breakpoint
DROP INDEX `tags_2_by_name`;--> statement-breakpoint
DROP INDEX `tags_2_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_3_by_uid`;--> statement-breakpoint
DROP INDEX `tags_3_by_created`;--> statement-breakpoint
DROP INDEX `tags_3_by_updated`;--> statement-breakpoint
DROP INDEX `tags_3_by_name`;--> statement-breakpoint
DROP INDEX `tags_3_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_4_by_uid`;--> statement-breakpoint
DROP INDEX `tags_4_by_created`;--> statement-breakpoint
DROP INDEX `tags_4_by_updated`;--> statement-breakpoint
DROP INDEX `tags_4_by_name`;--> statement-breakpoint
DROP INDEX `tags_4_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_5_by_uid`;--> statement-breakpoint
DROP INDEX `tags_5_by_created`;--> statement-breakpoint
DROP INDEX `tags_5_by_updated`;--> statement-breakpoint
DROP INDEX `tags_5_by_name`;--> statement-breakpoint
DROP INDEX `tags_5_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_children_by_uid`;--> statement-breakpoint
DROP INDEX `tags_children_by_created`;--> statement-breakpoint
DROP INDEX `tags_children_by_updated`;--> statement-breakpoint
DROP INDEX `tags_children_by_name`;--> statement-breakpoint
DROP INDEX `tags_children_by_folded_name`;--> statement-breakpoint
DROP INDEX `tags_siblings`;--> statement-breakpoint
DROP INDEX `tags_by_digest`;--> statement-breakpoint
DROP INDEX `tags_deprecated`;--> statement-breakpoint
DROP INDEX `tags_deprecated_children`;--> statement-breakpoint
DROP INDEX `tags_deprecated_0_by_time`;--> statement-breakpoint
DROP INDEX `tags_deprecated_1_by_time`;--> statement-breakpoint
DROP INDEX `tags_deprecated_2_by_time`;--> statement-breakpoint
DROP INDEX `tags_deprecated_3_by_time`;--> statement-breakpoint
DROP INDEX `tags_deprecated_4_by_time`;--> statement-breakpoint
DROP INDEX `tags_deprecated_5_by_time`;--> statement-breakpoint
DROP INDEX `tags_deprecated_children_by_time`;--> statement-breakpoint
DROP INDEX `tags_by_line`;--> statement-breakpoint
ALTER TABLE `tags` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `tags` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `tags` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `digest_key` blob GENERATED ALWAYS AS (unhex(substr("digest", 8, 16))) VIRTUAL;--> statement-breakpoint
CREATE INDEX `tags_by_path` ON `tags` (`class`,`path`);--> statement-breakpoint
CREATE INDEX `tags_key0_by_created` ON `tags` (`key0`,`class`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tags_key0_by_updated` ON `tags` (`key0`,`class`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tags_key0_by_name` ON `tags` (`key0`,`class`,"name" collate nocase,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `tags_key1_by_created` ON `tags` (`key1`,`class`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tags_key1_by_updated` ON `tags` (`key1`,`class`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tags_key1_by_name` ON `tags` (`key1`,`class`,"name" collate nocase,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `tags_key2_by_created` ON `tags` (`key2`,`class`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tags_key2_by_updated` ON `tags` (`key2`,`class`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tags_key2_by_name` ON `tags` (`key2`,`class`,"name" collate nocase,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `tags_key3_by_created` ON `tags` (`key3`,`class`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tags_key3_by_updated` ON `tags` (`key3`,`class`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tags_key3_by_name` ON `tags` (`key3`,`class`,"name" collate nocase,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `tags_key4_by_created` ON `tags` (`key4`,`class`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tags_key4_by_updated` ON `tags` (`key4`,`class`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tags_key4_by_name` ON `tags` (`key4`,`class`,"name" collate nocase,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `tags_key5_by_created` ON `tags` (`key5`,`class`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tags_key5_by_updated` ON `tags` (`key5`,`class`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `tags_key5_by_name` ON `tags` (`key5`,`class`,"name" collate nocase,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `tags_named` ON `tags` (`parent_key`,`name`);--> statement-breakpoint
CREATE INDEX `tags_with_digest` ON `tags` (`digest_key`,`key0`);--> statement-breakpoint
CREATE INDEX `tags_deprecated_by_path` ON `tags` (`class`,`path`) WHERE "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_key0_by_time` ON `tags` (`key0`,`class`,`deprecated_time`,`step`) WHERE "key0" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_key1_by_time` ON `tags` (`key1`,`class`,`deprecated_time`,`step`) WHERE "key1" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_key2_by_time` ON `tags` (`key2`,`class`,`deprecated_time`,`step`) WHERE "key2" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_key3_by_time` ON `tags` (`key3`,`class`,`deprecated_time`,`step`) WHERE "key3" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_key4_by_time` ON `tags` (`key4`,`class`,`deprecated_time`,`step`) WHERE "key4" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_key5_by_time` ON `tags` (`key5`,`class`,`deprecated_time`,`step`) WHERE "key5" is not null and "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_in_line` ON `tags` (`parent_key`,`line`,`line_key`) WHERE "deprecated" = 0 and "line" <> '';--> statement-breakpoint
DROP INDEX `vuln_reports_0_by_scan`;--> statement-breakpoint
DROP INDEX `vuln_reports_1_by_scan`;--> statement-breakpoint
DROP INDEX `vuln_reports_2_by_scan`;--> statement-breakpoint
DROP INDEX `vuln_reports_3_by_scan`;--> statement-breakpoint
DROP INDEX `vuln_reports_4_by_scan`;--> statement-breakpoint
DROP INDEX `vuln_reports_5_by_scan`;--> statement-breakpoint
DROP INDEX `vuln_reports_children_by_uid`;--> statement-breakpoint
DROP INDEX `vuln_reports_children_by_scan`;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `vuln_reports_key0_by_scan` ON `vuln_reports` (`key0`,`scan_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key1_by_scan` ON `vuln_reports` (`key1`,`scan_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key2_by_scan` ON `vuln_reports` (`key2`,`scan_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key3_by_scan` ON `vuln_reports` (`key3`,`scan_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key4_by_scan` ON `vuln_reports` (`key4`,`scan_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_key5_by_scan` ON `vuln_reports` (`key5`,`scan_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
DROP INDEX `advisories_0_by_created`;--> statement-breakpoint
DROP INDEX `advisories_0_by_updated`;--> statement-breakpoint
DROP INDEX `advisories_0_by_advisory`;--> statement-breakpoint
DROP INDEX `advisories_0_by_artifact`;--> statement-breakpoint
DROP INDEX `advisories_1_by_created`;--> statement-breakpoint
DROP INDEX `advisories_1_by_updated`;--> statement-breakpoint
DROP INDEX `advisories_1_by_advisory`;--> statement-breakpoint
DROP INDEX `advisories_1_by_artifact`;--> statement-breakpoint
DROP INDEX `advisories_2_by_created`;--> statement-breakpoint
DROP INDEX `advisories_2_by_updated`;--> statement-breakpoint
DROP INDEX `advisories_2_by_advisory`;--> statement-breakpoint
DROP INDEX `advisories_2_by_artifact`;--> statement-breakpoint
DROP INDEX `advisories_3_by_created`;--> statement-breakpoint
DROP INDEX `advisories_3_by_updated`;--> statement-breakpoint
DROP INDEX `advisories_3_by_advisory`;--> statement-breakpoint
DROP INDEX `advisories_3_by_artifact`;--> statement-breakpoint
DROP INDEX `advisories_4_by_created`;--> statement-breakpoint
DROP INDEX `advisories_4_by_updated`;--> statement-breakpoint
DROP INDEX `advisories_4_by_advisory`;--> statement-breakpoint
DROP INDEX `advisories_4_by_artifact`;--> statement-breakpoint
DROP INDEX `advisories_children_by_created`;--> statement-breakpoint
DROP INDEX `advisories_children_by_updated`;--> statement-breakpoint
DROP INDEX `advisories_children_by_advisory`;--> statement-breakpoint
DROP INDEX `advisories_children_by_artifact`;--> statement-breakpoint
ALTER TABLE `advisories` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_created` ON `advisories` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_updated` ON `advisories` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_advisory` ON `advisories` (`parent_key`,`advisory_id`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_artifact` ON `advisories` (`parent_key`,`artifact_name`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_above0_by_created` ON `advisories` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_updated` ON `advisories` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_advisory` ON `advisories` (`above0`,`advisory_id`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_artifact` ON `advisories` (`above0`,`artifact_name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_created` ON `advisories` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_updated` ON `advisories` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_advisory` ON `advisories` (`above1`,`advisory_id`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_artifact` ON `advisories` (`above1`,`artifact_name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_created` ON `advisories` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_updated` ON `advisories` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_advisory` ON `advisories` (`above2`,`advisory_id`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_artifact` ON `advisories` (`above2`,`artifact_name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_created` ON `advisories` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_updated` ON `advisories` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_advisory` ON `advisories` (`above3`,`advisory_id`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_artifact` ON `advisories` (`above3`,`artifact_name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
DROP INDEX `advisory_documents_0_by_created`;--> statement-breakpoint
DROP INDEX `advisory_documents_0_by_updated`;--> statement-breakpoint
DROP INDEX `advisory_documents_0_by_origin`;--> statement-breakpoint
DROP INDEX `advisory_documents_1_by_created`;--> statement-breakpoint
DROP INDEX `advisory_documents_1_by_updated`;--> statement-breakpoint
DROP INDEX `advisory_documents_1_by_origin`;--> statement-breakpoint
DROP INDEX `advisory_documents_2_by_created`;--> statement-breakpoint
DROP INDEX `advisory_documents_2_by_updated`;--> statement-breakpoint
DROP INDEX `advisory_documents_2_by_origin`;--> statement-breakpoint
DROP INDEX `advisory_documents_3_by_created`;--> statement-breakpoint
DROP INDEX `advisory_documents_3_by_updated`;--> statement-breakpoint
DROP INDEX `advisory_documents_3_by_origin`;--> statement-breakpoint
DROP INDEX `advisory_documents_4_by_created`;--> statement-breakpoint
DROP INDEX `advisory_documents_4_by_updated`;--> statement-breakpoint
DROP INDEX `advisory_documents_4_by_origin`;--> statement-breakpoint
DROP INDEX `advisory_documents_children_by_created`;--> statement-breakpoint
DROP INDEX `advisory_documents_children_by_updated`;--> statement-breakpoint
DROP INDEX `advisory_documents_children_by_origin`;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
DROP INDEX `artifacts_0_by_uid`;--> statement-breakpoint
DROP INDEX `artifacts_0_by_created`;--> statement-breakpoint
DROP INDEX `artifacts_0_by_updated`;--> statement-breakpoint
DROP INDEX `artifacts_0_by_name`;--> statement-breakpoint
DROP INDEX `artifacts_1_by_uid`;--> statement-breakpoint
DROP INDEX `artifacts_1_by_created`;--> statement-breakpoint
DROP INDEX `artifacts_1_by_updated`;--> statement-breakpoint
DROP INDEX `artifacts_1_by_name`;--> statement-breakpoint
DROP INDEX `artifacts_2_by_uid`;--> statement-breakpoint
DROP INDEX `artifacts_2_by_created`;--> statement-breakpoint
DROP INDEX `artifacts_2_by_updated`;--> statement-breakpoint
DROP INDEX `artifacts_2_by_name`;--> statement-breakpoint
DROP INDEX `artifacts_3_by_uid`;--> statement-breakpoint
DROP INDEX `artifacts_3_by_created`;--> statement-breakpoint
DROP INDEX `artifacts_3_by_updated`;--> statement-breakpoint
DROP INDEX `artifacts_3_by_name`;--> statement-breakpoint
DROP INDEX `artifacts_4_by_uid`;--> statement-breakpoint
DROP INDEX `artifacts_4_by_created`;--> statement-breakpoint
DROP INDEX `artifacts_4_by_updated`;--> statement-breakpoint
DROP INDEX `artifacts_4_by_name`;--> statement-breakpoint
DROP INDEX `artifacts_children_by_uid`;--> statement-breakpoint
DROP INDEX `artifacts_children_by_created`;--> statement-breakpoint
DROP INDEX `artifacts_children_by_updated`;--> statement-breakpoint
DROP INDEX `artifacts_children_by_name`;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `artifacts_of_parent_by_created` ON `artifacts` (`parent_key`,`ecosystem`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX `artifacts_of_parent_by_updated` ON `artifacts` (`parent_key`,`ecosystem`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX `artifacts_of_parent_by_name` ON `artifacts` (`parent_key`,`ecosystem`,`name`,`step`);--> statement-breakpoint
CREATE INDEX `artifacts_key0_by_created` ON `artifacts` (`key0`,`ecosystem`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key0_by_updated` ON `artifacts` (`key0`,`ecosystem`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key0_by_name` ON `artifacts` (`key0`,`ecosystem`,`name`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key1_by_created` ON `artifacts` (`key1`,`ecosystem`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key1_by_updated` ON `artifacts` (`key1`,`ecosystem`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key1_by_name` ON `artifacts` (`key1`,`ecosystem`,`name`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key2_by_created` ON `artifacts` (`key2`,`ecosystem`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key2_by_updated` ON `artifacts` (`key2`,`ecosystem`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key2_by_name` ON `artifacts` (`key2`,`ecosystem`,`name`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key3_by_created` ON `artifacts` (`key3`,`ecosystem`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key3_by_updated` ON `artifacts` (`key3`,`ecosystem`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key3_by_name` ON `artifacts` (`key3`,`ecosystem`,`name`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key4_by_created` ON `artifacts` (`key4`,`ecosystem`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key4_by_updated` ON `artifacts` (`key4`,`ecosystem`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key4_by_name` ON `artifacts` (`key4`,`ecosystem`,`name`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key5_by_created` ON `artifacts` (`key5`,`ecosystem`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key5_by_updated` ON `artifacts` (`key5`,`ecosystem`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key5_by_name` ON `artifacts` (`key5`,`ecosystem`,`name`,`step`) WHERE "key5" is not null;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_0_by_created`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_0_by_updated`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_0_by_vulnerability`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_1_by_created`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_1_by_updated`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_1_by_vulnerability`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_2_by_created`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_2_by_updated`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_2_by_vulnerability`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_3_by_created`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_3_by_updated`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_3_by_vulnerability`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_4_by_created`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_4_by_updated`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_4_by_vulnerability`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_children_by_created`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_children_by_updated`;--> statement-breakpoint
DROP INDEX `vulnerability_metadata_children_by_vulnerability`;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
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
CREATE INDEX `vulnerability_metadata_above3_by_vulnerability` ON `vulnerability_metadata` (`above3`,`vulnerability_id`,`step`) WHERE "above3" is not null;
