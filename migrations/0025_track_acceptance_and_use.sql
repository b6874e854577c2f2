DROP INDEX `identities_by_subject`;--> statement-breakpoint
ALTER TABLE `identities` ADD `relationship_time` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `identities` ADD `first_used_time` integer DEFAULT 9007199254740991 NOT NULL;--> statement-breakpoint
CREATE INDEX `identities_by_first_use` ON `identities` (`issuer`,`subject`,`first_used_time`);--> statement-breakpoint
CREATE INDEX `identities_by_claims` ON `identities` (("relationship" ->> '$.value.subject'),("relationship" ->> '$.value.issuer'));--> statement-breakpoint
CREATE INDEX `identities_by_subject` ON `identities` (`issuer`,`subject`,`parent`);--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `accepted` integer DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX `role_bindings_by_identity` ON `role_bindings` (`identity_uid`,`accepted`,`parent`);--> statement-breakpoint
-- Of several identities with the same issuer and subject, the oldest used one counts as used first.
UPDATE `identities` SET `first_used_time` = `create_time` WHERE `issuer` IS NOT NULL AND `last_seen_time` > `create_time`;
