ALTER TABLE `identities` ADD `last_used_time` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `identities` ADD `idle_since_time` integer GENERATED ALWAYS AS (case when "last_used_time" = 0 then "create_time" else ("last_used_time" / 86400000 + 1) * 86400000 end) VIRTUAL NOT NULL;--> statement-breakpoint
ALTER TABLE `identities` ADD `key_expire_time` integer;--> statement-breakpoint
ALTER TABLE `identities` ADD `key_notice_time` integer;--> statement-breakpoint
CREATE INDEX `identities_0_by_expiry` ON `identities` (`ancestor0`,`key_expire_time`,`uid`) WHERE "ancestor0" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_1_by_expiry` ON `identities` (`ancestor1`,`key_expire_time`,`uid`) WHERE "ancestor1" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_2_by_expiry` ON `identities` (`ancestor2`,`key_expire_time`,`uid`) WHERE "ancestor2" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_3_by_expiry` ON `identities` (`ancestor3`,`key_expire_time`,`uid`) WHERE "ancestor3" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_4_by_expiry` ON `identities` (`ancestor4`,`key_expire_time`,`uid`) WHERE "ancestor4" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_children_by_expiry` ON `identities` (`parent`,`key_expire_time`,`uid`) WHERE "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX `identities_0_by_idle` ON `identities` (`ancestor0`,`idle_since_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identities_1_by_idle` ON `identities` (`ancestor1`,`idle_since_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identities_2_by_idle` ON `identities` (`ancestor2`,`idle_since_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identities_3_by_idle` ON `identities` (`ancestor3`,`idle_since_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identities_4_by_idle` ON `identities` (`ancestor4`,`idle_since_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `identities_children_by_idle` ON `identities` (`parent`,`idle_since_time`,`uid`);--> statement-breakpoint
CREATE INDEX `identities_by_notice` ON `identities` (`key_notice_time`) WHERE "key_notice_time" is not null;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `scim_token_notice_time` integer;--> statement-breakpoint
CREATE INDEX `identity_providers_by_notice` ON `identity_providers` (`scim_token_notice_time`) WHERE "scim_token_notice_time" is not null;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `use_unknown_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `last_used_time` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `idle_since_time` integer GENERATED ALWAYS AS (case when "last_used_time" = 0 then max("update_time", "use_unknown_until") else ("last_used_time" / 86400000 + 1) * 86400000 end) VIRTUAL NOT NULL;--> statement-breakpoint
CREATE INDEX `role_bindings_0_by_idle` ON `role_bindings` (`ancestor0`,`idle_since_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_1_by_idle` ON `role_bindings` (`ancestor1`,`idle_since_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_2_by_idle` ON `role_bindings` (`ancestor2`,`idle_since_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_3_by_idle` ON `role_bindings` (`ancestor3`,`idle_since_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_4_by_idle` ON `role_bindings` (`ancestor4`,`idle_since_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `role_bindings_children_by_idle` ON `role_bindings` (`parent`,`idle_since_time`,`uid`);--> statement-breakpoint
-- An exchange or a login is a use. For people without one, their sign-in is. Otherwise the first use of a token is known.
UPDATE `identities` SET `last_used_time` = CASE
  WHEN `last_seen_time` > `create_time` THEN `last_seen_time`
  WHEN `parent` = '' AND EXISTS (SELECT 1 FROM `sign_ins` WHERE `sign_ins`.`identity_uid` = `identities`.`uid`) THEN `last_seen_time`
  WHEN `first_used_time` <> 9007199254740991 THEN `first_used_time`
  ELSE 0 END;--> statement-breakpoint
-- Nothing recorded which bindings were used until now.
UPDATE `role_bindings` SET `use_unknown_until` = unixepoch() * 1000;--> statement-breakpoint
UPDATE `identities` SET `key_expire_time` = coalesce(
  cast(round(unixepoch(`relationship` ->> '$.value.expirationTime', 'subsec') * 1000) as integer), `create_time` + 31536000000)
  WHERE `relationship_type` = 2;--> statement-breakpoint
-- Keys and tokens that expire within 30 days are due at once.
UPDATE `identities` SET `key_notice_time` = `key_expire_time` - 2592000000 WHERE `key_expire_time` > unixepoch() * 1000;--> statement-breakpoint
UPDATE `identity_providers` SET `scim_token_notice_time` = `scim_token_expire_time` - 2592000000
  WHERE `scim_token_expire_time` > unixepoch() * 1000 AND `scim_token_revoke_time` IS NULL;
